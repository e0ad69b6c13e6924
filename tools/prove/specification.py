"""The compression functions, transcribed from their standards, over terms or numbers alike."""

import hashlib

from terms import ONES, add, both, masked, ror, xor

# ------------------------------------------------------------------------------------------------ BLAKE2: RFC 7693, 2 and 3

BLAKE2B_IV = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)  # fmt: skip
IV = tuple(iv >> 32 for iv in BLAKE2B_IV)
"""BLAKE2s's, SHA-256's and BLAKE3's."""

SIGMA = [[int(c, 16) for c in row] for row in (
    "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
    "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
)]  # fmt: skip
QUARTERS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip


def mix(size, rotations, v, a, b, c, d, x, y):
    """G of RFC 7693, 3.1."""
    r1, r2, r3, r4 = rotations
    v[a] = add(size, v[a], v[b], x)
    v[d] = ror(size, xor(size, v[d], v[a]), r1)
    v[c] = add(size, v[c], v[d])
    v[b] = ror(size, xor(size, v[b], v[c]), r2)
    v[a] = add(size, v[a], v[b], y)
    v[d] = ror(size, xor(size, v[d], v[a]), r3)
    v[c] = add(size, v[c], v[d])
    v[b] = ror(size, xor(size, v[b], v[c]), r4)


def blake2(size, h, m, t, f):
    """F of RFC 7693, 3.2: `t` and `f` are the words of the counter and of the flags, which go into v12 to v15."""
    iv, rounds, rotations = (BLAKE2B_IV, 12, (32, 24, 16, 63)) if size == 8 else (IV, 10, (16, 12, 8, 7))
    v = [*h, *iv[:4], xor(size, iv[4], t[0]), xor(size, iv[5], t[1]), xor(size, iv[6], f[0]), xor(size, iv[7], f[1])]
    for r in range(rounds):
        s = SIGMA[r % 10]
        for i, (a, b, c, d) in enumerate(QUARTERS):
            mix(size, rotations, v, a, b, c, d, m[s[2 * i]], m[s[2 * i + 1]])
    return [xor(size, h[i], v[i], v[i + 8]) for i in range(8)]


# ------------------------------------------------------------------------------------------------- BLAKE3: the paper, 2.1 to 2.2

PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)


def blake3(h, m, t, length, flags):
    """All sixteen words of the output."""
    v = [*h, *IV[:4], t[0], t[1], length, flags]
    m = list(m)
    for r in range(7):
        for i, (a, b, c, d) in enumerate(QUARTERS):
            mix(4, (16, 12, 8, 7), v, a, b, c, d, m[2 * i], m[2 * i + 1])
        m = [m[p] for p in PERMUTATION]
    return [xor(4, v[i], v[i + 8]) for i in range(8)] + [xor(4, v[i + 8], h[i]) for i in range(8)]


# ------------------------------------------------------------------------------- SHA-256 and SHA-512: FIPS 180-4, 4 to 6.4


def primes(count):
    found = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def fraction_of_root(size, n, k):
    """The first 8 `size` bits of the fraction of the k-th root."""
    bits = 8 * size
    low, high, target = 0, n << bits, n << bits * k
    while low < high:
        middle = (low + high + 1) // 2
        if middle**k <= target:
            low = middle
        else:
            high = middle - 1
    return low & ONES[size]


SHA2_IV = {size: tuple(fraction_of_root(size, p, 2) for p in primes(8)) for size in (4, 8)}
SHA2_K = {size: tuple(fraction_of_root(size, p, 3) for p in primes(rounds)) for size, rounds in ((4, 64), (8, 80))}
SUM0, SUM1 = {4: (2, 13, 22), 8: (28, 34, 39)}, {4: (6, 11, 25), 8: (14, 18, 41)}
"""Rotations, by the size of a word: 4.1.2 and 4.1.3."""
SIGMA0, SIGMA1 = {4: (7, 18, 3), 8: (1, 8, 7)}, {4: (17, 19, 10), 8: (19, 61, 6)}
"""Two rotations and a shift."""


def choose(size, x, y, z):
    return xor(size, both(size, x, y), both(size, xor(size, x, ONES[size]), z))


def majority(size, x, y, z):
    return xor(size, both(size, x, y), both(size, x, z), both(size, y, z))


def shift(size, x, n):
    return x >> n if type(x) is int else masked(size, ror(size, x, n), ONES[size] >> n)


def rotations(size, x, numbers):
    return xor(size, *[ror(size, x, n) for n in numbers])


def sigma(size, x, numbers):
    return xor(size, rotations(size, x, numbers[:2]), shift(size, x, numbers[2]))


def sigma0(size, x):
    return sigma(size, x, SIGMA0[size])


def sigma1(size, x):
    return sigma(size, x, SIGMA1[size])


def sha2_round(size, v, wk):
    """One round, by the sum of the word and the constant: 6.2.2 and 6.4.2, step 3."""
    a, b, c, d, e, f, g, h = v
    t1 = add(size, h, rotations(size, e, SUM1[size]), choose(size, e, f, g), wk)
    t2 = add(size, rotations(size, a, SUM0[size]), majority(size, a, b, c))
    return (add(size, t1, t2), a, b, c, add(size, d, t1), e, f, g)


def sha2(size, h, m):
    """`m` are the words of the block, read from their bytes with the first one on top."""
    w, k = list(m), SHA2_K[size]
    for t in range(16, len(k)):
        w.append(add(size, sigma1(size, w[t - 2]), w[t - 7], sigma0(size, w[t - 15]), w[t - 16]))
    v = tuple(h)
    for t in range(len(k)):
        v = sha2_round(size, v, add(size, k[t], w[t]))
    return [add(size, x, y) for x, y in zip(h, v)]


# ----------------------------------------------------------------------------------------------------------------- check

BLAKE3_KNOWN = {
    0: "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    1: "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
    63: "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b",
    64: "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
}
"""BLAKE3's own test vectors, of bytes that count up from 0."""


def words(size, message, order="little"):
    return [int.from_bytes(message[i : i + size], order) for i in range(0, len(message), size)]


def check():
    """That these are the functions of those names: short messages, against Python's own library and known digests."""
    for size, name in ((8, "blake2b"), (4, "blake2s")):
        for length in (0, 3, 16 * size):
            message = bytes(range(length))
            h = list(BLAKE2B_IV if size == 8 else IV)
            h[0] ^= 0x01010000 ^ 8 * size
            m = words(size, message.ljust(16 * size, b"\0"))
            h = blake2(size, h, m, (length, 0), (ONES[size], 0))
            if b"".join(x.to_bytes(size, "little") for x in h) != getattr(hashlib, name)(message).digest():
                raise SystemExit("the specification of %s is wrong" % name)
    for size, name in ((4, "sha256"), (8, "sha512")):
        block = 16 * size
        for length in (0, 3, block - 2 * size - 1, block - 2 * size, block, 100):
            message = bytes(range(length))
            padded = message + b"\x80" + bytes(-(length + 1 + 2 * size) % block) + (8 * length).to_bytes(2 * size, "big")
            h = SHA2_IV[size]
            for at in range(0, len(padded), block):
                h = sha2(size, h, words(size, padded[at : at + block], "big"))
            if b"".join(x.to_bytes(size, "big") for x in h) != getattr(hashlib, name)(message).digest():
                raise SystemExit("the specification of %s is wrong" % name)
    for length, digest in BLAKE3_KNOWN.items():
        m = words(4, bytes(range(length)).ljust(64, b"\0"))
        h = blake3(IV, m, (0, 0), length, 1 | 2 | 8)[:8]
        if b"".join(x.to_bytes(4, "little") for x in h).hex() != digest:
            raise SystemExit("the specification of BLAKE3 is wrong")


if __name__ == "__main__":
    check()
    print("the specifications agree with known digests")

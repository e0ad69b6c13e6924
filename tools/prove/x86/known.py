"""Instructions that compare and choose numbers, such as lengths, whose values are known: Intel's manual, volume 2."""

from elf import Refuted
from terms import signed
from x86.vector import SIZES, model


def numbers(b, size):
    if any(type(x) is not int for x in b):
        raise Refuted("of numbers that are not known")
    return [int.from_bytes(bytes(b[at : at + size]), "little") for at in range(0, len(b), size)]


def parts(values, size):
    return [x for n in values for x in (n & (1 << 8 * size) - 1).to_bytes(size, "little")]


@model(r"pcmpgt([bwdq])")
def greater(i, m):
    if i.args[0].kind != "v":
        return False
    size = SIZES[m[1]]
    x, y = (numbers(b, size) for b in i.two())
    i.put(parts([-(signed(p, size) > signed(q, size)) for p, q in zip(x, y)], size))


@model(r"p(max|min)([us])([bwdq])")
def extreme(i, m):
    size, choose = SIZES[m[3]], max if m[1] == "max" else min
    x, y = (numbers(b, size) for b in i.two())
    i.put(parts([choose(p, q, key=lambda n: signed(n, size) if m[2] == "s" else n) for p, q in zip(x, y)], size), size)


@model(r"blendv(p[sd])|p(blendv)b")
def choose_by_sign(i, m):
    if i.legacy:
        return False
    size = 1 if m[2] else SIZES[m[1]]
    x, y, by = i.get(1), i.get(2), numbers(i.get(3), size)
    i.put([c for j, n in enumerate(by) for c in (y if n >> 8 * size - 1 else x)[size * j :][:size]])


@model(r"packss(wb|dw)")
def saturate(i, m):
    size = SIZES[m[1][0]]
    limit, out = 1 << 4 * size - 1, []
    x, y = i.two()
    for base in range(0, i.n, 16):
        for b in (x, y):
            values = (signed(n, size) for n in numbers(b[base : base + 16], size))
            out += parts([max(-limit, min(limit - 1, n)) for n in values], size // 2)
    i.put(out)


@model(r"test(p[sd])")
def signs(i, m):
    size = SIZES[m[1]]
    x, y = (numbers(i.get(j), size) for j in (0, 1))
    i.st.flags = ("shift", 4, int(any(p & q & 1 << 8 * size - 1 for p, q in zip(x, y))), 0)  # the carry is another test

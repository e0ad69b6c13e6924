"""The instructions of the SHA extension, which are rounds of SHA-256: Intel's manual, volume 2."""

import specification
from terms import add, unpack, word
from x86.vector import model


def words_of(b):
    return [word(b[at : at + 4]) for at in range(0, 16, 4)]


def from_words(words):
    return [x for w in words for x in unpack(w, 4)]


@model(r"sha256rnds2")
def sha256rnds2(i, m):
    h, g, d, c = words_of(i.get(0, 16))
    f, e, b, a = words_of(i.get(1, 16))
    wk = words_of(i.st.v[0][:16])
    v = (a, b, c, d, e, f, g, h)
    for sum_ in wk[:2]:
        v = specification.sha2_round(4, v, sum_)
    i.put(from_words([v[5], v[4], v[1], v[0]]))


@model(r"sha256msg1")
def sha256msg1(i, m):
    w, later = words_of(i.get(0, 16)), words_of(i.get(1, 16))[0]
    w.append(later)
    i.put(from_words([add(4, w[j], specification.sigma0(4, w[j + 1])) for j in range(4)]))


@model(r"sha256msg2")
def sha256msg2(i, m):
    x, y = words_of(i.get(0, 16)), words_of(i.get(1, 16))
    w16 = add(4, x[0], specification.sigma1(4, y[2]))
    w17 = add(4, x[1], specification.sigma1(4, y[3]))
    w18 = add(4, x[2], specification.sigma1(4, w16))
    w19 = add(4, x[3], specification.sigma1(4, w17))
    i.put(from_words([w16, w17, w18, w19]))

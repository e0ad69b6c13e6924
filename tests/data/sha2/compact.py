#!/usr/bin/env python3
"""Make the smaller files of this directory out of published ones, which are too large to be kept as they come.

    python3 compact.py DIRECTORY

DIRECTORY holds SHA224LongMsg.rsp, SHA256LongMsg.rsp and SHA512LongMsg.rsp of NIST's SHAVS, and hmac_sha224_test.json,
hmac_sha256_test.json, pbkdf2_hmacsha256_test.json and so on of Wycheproof, for each hash: README.md says where they are.

* SHA*LongMsg.rsp keep every fourth message, of SHA-512 every 16th, the longest among them. The format stays the same.
* wycheproof_hmac_sha*.txt and wycheproof_pbkdf2_sha*.txt keep every vector, one a line, without comments and flags.
"""

import json
import os
import sys

EVERY, EVERY_512 = 4, 16

WYCHEPROOF = """\
# Wycheproof's test vectors of HMAC-SHA-{name}. Written by compact.py: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   id       tcId of the vector
#   key      hex
#   message  hex, maybe empty
#   tag      hex; maybe the first half of a tag only
#   valid    1, or 0 if the tag is of no such key and message
"""

PBKDF2 = """\
# Wycheproof's test vectors of PBKDF2-HMAC-SHA-{name}. Written by compact.py: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   id        tcId of the vector; 1 and 2 of SHA-256 are those of RFC 7914, section 11
#   password  hex, maybe empty
#   salt      hex, maybe empty
#   rounds    decimal
#   out       hex
"""


def long_messages(text, every=EVERY):
    header, *vectors = text.replace("\r\n", "\n").strip().split("\n\nLen = ")
    assert len(vectors) == (64 if every == EVERY else 128)
    kept = vectors[every - 1 :: every]
    note = "#  Every %dth message of %d: see compact.py\n" % (every, len(vectors))
    return note + "\n\nLen = ".join([header] + kept) + "\n"


def wycheproof(text, name):
    lines = []
    for group in json.loads(text)["testGroups"]:
        for test in group["tests"]:
            assert test["result"] in ("valid", "invalid")
            assert 4 * len(test["tag"]) == group["tagSize"]
            lines.append("id=%d key=%s message=%s tag=%s valid=%d\n" % (
                test["tcId"], test["key"], test["msg"], test["tag"], test["result"] == "valid"))
    return WYCHEPROOF.format(name=name) + "".join(lines)


def pbkdf2(text, name):
    lines = []
    for group in json.loads(text)["testGroups"]:
        for test in group["tests"]:
            assert test["result"] == "valid" and len(test["dk"]) == 2 * test["dkLen"]
            lines.append("id=%d password=%s salt=%s rounds=%d out=%s\n" % (
                test["tcId"], test["password"], test["salt"], test["iterationCount"], test["dk"]))
    return PBKDF2.format(name=name) + "".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: compact.py DIRECTORY")
    here = os.path.dirname(os.path.abspath(__file__))

    def convert(source, target, work):
        with open(os.path.join(sys.argv[1], source)) as f:
            text = work(f.read())
        with open(os.path.join(here, target), "w", newline="\n") as f:
            f.write(text)

    convert("SHA512LongMsg.rsp", "SHA512LongMsg.rsp", lambda text: long_messages(text, EVERY_512))
    for bits in (224, 256):
        name = "SHA%dLongMsg.rsp" % bits
        convert(name, name, long_messages)
    for name in ("224", "256", "384", "512", "512/224", "512/256"):
        file = "hmac_sha" + name.replace("/", "_")
        convert(file + "_test.json", "wycheproof_%s.txt" % file, lambda text: wycheproof(text, name))
    for name in ("224", "256", "384", "512"):
        target = "wycheproof_pbkdf2_sha%s.txt" % name
        convert("pbkdf2_hmacsha%s_test.json" % name, target, lambda text: pbkdf2(text, name))


if __name__ == "__main__":
    main()

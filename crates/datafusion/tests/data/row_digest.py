#!/usr/bin/env python3
"""The encoding of docs/row-digest.md, version 1, and its vectors. Python 3.8, without packages.

    row_digest.py           write row_digest.txt, and the table of docs/row-digest.md
    row_digest.py --check   compare them instead; exit status 1 if they differ
"""

import hashlib
import math
import pathlib
import struct
import sys
from decimal import Decimal


class Date(int):
    """Days since 1970-01-01."""


class Timestamp:
    """An instant, as an integer of nanoseconds since 1970-01-01T00:00:00."""

    def __init__(self, nanoseconds, zone=False):
        self.nanoseconds, self.zone = nanoseconds, zone


class Struct(list):
    """The values of the fields, in order."""


def encode(value):
    if value is None:
        return b"\x00"
    if value is False:
        return b"\x01"
    if value is True:
        return b"\x02"
    if isinstance(value, Date):
        return b"\x09" + struct.pack("<q", value)
    if isinstance(value, int):
        return b"\x03" + struct.pack("<Q", value) if value >= 0 else b"\x04" + struct.pack("<q", value)
    if isinstance(value, float):
        if math.isnan(value):
            return b"\x05" + bytes.fromhex("000000000000f87f")
        return b"\x05" + struct.pack("<d", 0.0 if value == 0 else value)
    if isinstance(value, Decimal):
        sign, digits, exponent = value.as_tuple()
        number = int("".join(map(str, digits)))
        if number == 0:
            exponent = 0
        while number and number % 10 == 0:
            number, exponent = number // 10, exponent + 1
        number = -number if sign else number
        return b"\x06" + struct.pack("<h", exponent) + number.to_bytes(32, "little", signed=True)
    if isinstance(value, str):
        text = value.encode()
        return b"\x07" + struct.pack("<Q", len(text)) + text
    if isinstance(value, bytes):
        return b"\x08" + struct.pack("<Q", len(value)) + value
    if isinstance(value, Timestamp):
        seconds, nanoseconds = divmod(value.nanoseconds, 10**9)
        return (b"\x0b" if value.zone else b"\x0a") + struct.pack("<qI", seconds, nanoseconds)
    if isinstance(value, (Struct, list)):
        tag = b"\x0d" if isinstance(value, Struct) else b"\x0c"
        return tag + struct.pack("<Q", len(value)) + b"".join(map(encode, value))
    raise TypeError(type(value))


def message(row):
    return b"\x01" + b"".join(map(encode, row))


ALGORITHMS = ["sha224", "sha256", "sha384", "sha512", "blake2s", "blake2b"]


def row_digest(algorithm, row):
    return hashlib.new(algorithm, message(row)).digest()


def table_digest(algorithm, rows):
    total = sum(int.from_bytes(row_digest(algorithm, row), "little") for row in rows)
    return struct.pack("<Q", len(rows)) + (total % 2**512).to_bytes(64, "little")


# The name of each, and the values of the row.
ROWS = {
    "null": [None],
    "two nulls": [None, None],
    "false": [False],
    "true": [True],
    "integer 0": [0],
    "integer 5": [5],
    "integer -1": [-1],
    "integer 127": [127],
    "integer -128": [-128],
    "integer 65535": [65535],
    "integer -2147483648": [-(2**31)],
    "integer 2^63-1": [2**63 - 1],
    "integer -2^63": [-(2**63)],
    "integer 2^63": [2**63],
    "integer 2^64-1": [2**64 - 1],
    "float 0.0": [0.0],
    "float 5.0": [5.0],
    "float -1.5": [-1.5],
    "float 0.1": [0.1],
    "float 0.1 of 32 bits": [struct.unpack("<f", struct.pack("<f", 0.1))[0]],
    "float 65504.0": [65504.0],
    "float NaN": [math.nan],
    "float infinity": [math.inf],
    "float -infinity": [-math.inf],
    "float 5e-324": [5e-324],
    "decimal 0": [Decimal("0.00")],
    "decimal 5": [Decimal("5.00")],
    "decimal 0.05": [Decimal("0.05")],
    "decimal -12.34": [Decimal("-12.34")],
    "decimal 12e3": [Decimal("12e3")],
    "decimal 10^75": [Decimal(10**75)],
    "decimal 76 nines": [Decimal("9" * 76)],
    "decimal -76 nines e-76": [Decimal("-" + "9" * 76 + "e-76")],
    "decimal 38 nines": [Decimal("9" * 38)],
    "text": ["abc"],
    "text empty": [""],
    "text NULL": ["NULL"],
    "text of three alphabets": ["a\u00e4\u4e16\U0001f600"],
    "text of 300 bytes": ["0123456789" * 30],
    "bytes": [b"abc"],
    "bytes empty": [b""],
    "bytes 00ff": [b"\x00\xff"],
    "date 1970-01-01": [Date(0)],
    "date 2026-11-23": [Date(20780)],
    "date 1969-12-31": [Date(-1)],
    "timestamp 0": [Timestamp(0)],
    "timestamp 1 s": [Timestamp(10**9)],
    "timestamp -1 s": [Timestamp(-(10**9))],
    "timestamp -1 ms": [Timestamp(-(10**6))],
    "timestamp -1 us": [Timestamp(-(10**3))],
    "timestamp -1 ns": [Timestamp(-1)],
    "timestamp with zone 0": [Timestamp(0, True)],
    "timestamp with zone 1.5 s": [Timestamp(1500 * 10**6, True)],
    "timestamp with zone -1 ms": [Timestamp(-(10**6), True)],
    "list empty": [[]],
    "list of null": [[None]],
    "list 1 2 3": [[1, 2, 3]],
    "list of lists": [[[1], [], None, [2, 3]]],
    "list of texts": [["a", None, "bc"]],
    "struct 1 a": [Struct([1, "a"])],
    "struct null null": [Struct([None, None])],
    "struct of list of structs": [Struct([[Struct([1, True]), None], 2.5])],
    "ab c": ["ab", "c"],
    "a bc": ["a", "bc"],
    "text null": ["a", None],
    "null text": [None, "a"],
    "five columns": ["Ada", "ada@example.com", 1815, 3.5, True],
}

# The name of each, and the names of its rows.
TABLES = {
    "no rows": [],
    "one row": ["five columns"],
    "a row twice": ["null", "null"],
    "three rows": ["ab c", "a bc", "text null"],
    "all rows": list(ROWS),
}

IN_DOCS = ["null", "integer 5", "integer -1", "float 5.0", "decimal 5", "text empty", "text", "bytes"]
IN_DOCS += ["timestamp -1 ns", "list 1 2 3", "five columns"]


def vectors():
    lines = ["# Made by row_digest.py: a row's name, the byte string, and its digests; then totals of rows."]
    lines += ["\t".join(["#row", "name", "bytes", *ALGORITHMS])]
    for name, row in ROWS.items():
        digests = [row_digest(algorithm, row).hex() for algorithm in ALGORITHMS]
        lines.append("\t".join(["row", name, message(row).hex(), *digests]))
    lines += ["\t".join(["#table", "name", "rows", *ALGORITHMS])]
    for name, rows in TABLES.items():
        totals = [table_digest(algorithm, [ROWS[row] for row in rows]).hex() for algorithm in ALGORITHMS]
        lines.append("\t".join(["table", name, ",".join(rows), *totals]))
    return "\n".join(lines) + "\n"


def table():
    lines = ["```text"]
    for name in IN_DOCS:
        lines += [name, f"  bytes   {message(ROWS[name]).hex()}", f"  sha256  {row_digest('sha256', ROWS[name]).hex()}"]
    total = table_digest("sha256", [ROWS["ab c"], ROWS["a bc"]]).hex()
    lines += ["table_digest('sha256', …) of the rows ('ab', 'c') and ('a', 'bc')"]
    lines += [f"  {total[:80]}", f"  {total[80:]}", "```"]
    return "\n".join(lines)


def main():
    here = pathlib.Path(__file__).resolve().parent
    docs = here.parent.parent / "docs" / "row-digest.md"
    text = docs.read_text()
    begin, end = "<!-- vectors -->\n", "<!-- end of vectors -->"
    before, rest = text.split(begin)
    files = {here / "row_digest.txt": vectors(), docs: before + begin + table() + "\n" + end + rest.split(end)[1]}
    for path, content in files.items():
        if sys.argv[1:] != ["--check"]:
            path.write_text(content)
        elif path.read_text() != content:
            sys.exit(f"{path} is not what {__file__} computes")


if __name__ == "__main__":
    main()

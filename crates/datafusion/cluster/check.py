#!/usr/bin/env python3
"""Compares the answers of src/bin/ballista-client.rs with Python's. Python 3.8, without packages.

check.py FOLDER ROWS

Every row is computed from its number, as in src/rows.rs. Exit status 1: something differs, or is missing.
"""

import hashlib
import math
import pathlib
import struct
import sys
from decimal import Decimal

HEADER = "n,blake2b_32(s),blake2s(b),sha256(s),row_blake2b,row_sha256"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/data"))
from row_digest import Date, Timestamp, row_digest  # noqa: E402


def row(n):
    """The columns n, s, b, x, ok, day, moment, price."""
    text = {3: None, 7: ""}.get(n % 10, f"{n:x}" * (1 + n % 64))
    data = None if n % 11 == 5 else bytes((31 * n + i) % 256 for i in range(n % 40))
    number = -0.0 if n % 13 == 0 else math.nan if n % 17 == 0 else n / 4
    return [
        n,
        text,
        data,
        number,
        None if n % 5 == 0 else n % 3 == 0,
        Date(n % 20000),
        Timestamp(n * 1000003 * 1000),
        Decimal(n % 100000).scaleb(-2),
    ]


def expected(columns, row_blake2b):
    """The line of a row. NULL is empty."""
    n, text, data = columns[:3]
    line = [str(n), "", "", "", row_blake2b.hex(), row_digest("sha256", columns).hex()]
    if text is not None:
        line[1] = hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
        line[3] = hashlib.sha256(text.encode()).hexdigest()
    if data is not None:
        line[2] = hashlib.blake2s(data).hexdigest()
    return ",".join(line)


def main():
    folder, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    total = 0
    with open(folder / "answers.csv", encoding="ascii") as answers:
        found = next(answers, "nothing").rstrip("\n")
        if found != HEADER:
            sys.exit(f"the header is\n{found}\ninstead of\n{HEADER}")
        for n in range(rows):
            columns = row(n)
            digest = row_digest("blake2b", columns)
            total += int.from_bytes(digest, "little")
            right, found = expected(columns, digest), next(answers, "nothing").rstrip("\n")
            if found != right:
                sys.exit(f"row {n}: the cluster has\n{found}\ninstead of\n{right}")
        if next(answers, None) is not None:
            sys.exit(f"the cluster has more rows than {rows}")
    right = (struct.pack("<Q", rows) + (total % 2**512).to_bytes(64, "little")).hex()
    found = (folder / "table_digest.txt").read_text().strip()
    if found != right:
        sys.exit(f"table_digest: the cluster has\n{found}\ninstead of\n{right}")
    print(f"{rows} rows, five digests of each, and the digest of the table: as Python's")


main()

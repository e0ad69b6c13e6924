#!/usr/bin/env python3
"""Nanoseconds a row of DuckDB's sha256 and md5: one thread, least of many rounds in turn. Needs `pip install duckdb`.

duckdb_hashes.py [ROUNDS]

The figures are those of `select max(sha256(s))` less those of `select max(s)`, over tables in memory with texts as
long as those of the other benchmark. DuckDB's functions return hexadecimal text, so they stand beside our `sha256_hex`.
"""

import hashlib
import sys
import time

import duckdb

# Rows, their count, and their text: 16 hexadecimal digits, of which the last 8 differ, again and again.
TEXT = "substr(repeat(printf('%016x', (n * 7919 + 104729) % 4294967296), 64), 1, {})"
KINDS = [
    ("16 B", 131072, TEXT.format("16")),
    ("64 B", 131072, TEXT.format("64")),
    ("1-512 B ragged, 10 % NULL", 131072, f"if(n % 10 = 3, null, {TEXT.format('1 + n * 7919 % 512')})"),
    ("1 KiB", 40960, TEXT.format("1024")),
]
FUNCTIONS = ["sha256", "md5"]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    database = duckdb.connect()
    database.execute("set threads = 1")
    least = {}
    for i, (_, count, text) in enumerate(KINDS):
        database.execute(f"create table t{i} as select {text} as s from range({count}) as r(n)")
        texts = [row[0] for row in database.execute(f"select s from t{i} where s is not null").fetchall()]
        for name in FUNCTIONS:
            expected = max(hashlib.new(name, text.encode()).hexdigest() for text in texts)
            answer = database.execute(f"select max({name}(s)) from t{i}").fetchone()[0]
            assert answer == expected, f"{name}: {answer} instead of {expected}"
    for _ in range(rounds):
        for i, _ in enumerate(KINDS):
            for call in ["s", *(f"{name}(s)" for name in FUNCTIONS)]:
                began = time.perf_counter()
                database.execute(f"select max({call}) from t{i}").fetchone()
                seconds = time.perf_counter() - began
                least[i, call] = min(seconds, least.get((i, call), seconds))
    print(f"DuckDB {duckdb.__version__}, ns/row")
    for i, (rows, count, _) in enumerate(KINDS):
        figures = [(name, (least[i, f"{name}(s)"] - least[i, "s"]) / count * 1e9) for name in FUNCTIONS]
        print(f"{rows:<28}" + "".join(f"{name} {figure:7.1f}   " for name, figure in figures))


main()

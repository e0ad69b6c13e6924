#!/usr/bin/env python3
"""The steps of .ci/recipe/toy.patch: each place that it changes in a file that exists, and each file that it adds.

.ci/recipe/steps.py              a line for each step, numbered from 1: its file, and the last line that it adds there
.ci/recipe/steps.py --without N  the patch without this step
git diff … | .ci/recipe/steps.py --write   writes the patch anew, below the text that it begins with
"""

import re
import sys
from pathlib import Path

PATCH = Path(__file__).with_name("toy.patch")


def read(text):
    """The steps: of each the file, the head of the file's part, and the rest."""
    for part in re.split(r"^(?=diff --git )", text, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^(?=@@ )", part, flags=re.MULTILINE)
        if not hunks or not part.endswith("\n"):
            sys.exit(f"{PATCH}: a part without lines: {head}")
        file = re.search(r"^\+\+\+ b/(.*)$", head, re.MULTILINE)[1]
        for hunk in hunks:
            yield file, head, hunk


def main():
    steps = list(read(PATCH.read_text()))
    match sys.argv[1:]:
        case []:
            for number, (file, head, hunk) in enumerate(steps, 1):
                added = [line[1:] for line in hunk.splitlines() if line.startswith("+")]
                print(f"{number} {file}: {'a new file' if 'new file mode' in head else added[-1]}")
        case ["--without", number] if number.isdecimal() and 1 <= int(number) <= len(steps):
            written = None
            for _, head, hunk in steps[: int(number) - 1] + steps[int(number) :]:
                sys.stdout.write(hunk if head == written else head + hunk)
                written = head
        case ["--write"]:
            PATCH.write_text(PATCH.read_text().partition("diff --git ")[0] + sys.stdin.read())
        case _:
            sys.exit(__doc__)


main()

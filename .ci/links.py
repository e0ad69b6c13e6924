#!/usr/bin/env python3
"""Checks the links, the anchors and the lengths of the Markdown files of this repository, without a network.

git ls-files | .ci/links.py [--links N] [--anchors N] [--lines N] [--words N]

- A relative link names a tracked file or folder. An anchor is a heading of its file, by GitHub's rule, or an id.
- So do absolute links into this repository on GitHub, in Rust sources and manifests too.
- A page of this library on docs.rs is that of an item of docs/public-api.txt.
- A line has at most 120 columns, except rows of tables, lines whose link is too long, and lines of code.
- README.md has at most so many lines and words.

There must be so many links and anchors at least: a check that finds none finds no dead one either.
"""

import argparse
import html
import re
import sys
from pathlib import Path
from urllib.parse import unquote

OURS = r"https://(?:github\.com/simd-digest/simd-digest/(?:blob|tree|raw)|"
OURS += r"raw\.githubusercontent\.com/simd-digest/simd-digest)"
IN_REPOSITORY = re.compile(OURS + r"/(?:main|HEAD)(?:/([^#?]*))?(?:\?[^#]*)?(?:#(.*))?$")
ABSOLUTE = re.compile(OURS + r"/(?:main|HEAD)/[^\s<>\"'`)\]]+")
DOCS_RS = re.compile(r"https://docs\.rs/simd-digest(?:/[^/]*/simd_digest/([^#?]*))?")
ITEM = re.compile(r"(?:#\[non_exhaustive\] |const (?=fn))?([a-z]+) (simd_digest(?:::\w+)*)(?!\w|::|<[^ ]*>::)")
FENCE = re.compile(r" {0,3}(?:> ?)*\s*(`{3,}|~{3,})")
COLUMNS = 120

FILES = [name for name in sys.stdin.read().splitlines() if name]
TRACKED = set(FILES)
FOLDERS = {str(folder) for name in FILES for folder in Path(name).parents} | {"."}
FAULTS = []


def fault(name, number, what):
    FAULTS.append(f"{name}:{number}: {what}")


def lines_of(name):
    """The lines of a file with their numbers, and whether each is code between fences."""
    fence = None
    for number, line in enumerate(Path(name).read_text().splitlines(), 1):
        found = FENCE.match(line)
        if fence:
            yield number, line, True
            if found and found[1].startswith(fence) and not line.strip("> \t").strip(fence[0]):
                fence = None
        else:
            fence = found[1] if found else None
            yield number, line, bool(found)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", heading)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = html.unescape(re.sub(r"</?[a-zA-Z][^>]*>", "", text)).strip()
    text = re.sub(r"(?<!\w)_+(\S[^_]*?)_+(?!\w)", r"\1", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(name, known={}):
    """The anchors of a file."""
    if name not in known:
        used, anchors, before = {}, set(), ""
        for _, line, code in lines_of(name):
            if code:
                before = ""
                continue
            anchors.update(re.findall(r"<[a-z0-9]+ [^>]*?\b(?:id|name)=[\"']([^\"']+)", line))
            heading = re.match(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", line)
            text = heading[1] if heading else None
            underlined = re.match(r" {0,3}(=+|-+)[ \t]*$", line) and before.strip()
            if underlined and not re.match(r"\s*([|>#]|[-*+] )", before):
                text = before.strip()
            if text is not None:
                first = anchor = slug(text)
                while anchor in used:
                    used[first] += 1
                    anchor = f"{first}-{used[first]}"
                used[anchor] = 0
                anchors.add(anchor)
            before = line
        known[name] = anchors
    return known[name]


def has_anchor(name, anchor):
    anchor = unquote(anchor)
    if name.endswith(".md"):
        return anchor in anchors_of(name)
    lines = re.fullmatch(r"L(\d+)(?:C\d+)?(?:-L(\d+)(?:C\d+)?)?", anchor)
    return bool(lines) and int(lines[2] or lines[1]) <= len(Path(name).read_text().splitlines())


def check_path(name, number, link, path, anchor):
    """A path from the top of the repository, and the anchor that a link has, if it has one."""
    path = path.rstrip("/") or "."
    if path not in TRACKED and path not in FOLDERS or not Path(path).exists():
        fault(name, number, f"no such file is tracked: {link}")
    elif anchor:
        file = path if path in TRACKED else f"{path}/README.md".removeprefix("./")
        if file not in TRACKED or not has_anchor(file, anchor):
            fault(name, number, f"no such anchor: {link}")


def documented(page, items):
    """Whether docs.rs has this page of the library."""
    *modules, file = page.split("/")
    path = "::".join(["simd_digest", *modules])
    if file in ("", "index.html"):
        return f"mod {path}" in items
    kind, _, rest = file.partition(".")
    item = rest.removesuffix(".html")
    kind = {"constant": "const"}.get(kind, kind)
    return rest.endswith(".html") and f"{kind} {path}::{item}" in items


def items_of_the_library():
    """The kind and the path of every item, without its parameters."""
    items = set()
    for line in Path("docs/public-api.txt").read_text().splitlines():
        found = re.match(ITEM, line)
        if found:
            items.add(f"{found[1]} {found[2]}")
    return items


def resolved(name, path):
    """A relative path from the top of the repository, or none if it leaves it."""
    parts = [] if path.startswith("/") else list(Path(name).parent.parts)
    for part in unquote(path).split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."


def links_of(name):
    """The links of a Markdown file, with their lines. A link may begin on one line and end on the next."""
    text, starts = "", []
    for number, line, code in lines_of(name):
        starts.append(len(text))
        # Code has no links. A comment may stand across lines, but none here does.
        line = "" if code else re.sub(r"<!--.*?-->", "", line)
        text += re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda found: "`" * len(found[0]), line) + "\n"
    defined = {label.lower() for label in re.findall(r"^ {0,3}\[([^\]^]+)\]:", text, re.M)}
    inline = r"\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
    patterns = [inline, r"^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)", r"<(https?://[^\s>]+)>",
                r"<[a-z]+ [^>]*?\b(?:href|src|srcset)=[\"']([^\"']+)"]
    found = [(one.start(), one[1]) for pattern in patterns for one in re.finditer(pattern, text, re.M)]
    for one in re.finditer(r"\[([^\[\]]+)\]\[([^\[\]]*)\]", text):
        if " ".join((one[2] or one[1]).lower().split()) not in defined:
            found.append((one.start(), None))
    for place, link in sorted(found, key=lambda one: one[0]):
        yield sum(start <= place for start in starts), link


def check_length(name):
    for number, line, code in lines_of(name):
        words = line.strip("> -*").split()
        too_long_a_word = any(len(word) > 60 and ("](" in word or "://" in word) for word in words)
        if len(line) > COLUMNS and not code and not line.lstrip("> ").startswith("|") and not too_long_a_word:
            fault(name, number, f"{len(line)} columns, of at most {COLUMNS}")


def main():
    parser = argparse.ArgumentParser(usage="git ls-files | %(prog)s [OPTION…]")
    parser.add_argument("--links", type=int, default=0, help="there must be so many at least")
    parser.add_argument("--anchors", type=int, default=0, help="there must be so many at least")
    parser.add_argument("--lines", type=int, default=160, help="of README.md at most")
    parser.add_argument("--words", type=int, default=1300, help="of README.md at most")
    given = parser.parse_args()

    links = anchors = elsewhere = 0
    items = items_of_the_library()
    pages = [name for name in FILES if name.endswith(".md") and not name.startswith("fuzz/corpus/")]
    checked = [(name, number, link) for name in pages for number, link in links_of(name)]
    for name in FILES:
        if name.endswith((".rs", ".toml")):
            for number, line in enumerate(Path(name).read_text().splitlines(), 1):
                checked += [(name, number, link.rstrip(".,;:")) for link in ABSOLUTE.findall(line)]
    for name, number, link in checked:
        if link is None:
            fault(name, number, "a link to a label that is not defined")
            continue
        ours = IN_REPOSITORY.match(link)
        docs = DOCS_RS.match(link)
        if ours:
            path, anchor = unquote(ours[1] or ""), ours[2]
        elif docs:
            links += 1
            if docs[1] and not documented(docs[1], items):
                fault(name, number, f"docs/public-api.txt has no such item: {link}")
            continue
        elif re.match(r"[a-z][a-z0-9+.-]*:|//", link):
            elsewhere += 1
            continue
        else:
            path, _, anchor = link.partition("#")
            path = resolved(name, path) if path else name
        links += 1
        anchors += bool(anchor)
        if path is None:
            fault(name, number, f"leads out of the repository: {link}")
        else:
            check_path(name, number, link, path, anchor)

    for name in pages:
        check_length(name)
    text = Path("README.md").read_text()
    lengths = ("lines", len(text.splitlines()), given.lines), ("words", len(text.split()), given.words)
    for what, number, most in lengths:
        if number > most:
            FAULTS.append(f"README.md has {number} {what}, of at most {most}")

    print(*FAULTS, sep="\n", end="\n" if FAULTS else "")
    print(f"{len(pages)} files: {links} links into the repository, {anchors} with an anchor; {elsewhere} not tried")
    if links < given.links or anchors < given.anchors:
        sys.exit(f"that is fewer than {given.links} links and {given.anchors} anchors: are they found?")
    sys.exit(bool(FAULTS))


main()

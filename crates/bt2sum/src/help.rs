//! The end of the long help. The manual page has more.

/// A title, and lines of at most 72 columns.
type Section = (&'static str, &'static str);

const SECTIONS: [Section; 9] = [
    (
        "Formats",
        "\
BLAKE2b-64 (NAME) = HEX           a file; bytes of digest
BLAKE2b-64 = HEX                  standard input
BLAKE2b-TREE-512-5M (NAME) = HEX  --tag: bits, and bytes of leaf
HEX  NAME                         --sequential, as b2sum prints it
BLAKE2b-256 (NAME) = HEX          --sequential --tag: bits
HEX  NAME, SHA256 (NAME) = HEX    --algorithm sha256
HEX  NAME, SHA512 (NAME) = HEX    --algorithm sha512
HEX  NAME, BLAKE3 (NAME) = HEX    --algorithm blake3, as b3sum
BLAKE3-512 (NAME) = HEX           with --tag, other lengths: bits

BLAKE2s, BLAKE2bp, BLAKE2sp, SHA224 or SHA384 stand in place of these
names by --algorithm.",
    ),
    (
        "Other programs",
        "\
Called as sha224sum, sha256sum, sha384sum, sha512sum, b2sum or b3sum, or
with --as NAME before all other arguments, this is that program, with
its options alone: bt2sum --as sha256sum --help lists them.",
    ),
    (
        "Check",
        "\
--check reads lines of all these formats, in any mixture. A line that
names its hash says what it is. HEX  NAME does not: it is a tree, or
what --algorithm, --size, --chunk and --sequential say. A list that was
made with a key, a context, or --chunk without --tag, takes that option
again.

--check --leaves FILE checks one file, leaf by leaf, and prints the
bytes that do not match or cannot be read.",
    ),
    (
        "Stores",
        "\
--recursive --store STORE DIR records all files below DIR.
--audit --store STORE DIR compares, and prints of each file:
  changed     other contents and another time
  rotted      other contents at the recorded time
  new, missing
  moved       the contents that another name lost
  unreadable  the system gives an error, or the file changed meanwhile
--update takes over what changed on purpose, and not what rotted.
With --quiet, audits, updates and samples print only files that are
rotted, missing or unreadable, and fail only for these.
--sample P% or --sample 20g reads a part; with --update also what is new
or has another length or time: --update --sample 0 reads no more.
--list --store STORE prints what was recorded.",
    ),
    (
        "Repair",
        "\
--repair --from COPY --store STORE DIR mends what rotted below DIR, with
bytes of the copy that have the recorded digests. Nothing else is
written, and each file keeps its time. --missing brings back files that
are missing, and --dry-run writes nothing. Files that somebody wrote to
are left alone.
--repair --from COPY --leaves LEAVES FILE mends one file.",
    ),
    (
        "Sizes",
        "\
k, m and g (or KiB, MiB and GiB), in either case, multiply by 1024,
1024^2 and 1024^3. KB, MB and GB, which are 1000 to some and 1024 to
others, are refused.",
    ),
    (
        "Mapped files",
        "\
If another program shortens a file that --mmap maps, the system ends the
process that maps it by a signal (SIGBUS). On Linux this is a process of
its own, and the files that are left are read; on other systems it is
the program.",
    ),
    (
        "Exit status",
        "\
0  all files were hashed, or match
1  a file could not be read or does not match, a line of a list could
   not be read, or the output could not be written; the other files are
   still hashed. Of an audit: something is not as it was recorded; of
   an update: something rotted or cannot be read; with --quiet, of
   both: something is rotted, missing or unreadable. Of a repair: the
   latter, after it
2  the arguments are wrong, or the key or the store; nothing is hashed
3  the DIR of an audit, an update, a sample or a repair is missing or
   cannot be opened; nothing is compared",
    ),
    (
        "Manual page",
        "\
bt2sum --man | man -l -",
    ),
];

/// The end of the long help.
pub(crate) fn sections() -> String {
    let section = |(title, text): &Section| {
        let lines = text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") });
        format!("{title}:\n{}", lines.collect::<String>())
    };
    SECTIONS.iter().map(section).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

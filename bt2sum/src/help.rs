//! The sections of the help and of the manual.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

/// A title, and lines of at most 72 columns.
type Section = (&'static str, &'static str);

/// The sections of both. The lines are short enough for a manual at 80 columns.
const SECTIONS: [Section; 8] = [
    (
        "Formats",
        "\
BLAKE2b-64 (NAME) = HEX           a file; bytes of digest
BLAKE2b-64 = HEX                  standard input
BLAKE2b-TREE-512-5M (NAME) = HEX  --tag: bits, and bytes of leaf
HEX  NAME                         --sequential, as b2sum prints it
BLAKE2b-256 (NAME) = HEX          --sequential --tag: bits
HEX  NAME, SHA256 (NAME) = HEX    --sequential --algorithm sha256
HEX  NAME, BLAKE3 (NAME) = HEX    --algorithm blake3, as b3sum
BLAKE3-512 (NAME) = HEX           with --tag, other lengths: bits

BLAKE2s, BLAKE2bp, BLAKE2sp or SHA224 stand in place of these names by
--algorithm. The line of a NAME with a backslash, a line feed or a
carriage return begins with a backslash, and the name has \\\\, \\n and \\r
for them. With --zero nothing is escaped.",
    ),
    (
        "Digest",
        "\
BLAKE2b or BLAKE2s as a tree of unlimited fanout and depth 2: every SIZE
bytes are a leaf, the last leaf has what remains, and the root hashes
the digests of the leaves. BLAKE2bp and BLAKE2sp are no such trees: with
--sequential they hash a file as a whole, in 4 or 8 lanes of one core.
Trees of SHA-256 and SHA-224 are not defined, nor keys, nor other
lengths than 256 and 224 bits.

BLAKE3 is a tree of its own: blake3 is the plain hash, on all cores,
with --sequential or without. It has no --chunk and no --leaves. Its
digests have 256 bits, or any number of bytes to 1 MiB by --length or
--size: these are its extended output, of which a shorter digest is the
beginning. Lists of 256 bits are those of b3sum, which reads ours too.
Lists of other lengths are bt2sum's alone: b3sum prints no such tags,
and checks no such lines. In HEX  NAME, a digest that was cut is a
shorter digest, and matches: --length accepts the one length only.

The digests are those of s3git's bt2sum, except for its errors. This one
hashes a pipe to its end, not to its first short read; marks the last
leaf of standard input too if it is a full one; takes an empty input for
one empty leaf (--compat-empty: for no leaf at all); and refuses
directories, and sizes and numbers that make no sense.",
    ),
    (
        "Check",
        "\
--check reads lines of all these formats, in any mixture, and prints
NAME: OK, NAME: FAILED or NAME: FAILED open or read. A line that names
its hash says what it is. HEX  NAME does not: it is a tree, or what
--algorithm, --size, --chunk and --sequential say. In BLAKE2b-N, N is
bytes of a tree if HEX has 2N digits, and bits of the plain hash if it
has N/4. What a list was keyed with, or derived in, is in no line: it
takes the same option again. So does a list with --chunk if it was made
without --tag: otherwise good files are FAILED.

Empty lines, lines that are # or begin with # and a space, and the
armour of a message that PGP signed, if it is whole, list nothing. Any
other line that cannot be read is a failure, and is named by its number:
it may have listed a file. With --sequential such lines are only
counted, and any line that begins with # is a comment, as with b2sum.

--check --leaves FILE checks one file, leaf by leaf, and prints the
bytes that do not match or cannot be read.",
    ),
    (
        "Stores",
        "\
--recursive --store STORE DIR records all files below DIR, and prints
their number, bytes and root. --audit --store STORE DIR compares:
  changed     other contents and another time
  rotted      other contents, of whatever length, at the same time
  new, missing
  moved       has the contents that another name lost; if it rotted,
              too, it is the only file of its length and time
  unreadable  the system gives an error, or the file changed meanwhile
and the damaged bytes of each. Files that are unchanged are counted. If
the change of a rotted file was wanted, touch the file, then --update.

--update takes over what changed on purpose, and not what rotted. It is
refused without --force if more than half of the files are missing or a
directory with recorded files cannot be listed. --recursive over a store
that is there is refused without --force: it would take what rotted for
good. --sample 5% reads so much of the bytes, those first that were not
read for longest; 0% looks at lengths and times only. The trees and what
is left out are those of the recording. A GLOB without a slash is for
names at any depth; one that ends in a slash is for directories.",
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
With --mmap, regular files of more than 1 MiB (with --sequential, of
more than 4 MiB if there are several) are hashed where the system has
them in memory. Lists, pipes, and what cannot be mapped, are read as
ever. If another program shortens a file meanwhile, the system ends the
process that maps it by a signal (SIGBUS). On Linux this is a process of
its own, and the files that are left are read; on other systems it is
the program. That is why it has to be asked for.",
    ),
    (
        "Exit status",
        "\
0  all files were hashed, or match
1  a file could not be read or does not match, a line of a list could
   not be read, or the output could not be written; the other files are
   still hashed. Of an audit: something is not as it was recorded; of
   an update: something rotted or cannot be read
2  the arguments are wrong, or the key or the store; nothing is hashed
3  the DIR of an audit, an update or a sample is missing or cannot be
   opened; nothing is compared
A signal that ends the program is its end: shells tell 128 and its
number, such as 130 for an interrupt.",
    ),
    (
        "See also",
        "\
b2sum(1), b3sum(1), sha256sum(1), cksum(1), ionice(1), par2(1)",
    ),
];

/// The first section of the manual.
const DESCRIPTION: &str = "\
bt2sum prints and checks checksums of files: BLAKE2b or BLAKE2s trees in
the format of s3git's bt2sum, whose leaves are hashed on all cores;
BLAKE3, as b3sum; and with --sequential plain BLAKE2, SHA-256 and
SHA-224, as b2sum, sha256sum and sha224sum.

With --leaves, the digests of the leaves go to a file of their own. A
check with them tells which bytes of a file are damaged. With --store,
one file has them for all files below a directory, and an audit tells
what was edited from what rotted. It repairs nothing; par2(1) does.

With no FILE, or when FILE is -, standard input is read.";

const EXAMPLES: &str = "\
Print digests of all files below a directory, and check them:
    bt2sum --recursive --tag photos > photos.sums
    bt2sum --check --quiet photos.sums

Write the digests of the leaves of an image, and locate damage:
    bt2sum --tag --leaves disk.leaves disk.img > disk.sum
    bt2sum --check --leaves disk.leaves disk.sum

Check only a part of it:
    bt2sum --check --leaves disk.leaves --range 0-999999 disk.sum

Record an archive, audit it, and take over what was edited:
    bt2sum --recursive --store photos.store photos
    bt2sum --audit --store photos.store photos
    bt2sum --update --store photos.store photos

Read a twentieth of it each day, when nobody else wants the disk:
    ionice -c3 bt2sum --sample 5% --store photos.store photos

Check a list of sha256sum:
    bt2sum --check --sequential --algorithm sha256 SHA256SUMS";

/// The end of the long help.
pub(crate) fn sections() -> String {
    let section = |(title, text): &Section| {
        let lines = text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") });
        format!("{title}:\n{}", lines.collect::<String>())
    };
    SECTIONS.iter().map(section).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Writes the manual.
pub(crate) fn manual(command: Command, out: &mut impl Write) -> io::Result<()> {
    let man = Man::new(command);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    section(out, "Description", DESCRIPTION)?;
    man.render_options_section(out)?;
    let (see_also, before) = SECTIONS.split_last().expect("there are sections");
    for (title, text) in before {
        section(out, title, text)?;
    }
    section(out, "Examples", EXAMPLES)?;
    section(out, see_also.0, see_also.1)
}

/// Writes a section whose lines stay as they are.
fn section(out: &mut impl Write, title: &str, text: &str) -> io::Result<()> {
    let title = title.to_uppercase();
    writeln!(out, ".SH {}\n.nf", if title.contains(' ') { format!("\"{title}\"") } else { title })?;
    for line in text.lines() {
        let line = line.replace('\\', r"\e").replace('-', r"\-");
        // A dot or a quote at the beginning would be a command.
        writeln!(out, r"{}{line}", if line.starts_with(['.', '\'']) { r"\&" } else { "" })?;
    }
    writeln!(out, ".fi")
}

//! Parses the lines of check files, ours and those of other tools.

use std::ffi::OsString;

use clap::ValueEnum;

use crate::input::from_raw;
use crate::number::{chunk_length, decimal};
use crate::scheme::{Algorithm, CHUNK, Digest, Scheme, Shape};

/// A line, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) scheme: Scheme,
    pub(crate) hash: Digest,
    /// Whether the line names its hash.
    pub(crate) tagged: bool,
    /// Whether the line is of a tree, and does not state the length of a leaf.
    pub(crate) lacks_chunk: bool,
}

/// Parses the lines of one check file. A line that names its hash says what it is. The other lines are of the kind that
/// the user gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineParser {
    /// The algorithm of lines that name none.
    algorithm: Algorithm,
    /// The shape of digests in lines that name no algorithm.
    shape: Shape,
    /// The only length of digests to accept in lines that name no algorithm, in bytes, if the user gave one.
    size: Option<usize>,
    /// Whether one space separates digest and name instead of two. The first line that tells decides for the whole
    /// file: otherwise a name that begins with a space could pass for another name.
    reversed: Option<bool>,
    /// Whether lines that name another hash, and lines of trees, are improper, as in coreutils.
    pub(crate) one_hash: bool,
}

impl LineParser {
    /// A parser for a new file.
    pub(crate) fn new(algorithm: Algorithm, shape: Shape, size: Option<usize>) -> Self {
        Self { algorithm, shape, size, reversed: None, one_hash: false }
    }

    /// Parses a line without its line end. `None` if the line is improperly formatted.
    pub(crate) fn parse(&mut self, line: &[u8]) -> Option<Entry> {
        let line = skip_blanks(line);
        let (escaped, line) = line.strip_prefix(br"\").map_or((false, line), |line| (true, line));
        let named = Algorithm::value_variants().iter().find_map(|&named| {
            let rest = line.strip_prefix(named.title().as_bytes())?;
            (!rest.first().is_some_and(u8::is_ascii_alphanumeric)).then_some((named, rest))
        });
        let named = named.filter(|(named, _)| !self.one_hash || *named == self.algorithm);
        let (name, scheme, hex) = match named {
            Some((algorithm, rest)) => self.tagged(algorithm, rest)?,
            None => self.untagged(line)?,
        };
        let hash: Digest = str::from_utf8(hex).ok()?.parse().ok()?;
        let size = hash.as_bytes().len();
        // Coreutils take an empty name for that of a file, which no file has.
        let possible = scheme.algorithm.lengths().contains(&size) && (self.one_hash || !name.is_empty());
        let right = possible && size == scheme.size && (named.is_some() || self.size.is_none_or(|only| only == size));
        let states_chunk = named.is_some_and(|(_, rest)| rest.starts_with(b"-TREE-"));
        let name = if escaped { unescape(name)? } else { self.until_nul(name).to_vec() };
        right.then_some(Entry {
            name: from_raw(&name).ok().filter(|_| !name.contains(&0))?,
            scheme,
            hash,
            tagged: named.is_some(),
            lacks_chunk: scheme.shape.is_tree() && !states_chunk,
        })
    }

    /// The name, scheme and digest in a line that begins with the name of the algorithm, which `line` no longer has.
    fn tagged<'a>(&self, algorithm: Algorithm, line: &'a [u8]) -> Option<(&'a [u8], Scheme, &'a [u8])> {
        let (label, name, hex) = parts(line)?;
        let hex = self.until_nul(hex);
        let size = hex.len() / 2;
        let bytes = |bits: usize| (bits.is_multiple_of(8)).then_some(bits / 8);
        let number = |text| plain_number(text).filter(|_| !algorithm.is_sha2());
        let (size, shape) = match label.strip_prefix('-') {
            None if label.is_empty() => (algorithm.usual_length(), Shape::Sequential),
            None => return None,
            Some(label) => match label.strip_prefix("TREE-") {
                Some(_) if self.one_hash => return None,
                Some(label) => {
                    let (bits, chunk) = label.split_once('-')?;
                    let chunk = chunk_length(chunk).ok().filter(|_| !chunk.starts_with('0'))?;
                    (bytes(plain_number(bits)?)?, Shape::Tree { chunk })
                }
                // The digest tells bits from bytes: coreutils and b3sum count bits, s3git's tool counts bytes.
                None => match number(label)? {
                    number if number == size && algorithm.makes_trees() && !self.one_hash => (number, self.tree()),
                    number => (bytes(number)?, Shape::Sequential),
                },
            },
        };
        if shape.is_tree() && !algorithm.makes_trees() {
            return None;
        }
        // Only lines of the Go tool's format lack a name, for standard input.
        let may_lack_name = shape.is_tree() && !label.starts_with("-TREE-");
        Some((name.or(may_lack_name.then_some(b"-"))?, Scheme { algorithm, size, shape }, hex))
    }

    /// The bytes of a part of a line that coreutils see: they end at its first NUL.
    fn until_nul<'a>(&self, part: &'a [u8]) -> &'a [u8] {
        let end = part.iter().position(|&byte| byte == 0).filter(|_| self.one_hash);
        &part[..end.unwrap_or(part.len())]
    }

    /// The tree of lines that do not say the length of a leaf.
    fn tree(&self) -> Shape {
        if self.shape.is_tree() { self.shape } else { Shape::Tree { chunk: CHUNK } }
    }

    /// The name, scheme and digest in a line that begins with the digest.
    fn untagged<'a>(&mut self, line: &'a [u8]) -> Option<(&'a [u8], Scheme, &'a [u8])> {
        let end = line.iter().position(|byte| !byte.is_ascii_hexdigit())?;
        let (hex, rest) = line.split_at(end);
        // A line without a proper digest must not decide how many spaces the file has.
        if !hex.len().is_multiple_of(2) || !self.algorithm.lengths().contains(&(hex.len() / 2)) {
            return None;
        }
        let (b' ' | b'\t', rest) = rest.split_first()? else { return None };
        // Nor must a line that ends here, except in b2sum, where its name is empty.
        if rest.is_empty() && !(self.one_hash && self.algorithm == Algorithm::Blake2b) {
            return None;
        }
        let marked = matches!(rest, [b' ' | b'*', _, ..]);
        let name = match self.reversed {
            Some(true) => rest,
            None | Some(false) if marked => {
                self.reversed = Some(false);
                &rest[1..]
            }
            Some(false) => return None,
            // The separator is there, the name is cut off. Coreutils take the second space for the name.
            None if !self.one_hash && matches!(rest, [b' ' | b'*']) => return None,
            None => {
                self.reversed = Some(true);
                rest
            }
        };
        Some((name, Scheme { algorithm: self.algorithm, size: hex.len() / 2, shape: self.shape }, hex))
    }
}

/// A label, perhaps a name, and a digest.
pub(crate) type Parts<'a> = (&'a str, Option<&'a [u8]>, &'a [u8]);

/// The label, the name and the digest of a line that began with the name of a hash: ` (name) = hex` after the label.
pub(crate) fn parts(line: &[u8]) -> Option<Parts<'_>> {
    let open = line.iter().position(|&byte| byte == b'(' || byte == b'=')?;
    // At most one space: OpenSSL writes none before the name.
    let label = line[..open].strip_suffix(b" ").unwrap_or(&line[..open]);
    let (label, rest) = (str::from_utf8(label).ok()?, &line[open..]);
    let (name, rest) = match rest.strip_prefix(b"(") {
        Some(rest) => {
            // A name may contain parentheses, a digest does not.
            let close = rest.iter().rposition(|&byte| byte == b')')?;
            (Some(&rest[..close]), &rest[close + 1..])
        }
        None => (None, rest),
    };
    Some((label, name, skip_blanks(skip_blanks(rest).strip_prefix(b"=")?)))
}

/// The rest of the line after spaces and tabs. Other white space is not skipped: no line of ours or of GNU has any.
pub(crate) fn skip_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

/// A number as this program prints it, without leading zeros.
fn plain_number(text: &str) -> Option<usize> {
    decimal(text).filter(|_| !text.starts_with('0')).and_then(|number| number.try_into().ok())
}

/// Undoes the escapes in a name. `None` if one is wrong.
pub(crate) fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut plain = Vec::with_capacity(name.len());
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: Shape = Shape::Tree { chunk: 7 };

    /// Parses lines, and returns the last one's name, length of digest and length of a leaf, which is 0 for no tree.
    fn parse(shape: Shape, lines: &[&str]) -> Option<(String, usize, u32)> {
        let mut parser = LineParser::new(Algorithm::Blake2b, shape, None);
        let mut entry = None;
        for line in lines {
            entry = parser.parse(line.replace("HEX2", "0aF1").as_bytes());
        }
        let Entry { name, scheme, hash, .. } = entry?;
        assert_eq!(hash.as_bytes(), [0x0a, 0xf1]);
        let chunk = if let Shape::Tree { chunk } = scheme.shape { chunk } else { 0 };
        Some((name.into_string().unwrap(), scheme.size, chunk))
    }

    #[test]
    fn lines_of_trees() {
        for (line, name, chunk) in [
            ("BLAKE2b-TREE-16-5M (a b) = HEX2", "a b", 5 << 20),
            ("BLAKE2b-TREE-16-4095 (a) = HEX2", "a", 4095),
            ("BLAKE2b-TREE-16-2g (a)) = (b) = HEX2", "a)) = (b", 2 << 30),
            ("BLAKE2b-2 (a) = HEX2", "a", 7),
            ("BLAKE2b-2 = HEX2", "-", 7),
            (" \tBLAKE2b-2 ( (=) ) = HEX2", " (=) ", 7),
            (r"\BLAKE2b-2 (a\\\nb\r) = HEX2", "a\\\nb\r", 7),
            (r"BLAKE2b-2 (a\n) = HEX2", r"a\n", 7),
        ] {
            assert_eq!(parse(TREE, &[line]), Some((name.into(), 2, chunk)), "{line}");
            // The mode is for lines that do not say what they are. The length of a leaf is then the usual one.
            let chunk = if chunk == 7 { CHUNK } else { chunk };
            assert_eq!(parse(Shape::Sequential, &[line]), Some((name.into(), 2, chunk)), "{line}");
        }
        for (line, name) in [("HEX2  a", "a"), ("HEX2 *a", "a"), ("HEX2   a", " a"), ("HEX2 a", "a")] {
            assert_eq!(parse(TREE, &[line]), Some((name.into(), 2, 7)), "{line}");
        }
    }

    #[test]
    fn lines_that_lack_the_length_of_a_leaf() {
        for (line, lacks) in [
            ("BLAKE2b-2 (a) = 0af1", true),
            ("BLAKE2b-2 = 0af1", true),
            ("0af1  a", true),
            (r"\BLAKE2b-2 (-TREE-\n) = 0af1", true),
            ("BLAKE2b-TREE-16-7 (a) = 0af1", false),
            (r"\BLAKE2b-TREE-16-7 (\n) = 0af1", false),
            ("BLAKE2b-16 (a) = 0af1", false),
            ("BLAKE3-16 (a) = 0af1", false),
        ] {
            let entry = LineParser::new(Algorithm::Blake2b, TREE, None).parse(line.as_bytes()).unwrap();
            assert_eq!(entry.lacks_chunk, lacks, "{line}");
        }
    }

    #[test]
    fn lines_of_b2sum() {
        for (line, name) in [
            ("BLAKE2b-16 (a) = HEX2", "a"),
            ("BLAKE2b-16(a)= HEX2", "a"),
            ("BLAKE2b-16 (a b)=HEX2", "a b"),
            ("HEX2  a", "a"),
            ("HEX2 *a", "a"),
            (r"\HEX2  a\\b", r"a\b"),
        ] {
            assert_eq!(parse(Shape::Sequential, &[line]), Some((name.into(), 2, 0)), "{line}");
            let chunk = if line.contains('=') { 0 } else { 7 };
            assert_eq!(parse(TREE, &[line]), Some((name.into(), 2, chunk)), "{line}");
        }
    }

    #[test]
    fn improper_lines() {
        let lines = [
            "",
            " ",
            "HEX2",
            "HEX2 ",
            "HEX2  ",
            "HEX20  a",
            "xHEX2  a",
            "HEX2x  a",
            "a",
            "BLAKE2b",
            "BLAKE2b-",
            "(",
            "=",
            "BLAKE2b (",
            "BLAKE2b (a) = HEX2",
            "BLAKE2b (a) HEX2",
            "SHA256 (a) = HEX2",
            "MD5 (a) = HEX2",
            r"\HEX2  a\b",
            r"\HEX2  a\",
            "BLAKE2sp-2 (a) = HEX2",
            "BLAKE2bp-TREE-16-5M (a) = HEX2",
            "BLAKE2bp-16 = HEX2",
            "BLAKE2b-2 () = HEX2",
            "BLAKE2b-2 (a) = HEX2x",
            "BLAKE2b-2 (a) = ",
            "BLAKE2b-2  (a) = HEX2",
            "BLAKE2b--2 (a) = HEX2",
            "BLAKE2b-0 (a) = ",
            "HEX2  a\0",
            "\rHEX2  a",
            "BLAKE2b-2 (a)\r= HEX2",
            "BLAKE2b-2 (a) = \x0cHEX2",
            "blake2b-2 (a) = HEX2",
            "BLAKE2b-16 = HEX2",
            "BLAKE2b-8 (a) = HEX2",
            "BLAKE2b-TREE-16 (a) = HEX2",
            "BLAKE2b-TREE-2-5M (a) = HEX2",
            "BLAKE2b-TREE-17-5M (a) = HEX2",
            "BLAKE2b-TREE-16-0 (a) = HEX2",
            "BLAKE2b-TREE-16-4G (a) = HEX2",
            "BLAKE2b-TREE-16-5X (a) = HEX2",
            "BLAKE2b-TREE-16-7 = HEX2",
            "BLAKE2b-TREE-24-5M (a) = HEX2",
        ];
        for shape in [TREE, Shape::Sequential] {
            for line in lines {
                assert_eq!(parse(shape, &[line]), None, "{line:?}");
            }
        }
    }

    #[test]
    fn digests_of_full_length_and_no_longer() {
        for (bytes, good) in [(1, true), (63, true), (64, true), (65, false)] {
            let line = format!("{}  a", "0f".repeat(bytes));
            let entry = LineParser::new(Algorithm::Blake2b, TREE, None).parse(line.as_bytes());
            assert_eq!(entry.map(|entry| entry.hash.as_bytes().len()), good.then_some(bytes));
        }
    }

    #[test]
    fn one_space_or_two() {
        assert_eq!(parse(TREE, &["HEX2  a", "HEX2 b"]), None);
        assert_eq!(parse(TREE, &["HEX2 a", "HEX2  b"]), Some((" b".into(), 2, 7)));
        assert_eq!(parse(TREE, &["HEX2 a", "HEX2 *b"]), Some(("*b".into(), 2, 7)));
        // A line without a proper digest or without a name decides nothing.
        for nothing in ["HEX2a a", "HEX2 ", "HEX2  ", "HEX2 *"] {
            assert_eq!(parse(TREE, &[nothing, "HEX2  b"]), Some(("b".into(), 2, 7)), "{nothing}");
        }
        let long = format!("{} a", "0a".repeat(65));
        assert_eq!(parse(TREE, &[&long, "HEX2  b"]), Some(("b".into(), 2, 7)));
    }

    /// A line that names a hash is of that one, whatever the parser is for. A line that names none is of the parser's.
    #[test]
    fn lines_of_several_hashes() {
        use Algorithm::{Blake2b, Blake2bp, Blake2s, Blake2sp, Blake3, Sha224, Sha256, Sha384, Sha512};

        for (&algorithm, shape) in Algorithm::value_variants().iter().flat_map(|a| [(a, TREE), (a, Shape::Sequential)])
        {
            let parse = |line: &str| {
                let entry = LineParser::new(algorithm, shape, Some(7)).parse(line.as_bytes());
                entry.map(|entry| (entry.scheme.algorithm, entry.scheme.shape.is_tree()))
            };
            for (named, label, size, is_tree) in [
                (Blake2b, "BLAKE2b-16", 2, false),
                (Blake2b, "BLAKE2b-2", 2, true),
                (Blake2b, "BLAKE2b", 64, false),
                (Blake2b, "BLAKE2b-512", 64, false),
                (Blake2b, "BLAKE2b-64", 64, true),
                (Blake2b, "BLAKE2b-64", 8, false),
                (Blake2s, "BLAKE2s-2", 2, true),
                (Blake2s, "BLAKE2s-TREE-16-7", 2, true),
                (Blake2s, "BLAKE2s", 32, false),
                (Blake2bp, "BLAKE2bp-16", 2, false),
                (Blake2bp, "BLAKE2bp", 64, false),
                (Blake2sp, "BLAKE2sp", 32, false),
                (Sha256, "SHA256", 32, false),
                (Sha224, "SHA224", 28, false),
                (Sha512, "SHA512", 64, false),
                (Sha384, "SHA384", 48, false),
                (Blake3, "BLAKE3", 32, false),
                (Blake3, "BLAKE3-16", 2, false),
            ] {
                let line = format!("{label} (a) = {}", "0a".repeat(size));
                assert_eq!(parse(&line), Some((named, is_tree)), "{line} {algorithm:?}");
            }
            for label in ["BLAKE2", "BLAKE2x", "SHA1", "SHA-256", "BLAKE3-2", "BLAKE2bp-2", "MD5"] {
                assert_eq!(parse(&format!("{label} (a) = 0af1")), None, "{label}");
            }
        }
        let long = format!("{}  a", "0a".repeat(33));
        assert!(LineParser::new(Blake2s, TREE, None).parse(long.as_bytes()).is_none());
        assert!(LineParser::new(Blake2b, TREE, None).parse(long.as_bytes()).is_some());
    }

    /// The only length of digests stands in no line, and no other is proper.
    #[test]
    fn lines_of_sha2() {
        for (algorithm, name, size) in [
            (Algorithm::Sha256, "SHA256", 32),
            (Algorithm::Sha224, "SHA224", 28),
            (Algorithm::Sha512, "SHA512", 64),
            (Algorithm::Sha384, "SHA384", 48),
        ] {
            let hex = "0a".repeat(size);
            let bits = 8 * size;
            let parse = |line: &str| LineParser::new(algorithm, Shape::Sequential, None).parse(line.as_bytes());
            for line in [
                format!("{name} (a) = {hex}"),
                format!("{name}(a)= {hex}"),
                format!("{hex}  a"),
                format!("{hex} *a"),
                format!("{hex} a"),
            ] {
                let scheme = Scheme { algorithm, size, shape: Shape::Sequential };
                let tagged = line.starts_with(name);
                let entry = Entry { name: "a".into(), scheme, hash: hex.parse().unwrap(), tagged, lacks_chunk: false };
                assert_eq!(parse(&line), Some(entry), "{line}");
            }
            for line in [
                format!("{name}-{bits} (a) = {hex}"),
                format!("{name}-{size} (a) = {hex}"),
                format!("{name}-TREE-{bits}-5M (a) = {hex}"),
                format!("{name}/{bits} (a) = {hex}"),
                format!("{name} (a) = {hex}0a"),
                format!("{name} (a) = {}", &hex[2..]),
                format!("{name}  (a) = {hex}"),
                format!("{name} = {hex}"),
                format!("{hex}0a  a"),
                format!("{}  a", &hex[2..]),
                format!("SHA-{bits} (a) = {hex}"),
            ] {
                assert_eq!(parse(&line), None, "{line}");
            }
        }
    }

    /// BLAKE3 is no tree of leaves, whatever the mode; 256 bits need no number, and other lengths have one.
    #[test]
    fn lines_of_blake3() {
        let sizes = [(1, "-8"), (32, ""), (32, "-256"), (33, "-264"), (64, "-512"), (1 << 20, "-8388608")];
        for (size, label) in sizes {
            let hex = "0a".repeat(size);
            let scheme = Scheme { algorithm: Algorithm::Blake3, size, shape: Shape::Sequential };
            let entry = |tagged| {
                Some(Entry { name: "a".into(), scheme, hash: hex.parse().unwrap(), tagged, lacks_chunk: false })
            };
            let line = format!("BLAKE3{label} (a) = {hex}");
            let alone = LineParser::new(Algorithm::Blake3, Shape::Sequential, None);
            let by_name = [TREE, Shape::Sequential].map(|shape| LineParser::new(Algorithm::Blake2b, shape, None));
            for parser in by_name.iter().chain([&alone]) {
                assert_eq!(parser.clone().parse(line.as_bytes()), entry(true), "{label}");
            }
            assert_eq!(alone.clone().parse(format!("{hex}  a").as_bytes()), entry(false), "{label}");
            for wrong in ["-TREE-256-5M", "-7", "-255", "-0", "-", "--8"] {
                let line = format!("BLAKE3{wrong} (a) = {hex}");
                for parser in by_name.iter().chain([&alone]) {
                    assert_eq!(parser.clone().parse(line.as_bytes()), None, "{wrong}");
                }
            }
        }
    }

    #[test]
    fn the_only_size() {
        let parse = |size| LineParser::new(Algorithm::Blake2b, TREE, Some(size)).parse(b"0af1  a").is_some();
        assert_eq!([1, 2, 3, 64].map(parse), [false, true, false, false]);
    }

    /// The parser accepts or refuses any bytes, without a panic.
    #[test]
    fn mutated_lines() {
        let seeds = [
            r"\BLAKE2b-TREE-16-5M (a\\) = 0af1",
            "BLAKE2b-2 (a) = 0af1",
            "0af1 *a",
            "BLAKE2b-2 = 0af1",
            "SHA256 (a) = 0af1",
            "BLAKE3-16 (a) = 0af1",
        ];
        for seed in seeds {
            for i in 0..=seed.len() {
                for byte in 0..=255 {
                    let (mut changed, mut longer) = (seed.as_bytes().to_vec(), seed.as_bytes().to_vec());
                    longer.insert(i, byte);
                    let _ = LineParser::new(Algorithm::Blake2b, TREE, None).parse(&longer);
                    if let Some(place) = changed.get_mut(i) {
                        *place = byte;
                    }
                    for shape in [TREE, Shape::Sequential] {
                        let _ = crate::foreign::foreign(&changed);
                        let _ = LineParser::new(Algorithm::Blake2b, shape, None).parse(&changed);
                        let _ =
                            LineParser::new(Algorithm::Blake2b, shape, None).parse(&changed[..i.min(changed.len())]);
                    }
                }
            }
        }
    }
}

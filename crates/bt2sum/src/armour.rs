//! Tells the lines of a check file that list files from those that list none on purpose: empty lines, comments, and the
//! armour of a signature by PGP.
//!
//! ```text
//!   -----BEGIN PGP SIGNED MESSAGE-----
//!   Hash: SHA256                            headers, to the first empty line
//!
//!   BLAKE2b-64 (a) = …                      the text, in which a line may begin with `- `, which is not part of it
//!   -----BEGIN PGP SIGNATURE-----
//!   …
//!   -----END PGP SIGNATURE-----
//! ```
//!
//! One damaged bit must not turn a line that lists a file into one that lists none. So a comment is `#` alone or begins
//! with `# `, which two digits become by two bits at least, and armour counts only as a whole.

const MESSAGE: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";

/// The contents of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents<'l> {
    /// Nothing, on purpose.
    Nothing,
    /// A file, or else a failure.
    File(&'l [u8]),
    /// The armour lacks a part, for this reason.
    Broken(&'static str),
}

/// Which lines list no file on purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Armour {
    /// Empty ones and those that begin with `#`, as with coreutils.
    Coreutils,
    /// Empty ones, comments, and armour.
    Pgp(Place),
}

/// The place of the next line, and the number of the line that began what is not finished there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Outside,
    Headers(usize),
    Text(usize),
    Signature(usize),
}

impl Armour {
    /// The rule of a check file.
    pub(crate) fn new(as_coreutils: bool) -> Self {
        if as_coreutils { Self::Coreutils } else { Self::Pgp(Place::Outside) }
    }

    /// The contents of the next line, which comes without its line end and has this number.
    pub(crate) fn read<'l>(&mut self, line: &'l [u8], number: usize) -> Contents<'l> {
        let Self::Pgp(place) = self else {
            return if line.is_empty() || line.starts_with(b"#") { Contents::Nothing } else { Contents::File(line) };
        };
        match *place {
            Place::Headers(_) if line.starts_with(b"Hash:") => Contents::Nothing,
            Place::Headers(begun) => {
                *place = Place::Text(begun);
                if line.is_empty() {
                    return Contents::Nothing;
                }
                Contents::Broken("no empty line ends the headers of the PGP message")
            }
            // Neither may the end of one signature be that of the next, nor hide what is between them.
            Place::Signature(_) if line.starts_with(b"-----") => {
                *place = if line == MESSAGE { Place::Headers(number) } else { Place::Outside };
                if line == END { Contents::Nothing } else { Contents::Broken("no end of the PGP signature before") }
            }
            Place::Signature(_) => Contents::Nothing,
            Place::Text(_) if line == SIGNATURE => {
                *place = Place::Signature(number);
                Contents::Nothing
            }
            Place::Text(_) => listed(line.strip_prefix(b"- ").unwrap_or(line)),
            Place::Outside if line == MESSAGE => {
                *place = Place::Headers(number);
                Contents::Nothing
            }
            Place::Outside => listed(line),
        }
    }

    /// The armour that is not finished at the end of the check file: the number of the line that began it, and the
    /// reason.
    pub(crate) fn end(&mut self) -> Option<(usize, &'static str)> {
        let Self::Pgp(place) = self else { return None };
        match core::mem::replace(place, Place::Outside) {
            Place::Outside => None,
            Place::Headers(begun) | Place::Text(begun) => Some((begun, "the PGP message has no signature")),
            Place::Signature(begun) => Some((begun, "the PGP signature has no end")),
        }
    }
}

fn listed(line: &[u8]) -> Contents<'_> {
    match line {
        b"" | b"#" | [b'#', b' ', ..] => Contents::Nothing,
        _ => Contents::File(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter for each line: `.` for nothing, `f` for a file, `!` for broken armour; and the number of a line that
    /// began what has no end.
    fn read(as_coreutils: bool, lines: &str) -> (String, Option<usize>) {
        let mut armour = Armour::new(as_coreutils);
        let kind = |(i, line): (usize, &str)| match armour.read(line.as_bytes(), i + 1) {
            Contents::Nothing => '.',
            Contents::File(_) => 'f',
            Contents::Broken(_) => '!',
        };
        let kinds = lines.split('\n').enumerate().map(kind).collect();
        (kinds, armour.end().map(|(number, _)| number))
    }

    const WHOLE: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\nHash: SHA512\n\na\n- b\n\n# c\n\
        -----BEGIN PGP SIGNATURE-----\nVersion: 1\n\nAbCd\n#\n=abcd\n-----END PGP SIGNATURE-----";

    #[test]
    fn comments() {
        for (line, own, of_coreutils) in [
            ("", ".", "."),
            ("#", ".", "."),
            ("# ", ".", "."),
            ("# a", ".", "."),
            ("##", "f", "."),
            ("#a", "f", "."),
            ("#\ta", "f", "."),
            (" # a", "f", "f"),
            (" ", "f", "f"),
            ("a #", "f", "f"),
            ("- # a", "f", "f"),
        ] {
            assert_eq!(read(false, line), (own.to_owned(), None), "{line:?}");
            assert_eq!(read(true, line), (of_coreutils.to_owned(), None), "{line:?}");
        }
    }

    #[test]
    fn armour_counts_as_a_whole() {
        let whole = "....ff.........";
        assert_eq!(read(false, WHOLE), (whole.to_owned(), None));
        assert_eq!(read(false, &format!("x\n{WHOLE}\n{WHOLE}\n\nx")), (format!("f{whole}{whole}.f"), None));
        assert_eq!(read(true, WHOLE), ("fff.ff..ff.f.ff".to_owned(), None));
        // Without a line, each other line that lists a file still does, and there is a failure.
        let lines: Vec<&str> = WHOLE.split('\n').collect();
        for (missing, kinds, end) in [
            (0, "ff.ff..ff.f.ff", None),
            (3, "...!f.........", None),
            (8, "....ff..f.f.ff", Some(1)),
            (14, "....ff........", Some(9)),
        ] {
            let mut left = lines.clone();
            left.remove(missing);
            assert_eq!(read(false, &left.join("\n")), (kinds.to_owned(), end), "{missing}");
        }
        for length in 1..lines.len() {
            let (_, end) = read(false, &lines[..length].join("\n"));
            assert_eq!(end, Some(if length > 8 { 9 } else { 1 }), "{length}");
        }
    }

    /// The end of a second message does not end the first one, whose signature would hide what is between them.
    #[test]
    fn a_signature_without_an_end_hides_nothing() {
        let cut = WHOLE.strip_suffix("\n-----END PGP SIGNATURE-----").unwrap();
        for between in ["", "x\n", "-----END PGP SIGNATURF-----\nx\n"] {
            let (kinds, end) = read(false, &format!("{cut}\n{between}{WHOLE}"));
            assert!(kinds.contains('!') && end.is_none(), "{kinds} {end:?}");
            assert!(kinds.ends_with("ff........."), "{kinds}");
        }
    }

    /// A line of the text is read without its mark, and only with one is it no armour.
    #[test]
    fn marked_lines() {
        let mut armour = Armour::new(false);
        for (line, contents) in [
            (MESSAGE, Contents::Nothing),
            (b"", Contents::Nothing),
            (b"- -----BEGIN PGP SIGNATURE-----", Contents::File(SIGNATURE)),
            (b"- # a", Contents::Nothing),
            (b"- - a", Contents::File(b"- a")),
            (b"-a", Contents::File(b"-a")),
            (MESSAGE, Contents::File(MESSAGE)),
            (SIGNATURE, Contents::Nothing),
            (END, Contents::Nothing),
            (END, Contents::File(END)),
        ] {
            assert_eq!(armour.read(line, 1), contents);
        }
    }
}

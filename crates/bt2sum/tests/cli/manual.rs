//! The manual page.

use std::process::Command;

use crate::{Directory, Outcome, bt2sum, outcome};

fn page() -> String {
    let Outcome { code, stdout, stderr } = outcome(&mut Directory::new().bt2sum(["--man"]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    stdout
}

/// The text between two headings.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let begin = page.find(&format!(".SH {title}\n")).or_else(|| page.find(&format!(".SH \"{title}\"\n")));
    let (_, text) = page[begin.expect(title)..].split_once('\n').unwrap();
    text.split_once("\n.SH ").map_or(text, |(text, _)| text)
}

#[test]
fn what_a_reader_looks_for() {
    let page = page();
    let title = page.lines().find(|line| line.starts_with(".TH ")).unwrap();
    assert_eq!(
        title,
        format!(".TH bt2sum 1 \" \" \"bt2sum {}\" \"User Commands\"", env!("CARGO_PKG_VERSION")),
        "name, section, date, source, manual"
    );
    assert!(page.starts_with(".ie ") || page.starts_with(".TH "));
    for (title, parts) in [
        ("NAME", &["bt2sum \\- "][..]),
        ("SYNOPSIS", &["\\fBbt2sum\\fR check", "\\fBbt2sum\\fR audit \\-\\-store STORE"]),
        ("COMMANDS", &["\\fBbt2sum \\-\\-audit\\fR", "\\fB\\-\\-accept\\fR", "\\fB\\-\\-no\\-progress\\fR"]),
        ("DESCRIPTION", &["par2"]),
        ("OPTIONS", &["\\-\\-recursive", ".SS \"Check lists\"", "\\-\\-man"]),
        ("TREES", &["node offset", "\\-\\-compat\\-empty"]),
        ("FORMATS", &["BLAKE2b\\-TREE\\-512\\-5M (name) = hex", "SHA512 (name) = hex", "BLAKE3\\-512 (name) = hex"]),
        ("CHECK LISTS", &["FAILED open or read", "\\-\\-\\-\\-\\-BEGIN PGP SIGNED MESSAGE"]),
        (
            "CATALOGUES",
            &["unchanged", "changed", "rotted", "new", "missing", "moved", "unreadable", "\\-\\-exclude GLOB"],
        ),
        ("JSON", &["ranges", "name_hex"]),
        ("MAPPED FILES", &["SIGBUS"]),
        ("FILES", &[".bt2sum\\-*.tmp", "bt2leaf"]),
        ("SIGNALS", &["nohup", "SIGKILL"]),
        ("EXIT STATUS", &["\\fB0\\fR", "\\fB1\\fR", "\\fB2\\fR", "\\fB3\\fR"]),
        ("EXAMPLES", &["bt2sum audit \\-\\-store"]),
        ("SEE ALSO", &["b2sum(1)"]),
    ] {
        let text = section(&page, title);
        assert!(parts.iter().all(|part| text.contains(part)), "{title}: {text}");
    }
    // The helps of all commands name only options of the page.
    let options = section(&page, "OPTIONS");
    let verbs = ["sum", "check", "record", "audit", "update", "sample", "list", "repair"];
    let helps = verbs.iter().map(|verb| outcome(bt2sum().args([*verb, "--help"])).stdout);
    let helps: String = helps.chain([outcome(bt2sum().arg("--help")).stdout]).collect();
    let names = helps.split([' ', ',', '\n', '=']).filter(|word| word.starts_with("--") && word.len() > 2);
    let mut names: Vec<&str> = names.map(|name| name.trim_end_matches([';', ':'])).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 40 && names.contains(&"--man"), "{names:?}");
    for name in names {
        assert!(options.contains(&format!("\\fB{}\\fR", name.replace('-', "\\-"))), "{name}");
    }
}

/// Each line is text or one of the macros that are meant, and no line that stays as it is is too long for 80 columns.
#[test]
fn the_page_is_well_formed() {
    const MACROS: [&str; 13] =
        [".TH", ".SH", ".SS", ".TP", ".IP", ".PP", ".RS", ".RE", ".nf", ".fi", ".br", ".ie", ".el"];
    let printed = |line: &str| line.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\");
    let page = page();
    assert!(page.is_ascii());
    let mut filled = true;
    let mut indented = 0;
    for line in page.lines() {
        let word = line.split(' ').next().unwrap();
        assert!(!line.starts_with(['.', '\'']) || MACROS.contains(&word), "{line}");
        assert!(filled || line == ".fi" || !MACROS.contains(&word), "{line}");
        match word {
            ".nf" => filled = false,
            ".fi" => filled = true,
            ".RS" => indented += 1,
            ".RE" => indented -= 1,
            // A section and the code in it are moved right by 7 and 4 columns.
            _ => assert!(filled || printed(line).len() <= 80 - 11, "{line}"),
        }
    }
    assert!(filled && indented == 0);
    // Bold text ends, and no mark of Markdown is left in what was Markdown.
    assert_eq!(page.matches("\\fB").count() + page.matches("\\fI").count(), page.matches("\\fR").count());
    let (_, reference) = page.split_once(".SH \"ARGUMENTS\"").unwrap();
    for mark in ["`", "](", "\n#", "\n|", "\n- "] {
        assert!(!reference.contains(mark), "{mark}");
    }
}

/// The page needs no file, no input and no home.
#[test]
fn the_page_needs_nothing() {
    let mut bare = Command::new(env!("CARGO_BIN_EXE_bt2sum"));
    let run = outcome(bare.env_clear().current_dir("/").arg("--man").stdin(std::process::Stdio::null()));
    assert_eq!((run.code, run.stdout == page(), run.stderr.as_str()), (Some(0), true, ""));
}

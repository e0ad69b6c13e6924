//! The manual page: the options as the command has them, and the prose of `MANUAL.md`.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

use crate::verbs;

/// The reference, in the part of Markdown that [`roff`] knows.
const MANUAL: &str = include_str!("../MANUAL.md");

/// The last way to call the program.
const AS: &str = "bt2sum --as {sha224sum | sha256sum | sha384sum | sha512sum | b2sum | b3sum} [OPTION]... [FILE]...";

/// Writes the manual page.
pub(crate) fn write(command: Command, out: &mut impl Write) -> io::Result<()> {
    let sections = MANUAL.find("\n## ").map_or(MANUAL, |begin| &MANUAL[begin + 1..]);
    let (description, reference) = split_section(sections);
    let options = options(&command)?;
    // A page of each version has no date of its own. Without one, the version would stand in its place.
    let man = Man::new(command.override_usage(verbs::synopsis() + AS)).date(" ").manual("User Commands");
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    let (commands, reference) = split_section(reference);
    out.write_all(roff(description).as_bytes())?;
    out.write_all(roff(commands).as_bytes())?;
    out.write_all(roff(&verbs::reference()).as_bytes())?;
    out.write_all(options.as_bytes())?;
    out.write_all(roff(reference).as_bytes())
}

/// The first section, and the others.
fn split_section(text: &str) -> (&str, &str) {
    text.find("\n## ").map_or((text, ""), |end| text.split_at(end + 1))
}

/// The section of the options. Their headings, which clap makes sections, are parts of it.
fn options(command: &Command) -> io::Result<String> {
    let mut section = Vec::new();
    Man::new(command.clone()).render_options_section(&mut section)?;
    let section = String::from_utf8(section).map_err(io::Error::other)?;
    let headings: Vec<&str> = command.get_arguments().filter_map(|argument| argument.get_help_heading()).collect();
    let part = |line: &str| {
        let title = line.strip_prefix(".SH ").filter(|title| *title != "OPTIONS")?;
        let title = title.trim_matches('"');
        let heading = headings.iter().find(|heading| heading.eq_ignore_ascii_case(title))?;
        Some(format!(".SS \"{heading}\""))
    };
    Ok(section.lines().map(|line| part(line).unwrap_or_else(|| line.to_owned()) + "\n").collect())
}

/// Turns Markdown into the macros of a manual page: headings, paragraphs, lists of one level, fenced code, tables of
/// two columns, bold text and code. Only the text of a link stays.
fn roff(markdown: &str) -> String {
    let mut out = String::new();
    // The lines of a paragraph are escaped together, since code may go on in the next line.
    let mut paragraph: Vec<&str> = Vec::new();
    let (mut in_code, mut is_apart) = (false, false);
    let mut rows = 0;
    for line in markdown.lines().chain([""]) {
        if in_code {
            in_code = line != "```";
            out += &if in_code { guarded(&escaped(line)) + "\n" } else { ".fi\n.RE\n".to_owned() };
            continue;
        }
        let is_new =
            line.is_empty() || line.starts_with(['#', '|']) || ["- ", "```"].iter().any(|s| line.starts_with(s));
        if is_new && !paragraph.is_empty() {
            out += &guarded(&formatted(&paragraph.join("\n")));
            out.push('\n');
            paragraph.clear();
        }
        if let Some(title) = line.strip_prefix("## ") {
            out += &format!(".SH \"{}\"\n", title.to_uppercase());
        } else if let Some(title) = line.strip_prefix("### ") {
            out += &format!(".SS \"{title}\"\n");
        } else if let Some(item) = line.strip_prefix("- ") {
            out += ".IP \\(bu 2\n";
            paragraph.push(item);
        } else if let Some(row) = line.strip_prefix('|') {
            rows += 1;
            // The first row is the head, and the second a rule.
            if rows > 2
                && let Some((tag, text)) = row.split_once('|')
            {
                let text = text.trim_end_matches('|').trim();
                out += &format!(".TP\n{}\n{}\n", guarded(&formatted(tag.trim())), guarded(&formatted(text)));
            }
        } else if line.starts_with("```") {
            in_code = true;
            out += ".PP\n.RS 4\n.nf\n";
        } else if !line.is_empty() {
            if is_apart && paragraph.is_empty() {
                out += ".PP\n";
            }
            paragraph.push(line.trim_start());
        }
        is_apart = line.is_empty();
        if is_apart {
            rows = 0;
        }
    }
    out
}

/// Bold text and code as roff has them, with all else escaped.
fn formatted(text: &str) -> String {
    let mut out = String::new();
    let (mut is_bold, mut is_code) = (false, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let was = is_bold || is_code;
        let mark = if next == '`' {
            is_code = !is_code;
            1
        } else if !is_code && rest.starts_with("**") {
            is_bold = !is_bold;
            2
        } else if !is_code && let Some((link, after)) = link(rest) {
            out += &formatted(link);
            rest = after;
            continue;
        } else {
            let end = next.len_utf8();
            // A star of one word that stands out.
            if is_code || next != '*' {
                out += &escaped(&rest[..end]);
            }
            rest = &rest[end..];
            continue;
        };
        rest = &rest[mark..];
        match (was, is_bold || is_code) {
            (false, true) => out += "\\fB",
            (true, false) => out += "\\fR",
            _ => {}
        }
    }
    out
}

/// The text of the link that begins here, and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    (!label.contains([']', '\n'])).then_some((label, after))
}

/// The text with the characters that roff would print as others.
fn escaped(text: &str) -> String {
    let escape = |character: char| match character {
        '\\' => "\\e".to_owned(),
        '-' => "\\-".to_owned(),
        '\'' => "\\(aq".to_owned(),
        '`' => "\\(ga".to_owned(),
        '^' => "\\(ha".to_owned(),
        '~' => "\\(ti".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// The lines, none of which is a macro.
fn guarded(text: &str) -> String {
    let guard = |line: &str| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() };
    text.split('\n').map(guard).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let mut page = Vec::new();
        write(verbs::whole().version("1"), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// Every option of the command is on the page, with its short form, and the hidden one for packages. The option by
    /// which a process tells its child about itself is for nobody else.
    #[test]
    fn the_page_names_every_option() {
        let page = page();
        let mut command = verbs::whole();
        command.build();
        for argument in command.get_arguments().filter(|argument| argument.get_id() != "child_of") {
            let escaped = |name: String| name.replace('-', "\\-");
            let names = argument
                .get_long()
                .map(|long| format!("--{long}"))
                .into_iter()
                .chain(argument.get_short().map(|short| format!("-{short}")))
                .map(escaped);
            for name in names {
                let is_there = page.match_indices(&name).any(|(at, _)| {
                    let ends = page[at + name.len()..].starts_with(|next: char| !next.is_alphanumeric() && next != '-');
                    ends && page[..at].ends_with("\\fB")
                });
                assert!(is_there, "{name}");
            }
        }
        assert!(!page.contains("child\\-of"));
    }

    #[test]
    fn markdown_becomes_roff() {
        let cases = [
            ("## A title\n\ntext\ngoes on\n\nmore", ".SH \"A TITLE\"\n.PP\ntext\ngoes on\n.PP\nmore\n"),
            ("### Part", ".SS \"Part\"\n"),
            ("- one\n  goes on\n- **two**", ".IP \\(bu 2\none\ngoes on\n.IP \\(bu 2\n\\fBtwo\\fR\n"),
            ("| a | b |\n|---|---|\n| `-c` | d |", ".TP\n\\fB\\-c\\fR\nd\n"),
            ("```sh\n.a \\\n```", ".PP\n.RS 4\n.nf\n\\&.a \\e\n.fi\n.RE\n"),
            ("a **`-b` c** `**` *d* [e](f), '", "a \\fB\\-b c\\fR \\fB**\\fR d e, \\(aq\n"),
            (".a\n.b", "\\&.a\n\\&.b\n"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(roff(markdown), expected, "{markdown}");
        }
    }
}

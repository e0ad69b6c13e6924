//! All combinations, compared with a table.

use super::*;
use crate::scheme::digest;

const THEN: Time = Time { seconds: 1_000, nanoseconds: 5 };

/// The rows: what is recorded, its youth, what is found, its length, time and contents beside the record, what others
/// say; then the verdict and what is kept. `*` is anything, `-` what there is not.
///
/// Others say of a file with a record: `swap` if its contents are those of a record whose name lost them, and its own
/// are elsewhere. Others say of a file without a record: `exact` if a name lost its contents of its time, `loose` of
/// another time, `peer` if it has the length and time of one record that is gone, `inode` if it has its inode number
/// too. A directory and something else under one name do not meet here.
const TABLE: &str = "
    nothing -     nothing    -     -     -     *    nothing    nothing
    nothing -     unreadable -     -     -     *    unreadable nothing
    nothing -     link       -     -     *     *    new        found
    nothing -     directory  -     -     -     *    new        found
    nothing -     unread     *     *     -     *    new        nothing
    nothing -     read       *     *     *     none new        found
    nothing -     read       *     *     *     swap new        found
    nothing -     read       *     *     *     exact moved     found
    nothing -     read       *     *     *     loose moved     found
    nothing -     read       *     *     *     peer moved-rotted of
    nothing -     read       *     *     *     exact+peer moved found
    nothing -     read       *     *     *     peer+loose moved-rotted of
    nothing -     read       *     *     *     inode moved-rotted of
    nothing -     read       *     *     *     exact+inode moved found
    nothing -     read       *     *     *     inode+loose moved-rotted of
    directory -   nothing    -     -     -     *    missing    nothing
    directory -   unreadable -     -     -     *    unreadable old
    directory -   directory  -     -     -     *    unchanged  found
    link    -     nothing    -     -     -     *    missing    nothing
    link    -     unreadable -     -     -     *    unreadable old
    link    -     link       -     -     same  *    unchanged  found
    link    -     link       -     -     other *    changed    found
    link    -     unread     *     *     -     *    changed    old
    link    -     read       *     *     *     *    changed    found
    file    *     nothing    -     -     -     *    missing    nothing
    file    *     unreadable -     -     -     *    unreadable old
    file    *     link       -     -     *     *    changed    found
    file    *     unread     same  same  -     *    unchanged  old
    file    young unread     other same  -     *    changed    old
    file    old   unread     other same  -     *    rotted     old
    file    *     unread     *     other -     *    changed    old
    file    *     read       same  *     same  *    unchanged  found
    file    *     read       *     other other *    changed    found
    file    *     read       other other same  *    changed    found
    file    young read       *     same  other *    changed    found
    file    young read       other same  same  *    changed    found
    file    old   read       *     same  other none rotted old
    file    old   read       other same  same  none rotted old
    file    old   read       *     same  other exact rotted old
    file    old   read       other same  same  exact rotted old
    file    old   read       *     same  other loose rotted old
    file    old   read       other same  same  loose rotted old
    file    old   read       *     same  other peer rotted old
    file    old   read       other same  same  peer rotted old
    file    old   read       *     same  other exact+peer rotted old
    file    old   read       other same  same  exact+peer rotted old
    file    old   read       *     same  other peer+loose rotted old
    file    old   read       other same  same  peer+loose rotted old
    file    old   read       *     same  other inode rotted    old
    file    old   read       other same  same  inode rotted    old
    file    old   read       *     same  other exact+inode rotted old
    file    old   read       other same  same  exact+inode rotted old
    file    old   read       *     same  other inode+loose rotted old
    file    old   read       other same  same  inode+loose rotted old
    file    old   read       *     same  other swap moved      found
    file    old   read       other same  same  swap moved      found
";

const OTHERS: [&str; 10] =
    ["none", "swap", "exact", "loose", "peer", "exact+peer", "peer+loose", "inode", "exact+inode", "inode+loose"];

/// Answers that are given, whatever is asked.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    of_now: Twins,
    of_was: Twins,
    renamed: Option<Id>,
    copied: Option<Id>,
    peers: Peers,
    same_inode: Option<Id>,
}

/// Tells the records apart by when they were checked.
const NOW: u64 = 2;

impl Others for Given {
    fn twins(&self, record: &Record, _: Stamp) -> Option<Twins> {
        Some(if record.checked == NOW { self.of_now } else { self.of_was })
    }

    fn renamed(&self, _: &Record) -> Option<Option<Id>> {
        Some(self.renamed)
    }

    fn copied(&self, _: &Record) -> Option<Option<Id>> {
        Some(self.copied)
    }

    fn peers(&self, _: &Record) -> Option<Peers> {
        Some(self.peers)
    }

    fn same_inode(&self, _: &Record) -> Option<Option<Id>> {
        Some(self.same_inode)
    }
}

/// Knows nothing yet.
struct Later;

impl Others for Later {
    fn twins(&self, _: &Record, _: Stamp) -> Option<Twins> {
        None
    }

    fn renamed(&self, _: &Record) -> Option<Option<Id>> {
        None
    }

    fn copied(&self, _: &Record) -> Option<Option<Id>> {
        None
    }

    fn peers(&self, _: &Record) -> Option<Peers> {
        None
    }

    fn same_inode(&self, _: &Record) -> Option<Option<Id>> {
        None
    }
}

fn record(length: u64, modified: Time, byte: u8, young: bool, checked: u64) -> Record {
    Record { length, modified, digest: digest([byte; 20]), checked, young, meta: Meta::default() }
}

/// Two files that exchanged names, seen from one of them.
fn swap() -> Given {
    Given {
        of_now: Twins { displaced: 1, misplaced: 1, free: Some(7), ..Twins::default() },
        of_was: Twins { displaced: 1, misplaced: 1, ..Twins::default() },
        ..Given::default()
    }
}

/// The only file of a length and time, whose record is gone.
fn peer() -> Peers {
    Peers { records: 1, files: 1, gone: Some(7), is_young: false }
}

fn given(others: &str) -> Given {
    let none = Given { of_was: Twins { displaced: 1, ..Twins::default() }, ..Given::default() };
    if others == "swap" {
        return swap();
    }
    let says = |word| others.split('+').any(|other| other == word);
    Given {
        renamed: says("exact").then_some(7),
        copied: says("loose").then_some(7),
        peers: if says("peer") { peer() } else { Peers::default() },
        same_inode: says("inode").then_some(7),
        ..none
    }
}

fn named((verdict, keep): (Verdict, Keep)) -> [&'static str; 2] {
    let verdict = match verdict {
        Verdict::Unchanged => "unchanged",
        Verdict::Changed => "changed",
        Verdict::Rotted => "rotted",
        Verdict::New => "new",
        Verdict::Missing => "missing",
        Verdict::Moved(7) => "moved",
        Verdict::MovedRotted(7) => "moved-rotted",
        Verdict::Unreadable => "unreadable",
        Verdict::Nothing => "nothing",
        Verdict::Moved(_) | Verdict::MovedRotted(_) => "another record",
    };
    let keep = match keep {
        Keep::Nothing => "nothing",
        Keep::Old => "old",
        Keep::Found => "found",
        Keep::Of(7) => "of",
        Keep::Of(_) => "another record",
    };
    [verdict, keep]
}

/// The only row of the table that has this combination.
fn expected(combination: &[&str; 7]) -> [&'static str; 2] {
    let rows = TABLE.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|row| !row.is_empty());
    let has = |row: &Vec<&str>| row.iter().zip(combination).all(|(cell, word)| *cell == "*" || cell == word);
    let found: Vec<_> = rows.filter(has).collect();
    assert_eq!(found.len(), 1, "{combination:?}: {found:?}");
    [found[0][7], found[0][8]]
}

#[test]
fn every_combination() {
    let mut count = 0;
    let words = |is_there: bool, words: &'static [&'static str]| if is_there { words } else { &["-"][..] };
    for recorded in ["nothing", "link", "directory", "file"] {
        for &youth in words(recorded == "file", &["young", "old"]) {
            for found in ["nothing", "unreadable", "link", "directory", "unread", "read"] {
                let is_file = matches!(found, "unread" | "read");
                let is_there = recorded != "nothing" && !matches!(found, "nothing" | "unreadable");
                if is_there && (recorded == "directory") != (found == "directory") {
                    continue;
                }
                for &length in words(is_file, &["same", "other"]) {
                    for &time in words(is_file, &["same", "other"]) {
                        for &contents in words(matches!(found, "link" | "read"), &["same", "other"]) {
                            for others in OTHERS {
                                let was = record(10, THEN, 1, youth == "young", 1);
                                let length_now = if length == "other" { 11 } else { 10 };
                                let later = Time { nanoseconds: THEN.nanoseconds + 1, ..THEN };
                                let modified = if time == "other" { later } else { THEN };
                                let byte = if contents == "other" { 2 } else { 1 };
                                let now = record(length_now, modified, byte, false, NOW);
                                let target = if contents == "other" { &b"other"[..] } else { b"same" };
                                let recorded_as = match recorded {
                                    "nothing" => Recorded::Nothing,
                                    "link" => Recorded::Link(b"same"),
                                    "directory" => Recorded::Directory,
                                    _ => Recorded::File(&was),
                                };
                                let found_as = match found {
                                    "nothing" => Found::Nothing,
                                    "unreadable" => Found::Unreadable,
                                    "link" => Found::Link(target),
                                    "directory" => Found::Directory,
                                    "unread" => Found::Unread(now.stamp()),
                                    _ => Found::Read(&now),
                                };
                                let combination = [recorded, youth, found, length, time, contents, others];
                                let told = verdict(recorded_as, found_as, &given(others)).unwrap();
                                assert_eq!(named(told), expected(&combination), "{combination:?}");
                                // A verdict that is told early is the one that comes when all is known.
                                let early = verdict(recorded_as, found_as, &Later);
                                assert!(early.is_none_or(|early| early == told), "{combination:?}");
                                count += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!(count, OTHERS.len() * ((1 + 1 + 2 + 1 + 4 + 8) + 3 * (1 + 1 + 2 + 4 + 8) + (1 + 1 + 1)));
}

/// Verdicts that wait for other names, and verdicts that do not.
#[test]
fn what_waits() {
    let (was, now) = (record(10, THEN, 1, false, 1), record(10, THEN, 2, false, NOW));
    assert_eq!(verdict(Recorded::File(&was), Found::Read(&now), &Later), None);
    assert_eq!(verdict(Recorded::Nothing, Found::Read(&now), &Later), None);
    assert_eq!(verdict(Recorded::File(&was), Found::Read(&was), &Later), Some((Verdict::Unchanged, Keep::Found)));
}

/// Only one record and one file of a length and time, not young, and not of whole seconds, are one file.
#[test]
fn peers_of_a_new_file() {
    let now = record(10, THEN, 2, false, NOW);
    let told = |now: &Record, peers| {
        let given = Given { peers, ..Given::default() };
        verdict(Recorded::Nothing, Found::Read(now), &given).unwrap().0
    };
    assert_eq!(told(&now, peer()), Verdict::MovedRotted(7));
    for peers in [
        Peers { records: 2, ..peer() },
        Peers { files: 2, ..peer() },
        Peers { gone: None, ..peer() },
        Peers { is_young: true, ..peer() },
    ] {
        assert_eq!(told(&now, peers), Verdict::New, "{peers:?}");
    }
    let whole = Time { nanoseconds: 0, ..THEN };
    assert_eq!(told(&record(10, whole, 2, false, NOW), peer()), Verdict::New);
    // Nothing tells empty files apart.
    let given = Given { renamed: Some(7), copied: Some(7), peers: peer(), ..Given::default() };
    assert_eq!(
        verdict(Recorded::Nothing, Found::Read(&record(0, THEN, 2, false, NOW)), &given),
        Some((Verdict::New, Keep::Found))
    );
}

/// A file that is born after the last change of a recorded one has its inode number by chance.
#[test]
fn files_with_one_inode() {
    let whole = Time { nanoseconds: 0, ..THEN };
    for (born, modified, is_it) in [
        (Some(4), whole, true),
        (Some(5), THEN, true),
        (Some(6), whole, false),
        (Some(6), THEN, false),
        (None, whole, false),
        (None, THEN, true),
    ] {
        let [was, now] = [None, born].map(|born| {
            let meta = Meta { rights: Rights::default(), inode: Some(Inode { changed: 5, number: 1 }), born };
            Record { meta, ..record(10, modified, 1, false, 1) }
        });
        assert_eq!(now.may_be(&was), is_it, "{born:?} {modified:?}");
    }
}

/// All small numbers of records and files with the contents of now and of then, compared with the rule in words.
#[test]
fn twins_of_a_file_in_the_place_of_another() {
    let (was, now) = (record(10, THEN, 1, false, 1), record(10, THEN, 2, false, NOW));
    let numbers = |code: usize| Twins {
        displaced: code % 3,
        gone: code / 3 % 3,
        misplaced: code / 9 % 3,
        new: code / 27 % 3,
        free: Some(7),
    };
    for code_now in 0..81 {
        for code_was in 0..81 {
            let (of_now, of_was) = (numbers(code_now), numbers(code_was));
            let given = Given { of_now, of_was, ..Given::default() };
            let told = verdict(Recorded::File(&was), Found::Read(&now), &given).unwrap();
            // Each new file takes a record whose name is gone; then there is one for each file in a wrong place.
            let mut gone = of_now.gone;
            for _ in 0..of_now.new {
                gone = if gone > 0 { gone - 1 } else { 0 };
            }
            let all_came = of_now.misplaced <= of_now.displaced + gone;
            let none_is_lost = of_was.displaced + of_was.gone <= of_was.misplaced + of_was.new;
            let expected =
                if all_came && none_is_lost { (Verdict::Moved(7), Keep::Found) } else { (Verdict::Rotted, Keep::Old) };
            assert_eq!(told, expected, "{of_now:?} {of_was:?}");
            let taken = Given { of_now: Twins { free: None, ..of_now }, ..given };
            let told = verdict(Recorded::File(&was), Found::Read(&now), &taken).unwrap();
            assert_eq!(told, (Verdict::Rotted, Keep::Old));
        }
    }
}

/// Notes tell of permissions and times of change, and make no verdict milder.
#[test]
fn notes_about_files() {
    let meta = |mode, changed| {
        let inode = Some(changed).filter(|&changed| changed > 0).map(|changed| Inode { changed, number: 1 });
        let rights = Rights { mode: Some(mode), ..Rights::default() };
        Meta { rights, inode, born: None }
    };
    let none = Notes::default();
    for verdict in [Verdict::Unchanged, Verdict::Changed, Verdict::Moved(7), Verdict::MovedRotted(7)] {
        assert_eq!(notes(verdict, Some(&meta(0o644, 5)), &meta(0o644, 6)), none, "{verdict:?}");
    }
    let touched = |was, now| notes(Verdict::Rotted, Some(&meta(0o644, was)), &meta(0o644, now)).is_touched;
    assert!(touched(5, 6) && touched(6, 5) && !touched(5, 5) && !touched(0, 5) && !touched(5, 0));
    // Permissions then and now, and the bits that are told to have appeared.
    for (was, now, mode_was, set_id) in [
        (Some(0o644), 0o644, None, 0),
        (Some(0o644), 0o600, Some(0o644), 0),
        (Some(0o755), 0o4755, Some(0o755), 0o4000),
        (Some(0o4755), 0o4755, None, 0),
        (Some(0o4755), 0o6755, Some(0o4755), 0o2000),
        (Some(0o4755), 0o755, Some(0o4755), 0),
        (Some(0o644), 0o1644, Some(0o644), 0),
        (None, 0o644, None, 0),
        (None, 0o6755, None, 0o6000),
    ] {
        let was_meta = was.map(|was| meta(was, 0));
        let told = notes(Verdict::Unchanged, was_meta.as_ref(), &meta(now, 0));
        let mode = (mode_was.is_some() || set_id != 0).then_some(now);
        assert_eq!(told, Notes { mode_was, mode, set_id, ..none }, "{was:?} {now:o}");
    }
    // Nothing is known about the permissions that format 1 has not.
    assert_eq!(notes(Verdict::Unchanged, Some(&Meta::default()), &meta(0o4755, 0)), none);
}

/// Owners and extended attributes that differ are told where both are known, and make no verdict milder.
#[test]
fn notes_about_owners_and_attributes() {
    let none = Notes::default();
    let owner = |user, group| Some(Owner { user, group });
    let attributes =
        |byte: Option<u8>, has_capability| Some(Attributes { digest: byte.map(|byte| [byte; 16]), has_capability });
    let (few, many, other) = (attributes(None, false), attributes(Some(1), false), attributes(Some(2), false));
    let (capable, more) = (attributes(Some(3), true), attributes(Some(4), true));
    // Permissions, owners then and now, whether they are told, and the bits by which the file runs as another one.
    for (mode, was, now, is_told, runs_as) in [
        (0o6755, owner(1, 2), owner(1, 2), false, 0),
        (0o755, owner(1, 2), owner(0, 2), true, 0),
        (0o755, owner(1, 2), owner(1, 0), true, 0),
        (0o4755, owner(1, 2), owner(0, 2), true, 0o4000),
        (0o4755, owner(1, 2), owner(1, 0), true, 0),
        (0o2755, owner(1, 2), owner(0, 2), true, 0),
        (0o2755, owner(1, 2), owner(1, 0), true, 0o2000),
        (0o6755, owner(1, 2), owner(3, 4), true, 0o6000),
        (0o6755, None, owner(3, 4), false, 0),
        (0o6755, owner(1, 2), None, false, 0),
    ] {
        let [was, now] = [was, now]
            .map(|owner| Meta { rights: Rights { mode: Some(mode), owner, ..Rights::default() }, ..Meta::default() });
        let owner = was.rights.owner.zip(now.rights.owner).filter(|_| is_told);
        let told = notes(Verdict::Unchanged, Some(&was), &now);
        let mode = (runs_as != 0).then_some(mode);
        assert_eq!(told, Notes { owner, runs_as, mode, ..none }, "{was:?} {now:?}");
        assert_eq!(told.tells_of_rights(), runs_as != 0);
    }
    // Attributes then and now, whether they are told, and whether they are told with `--quiet`.
    for (was, now, is_told, is_loud) in [
        (few, few, false, false),
        (few, many, true, false),
        (many, few, true, false),
        (many, other, true, false),
        (few, capable, true, true),
        (many, capable, true, true),
        (capable, more, true, true),
        (capable, capable, false, false),
        (capable, many, true, false),
        (capable, few, true, false),
        (None, capable, false, false),
        (capable, None, false, false),
    ] {
        let [was, now] = [was, now].map(|attributes| Rights { attributes, ..Rights::default() });
        let told = notes_about_rights(Some(&was), &now);
        let expected = now.attributes.filter(|_| is_told).map(|now| (was.attributes, now));
        assert_eq!(told, Notes { attributes: expected, ..none }, "{was:?} {now:?}");
        assert_eq!(told.tells_of_rights(), is_loud, "{was:?} {now:?}");
    }
    // A new file has more rights than none.
    for (now, is_told) in [(None, false), (few, false), (many, false), (capable, true)] {
        let rights = Rights { mode: Some(0o644), owner: owner(1, 2), attributes: now };
        let told = notes(Verdict::New, None, &Meta { rights, ..Meta::default() });
        assert_eq!(told, Notes { attributes: now.filter(|_| is_told).map(|now| (None, now)), ..none }, "{now:?}");
        assert_eq!(told.tells_of_rights(), is_told);
    }
}

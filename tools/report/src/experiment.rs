//! A race over several sizes: its table and its chart.

use core::error::Error;
use core::fmt::{self, Write as _};
use std::path::Path;

use crate::chart;
use crate::contenders::{MANY, One};
use crate::measure::{Race, Results, Time};

/// Who runs over which sizes.
pub(crate) struct Experiment<'a> {
    plan: Plan,
    race: Race<'a>,
}

struct Plan {
    title: String,
    /// The name of the chart, if there is one.
    file: Option<&'static str>,
    /// The unit of the sizes, as the chart names its axis.
    across: &'static str,
    sizes: Vec<Size>,
    entrants: Vec<Entrant>,
    contests: Vec<Contest>,
}

/// A column of the table of the fastest.
pub(crate) struct Contest {
    pub(crate) name: String,
    /// Who competes: by which name, and the number among the lines.
    pub(crate) entrants: Vec<(&'static str, usize)>,
}

pub(crate) struct Size {
    pub(crate) label: String,
    /// Bytes hashed in a call.
    pub(crate) bytes: usize,
}

struct Entrant {
    name: String,
    /// All times are also given as ratios to those of the best of these, if any is marked.
    peer: bool,
    /// Whether the chart has it.
    drawn: bool,
    /// By size.
    numbers: Vec<usize>,
}

pub(crate) type Call<'a> = Box<dyn FnMut() + 'a>;

/// A runner of an experiment, with a call for each size.
pub(crate) struct Line<'a> {
    pub(crate) name: String,
    pub(crate) peer: bool,
    pub(crate) drawn: bool,
    pub(crate) calls: Vec<Call<'a>>,
}

/// The results of an experiment.
pub(crate) struct Outcome {
    plan: Plan,
    results: Results,
}

impl<'a> Experiment<'a> {
    /// All `hashes` of one message, by its length.
    pub(crate) fn one_message(
        title: &str,
        file: Option<&'static str>,
        hashes: &[One],
        memory: &'a [u8],
        lengths: &[usize],
    ) -> Self {
        let mut race = Race::default();
        let entrants = hashes.iter().map(|&(name, peer, hash)| Entrant {
            name: name.into(),
            peer,
            drawn: true,
            numbers: lengths.iter().map(|&length| race.add(move || hash(&memory[..length]))).collect(),
        });
        let entrants = entrants.collect();
        let sizes = lengths.iter().map(|&bytes| Size { label: length(bytes), bytes }).collect();
        let plan = Plan { title: title.into(), file, across: "length", sizes, entrants, contests: Vec::new() };
        Self { plan, race }
    }

    /// All of [`MANY`] over messages of `each` bytes, by their number.
    pub(crate) fn many_messages(each: usize, file: &'static str, memory: &'a [u8], counts: &[usize]) -> Self {
        let mut race = Race::default();
        let mut entrants = Vec::new();
        for &(name, peer, hash) in MANY {
            let numbers = counts.iter().map(|&count| {
                let messages: Vec<&[u8]> = memory.chunks(each).take(count).collect();
                race.add(move || hash(&messages))
            });
            entrants.push(Entrant { name: name.into(), peer, drawn: true, numbers: numbers.collect() });
        }
        let title = format!("BLAKE2b of many messages of {}", length(each));
        let sizes = counts.iter().map(|&count| Size { label: count.to_string(), bytes: count * each }).collect();
        let plan = Plan { title, file: Some(file), across: "messages", sizes, entrants, contests: Vec::new() };
        Self { plan, race }
    }

    /// All `lines` over `sizes`.
    pub(crate) fn of_lines(
        title: String,
        file: Option<&'static str>,
        across: &'static str,
        sizes: Vec<Size>,
        lines: Vec<Line<'a>>,
    ) -> Self {
        let mut race = Race::default();
        let entrants = lines.into_iter().map(|Line { name, peer, drawn, calls }| Entrant {
            name,
            peer,
            drawn,
            numbers: calls.into_iter().map(|call| race.add(call)).collect(),
        });
        let entrants = entrants.collect();
        Self { plan: Plan { title, file, across, sizes, entrants, contests: Vec::new() }, race }
    }

    /// Adds a table of who is the fastest.
    pub(crate) fn with_contests(mut self, contests: Vec<Contest>) -> Self {
        self.plan.contests = contests;
        self
    }

    pub(crate) fn title(&self) -> &str {
        &self.plan.title
    }

    pub(crate) fn run(self, rounds: usize) -> Outcome {
        Outcome { plan: self.plan, results: self.race.run(rounds) }
    }
}

impl Outcome {
    pub(crate) fn chart(&self, directory: &Path) -> Result<(), Box<dyn Error>> {
        let Plan { title, file, across, sizes, entrants, .. } = &self.plan;
        let Some(file) = file else { return Ok(()) };
        let labels: Vec<&str> = sizes.iter().map(|size| &*size.label).collect();
        let lines = entrants.iter().filter(|entrant| entrant.drawn).map(|entrant| {
            let speeds = entrant.numbers.iter().zip(sizes);
            (&*entrant.name, speeds.map(|(&number, size)| self.speed(number, size)).collect())
        });
        chart::draw(&directory.join(file), title, across, &labels, &lines.collect::<Vec<_>>())
    }

    /// A section: the chart, speeds, ratios to the best peer, and times.
    pub(crate) fn markdown(&self) -> Result<String, fmt::Error> {
        let Plan { title, file, entrants, .. } = &self.plan;
        let mut text = format!("\n## {title}\n\n");
        if let Some(file) = file {
            write!(text, "![{title}: GB/s]({file})\n\n")?;
        }
        self.fastest(&mut text)?;
        text += "GB/s:\n\n";
        self.table(&mut text, |number, i| format!("{:.3}", self.speed(number, &self.plan.sizes[i])))?;
        match &self.results.cycle {
            Ok(cycle) => write!(
                text,
                "\nA core cycle took {cycle:.4} ns, by a chain of dependent additions in the same run: {:.2} divided \
                 by GB/s gives\ncycles per byte.\n",
                cycle.recip()
            )?,
            Err(reason) => writeln!(text, "\nCore cycles could not be calibrated: {reason}.")?,
        }
        if entrants.iter().any(|entrant| entrant.peer) {
            let peers: Vec<&str> = entrants.iter().filter(|entrant| entrant.peer).map(|peer| &*peer.name).collect();
            let best = if peers.len() > 1 { "the best of " } else { "" };
            write!(text, "\nTime beside that of {best}{}:\n\n", peers.join(", "))?;
            self.table(&mut text, |number, i| {
                let best = self.best_peer(i).map_or(f64::NAN, |(_, best)| best);
                format!("{:.2}", self.results.times[number].minimum / best)
            })?;
        }
        Ok(text)
    }

    /// A section of the times themselves.
    pub(crate) fn nanoseconds(&self) -> Result<String, fmt::Error> {
        let mut text = format!("\n## {}\n\n", self.plan.title);
        self.table(&mut text, |number, _| {
            let Time { minimum, median } = self.results.times[number];
            let digits = if minimum < 1000.0 { 1 } else { 0 };
            format!("{minimum:.digits$} / {median:.digits$}")
        })?;
        Ok(text)
    }

    /// The name of the peer with the least time for a size, and that time.
    fn best_peer(&self, size: usize) -> Option<(&str, f64)> {
        let peers = self.plan.entrants.iter().filter(|entrant| entrant.peer);
        let times = peers.map(|peer| (&*peer.name, self.results.times[peer.numbers[size]].minimum));
        times.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// Rows of a table, of ours on the default backend that take longer than the best peer. Lines on a backend that was
    /// chosen have other names, and messages one by one have a section of their own.
    pub(crate) fn slower(&self, text: &mut String) -> fmt::Result {
        let Plan { title, sizes, entrants, .. } = &self.plan;
        let is_ours = |name: &str| name.starts_with("simd-digest") && !name.ends_with("one by one");
        for entrant in entrants.iter().filter(|entrant| !entrant.peer && is_ours(&entrant.name)) {
            for (i, size) in sizes.iter().enumerate() {
                let Some((peer, best)) = self.best_peer(i) else { continue };
                let ratio = self.results.times[entrant.numbers[i]].minimum / best;
                // One that rounds to 1.00 is none.
                if ratio >= 1.005 {
                    writeln!(text, "| {title} | {} | {} | {ratio:.2} | {peer} |", entrant.name, size.label)?;
                }
            }
        }
        Ok(())
    }

    /// For each size and contest all that compete, the fastest first, with their times beside its.
    fn fastest(&self, text: &mut String) -> fmt::Result {
        let Plan { across, sizes, contests, .. } = &self.plan;
        if contests.is_empty() {
            return Ok(());
        }
        text.push_str("The fastest, and the times of the others beside its:\n\n");
        write!(text, "| {across} |")?;
        contests.iter().try_for_each(|contest| write!(text, " {} |", contest.name))?;
        writeln!(text, "\n|---:|{}", "---|".repeat(contests.len()))?;
        for (i, size) in sizes.iter().enumerate() {
            write!(text, "| {} |", size.label)?;
            for contest in contests {
                let time = |entrant: usize| self.results.times[self.plan.entrants[entrant].numbers[i]].minimum;
                let mut order: Vec<_> = contest.entrants.iter().map(|&(name, entrant)| (name, time(entrant))).collect();
                order.sort_by(|(_, one), (_, other)| one.total_cmp(other));
                let ((name, least), others) = order.split_first().expect("somebody competes");
                write!(text, " **{name}**")?;
                others.iter().try_for_each(|(name, time)| write!(text, ", {name} {:.2}", time / least))?;
                text.push_str(" |");
            }
            text.push('\n');
        }
        text.push('\n');
        Ok(())
    }

    /// A cell for each size and entrant, of its number and that of the size.
    fn table(&self, text: &mut String, cell: impl Fn(usize, usize) -> String) -> fmt::Result {
        let Plan { across, sizes, entrants, .. } = &self.plan;
        write!(text, "| {across} |")?;
        entrants.iter().try_for_each(|entrant| write!(text, " {} |", entrant.name))?;
        writeln!(text, "\n|---:|{}", "---:|".repeat(entrants.len()))?;
        for (i, size) in sizes.iter().enumerate() {
            write!(text, "| {} |", size.label)?;
            entrants.iter().try_for_each(|entrant| write!(text, " {} |", cell(entrant.numbers[i], i)))?;
            text.push('\n');
        }
        Ok(())
    }

    /// In GB/s, which is bytes in a nanosecond.
    fn speed(&self, number: usize, size: &Size) -> f64 {
        size.bytes as f64 / self.results.times[number].minimum
    }
}

/// `bytes` with the largest unit that goes into them.
pub(crate) fn length(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

//! The command line of the benches that are not criterion's.

use simd_digest::Backend;

/// Which rows are timed, and how.
pub(crate) struct Arguments {
    pub(crate) backend: Backend,
    /// How often each row is timed: once with `--quick`.
    pub(crate) rounds: usize,
    /// A part of the name of each row that is timed.
    pub(crate) only: Option<String>,
}

impl Arguments {
    /// Reads the command line: `--quick`, a backend, perhaps with `-sha` behind it for that backend without the SHA
    /// extension, or a part of a name.
    pub(crate) fn read() -> Self {
        let mut read = Self { backend: Backend::best(), rounds: 15, only: None };
        for argument in std::env::args().skip(1) {
            let (name, without_sha) = argument.strip_suffix("-sha").map_or((&*argument, false), |name| (name, true));
            match (&*argument, name.parse::<Backend>()) {
                ("--bench", _) => {}
                ("--quick", _) => read.rounds = 1,
                (_, Ok(named)) if without_sha => read.backend = named.without_sha(),
                (_, Ok(named)) => read.backend = named,
                _ => read.only = Some(argument),
            }
        }
        read
    }

    /// Whether a row of this name is timed.
    pub(crate) fn want(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }
}

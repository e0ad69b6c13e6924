//! Repairs one file that has leaves, by copies of it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use simd_digest::blake2::Flavour;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use crate::args::Options;
use crate::input::{Input, Source, is_same_file, raw};
use crate::json::Line;
use crate::leaves::{self, LeafFile};
use crate::mend::{Copies, Copy, Mended, Recorded, Target, mend};
use crate::output::{Printer, USAGE, checked_name, complain, shown, write_failed};
use crate::progress::Progress;
use crate::replace;
use crate::scheme::{Algorithm, Digest, Scheme, Secret};
use crate::temporary::heed_signals;
use crate::tree::tree;

/// Why nothing was repaired: what is wrong with a file that the options name.
struct Wrong(PathBuf, io::Error);

fn wrong(path: &Path, text: &str) -> Wrong {
    Wrong(path.into(), io::Error::other(text.to_owned()))
}

/// A file, its leaves, and what goes with them.
struct Run<'a> {
    options: &'a Options,
    path: &'a Path,
    leaves: &'a Path,
    secret: &'a Secret,
    progress: &'a Progress,
    scheme: Scheme,
}

/// Repairs the file that the options name, and tells of it. Returns the exit status.
pub(crate) fn run(options: &Options, secret: &Secret, progress: &Progress) -> ExitCode {
    let done = match Printer::new(progress) {
        Ok(mut printer) => check_and_repair(options, secret, progress, &mut printer),
        Err(error) => return write_failed(&error),
    };
    match done {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false)) => ExitCode::FAILURE,
        Ok(Err(error)) => write_failed(&error),
        Err(Wrong(path, error)) => {
            progress.aside(|| complain(path.as_os_str(), &error));
            USAGE.into()
        }
    }
}

/// Whether the file is whole now. The inner error says why nothing can be printed.
fn check_and_repair(
    options: &Options,
    secret: &Secret,
    progress: &Progress,
    printer: &mut Printer<'_>,
) -> Result<io::Result<bool>, Wrong> {
    let path = Path::new(options.files()[0]);
    let Some(leaves) = options.leaves.as_deref() else { return Err(wrong(path, "has no --leaves")) };
    let about = |path: &Path| {
        let path = path.to_owned();
        move |error| Wrong(path, error)
    };
    replace::refuse_no_name("--leaves", leaves).map_err(about(leaves))?;
    replace::refuse("--repair", path, options).map_err(about(path))?;
    if Source::File(path).is_at(leaves) {
        return Err(wrong(path, "--repair would change its own --leaves"));
    }
    let scheme = leaves::scheme_of(leaves).map_err(about(leaves))?;
    if !secret.suits(scheme.algorithm) {
        return Err(wrong(leaves, &format!("of {}, which takes no key of this length", scheme.algorithm.name())));
    }
    let run = Run { options, path, leaves, secret, progress, scheme };
    if scheme.algorithm == Algorithm::Blake2s {
        run.repair::<FlavourS>(printer)
    } else {
        run.repair::<FlavourB>(printer)
    }
}

impl Run<'_> {
    fn repair<F: Flavour>(&self, printer: &mut Printer<'_>) -> Result<io::Result<bool>, Wrong> {
        let of_leaves = |error| Wrong(self.leaves.into(), error);
        let mut leaves = LeafFile::<F>::open_any(self.leaves, self.scheme, self.secret).map_err(of_leaves)?;
        let root = crate::scheme::digest(leaves.root().map_err(of_leaves)?);
        if let Some(wanted) = &self.options.archive.root
            && !wanted.parse::<Digest>().is_ok_and(|wanted| wanted == root)
        {
            return Err(wrong(self.leaves, &format!("its root is {root}, not that of --root")));
        }
        let copies = self.copies()?;
        let dry = self.options.repair.dry_run;
        let is_gone = match fs::metadata(self.path) {
            Ok(file) if !file.is_file() => return Err(wrong(self.path, "Not a regular file")),
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(Wrong(self.path.into(), error)),
        };
        if is_gone && !self.options.repair.missing {
            return Ok(self.tell(printer, "missing", &Mended::default(), None));
        }
        let (mut target, mut dry, mut refused) = (None, dry, None);
        if !is_gone {
            let open = |write| File::options().read(true).write(write).open(self.path);
            // A file that may not be written to may be whole.
            let file = open(!dry).or_else(|error| {
                (dry, refused) = (true, Some(error));
                open(false)
            });
            let mut file = match file {
                Ok(file) => file,
                Err(error) => return Ok(self.tell(printer, "unreadable", &Mended::failed(error), None)),
            };
            let of_path = |error| Wrong(self.path.into(), error);
            let length = file.metadata().map_err(of_path)?.len();
            // No digest covers the length in the file of leaves, but the last leaf tells.
            leaves.try_length(&mut file, length).map_err(of_leaves)?;
            let disk = File::open(self.path).map_err(of_path)?;
            target = Some(Target::new(file, disk, None).map_err(of_path)?);
        }
        let (length, all) = (leaves.length, leaves.all().map_err(of_leaves)?);
        let tree = tree(self.scheme, self.secret).ok_or_else(|| of_leaves(ErrorKind::Unsupported.into()))?;
        let recorded = Recorded::new(&*tree, length, all, root).map_err(of_leaves)?;
        leaves.check_unchanged().map_err(of_leaves)?;
        let mut copies = Copies::new(copies, self.progress);
        self.progress.expect(length, 1);
        self.progress.begin(self.path.as_os_str());
        if !dry {
            heed_signals().map_err(|error| Wrong(self.path.into(), error))?;
        }
        let (mended, good) = match &mut target {
            Some(target) => {
                let mended = mend(&recorded, target, &mut copies, dry, &mut || Ok(()));
                let refused = refused.or_else(|| self.other_key(&mended, length));
                let mended = mended.unless(refused);
                let good = if mended.was_good() { "whole" } else { ["mended", "mendable"][usize::from(dry)] };
                (mended, good)
            }
            None => (self.restore(&recorded, &mut copies)?, ["restored", "restorable"][usize::from(dry)]),
        };
        let bad = if target.is_some() { "rotted" } else { "missing" };
        let status = if mended.is_good() { good } else { bad };
        Ok(self.tell(printer, status, &mended, Some((recorded.root(), length))))
    }

    /// The error that is likely if nothing matches, and there is a key.
    fn other_key(&self, mended: &Mended, length: u64) -> Option<io::Error> {
        let nothing_matches = length > 0 && mended.ends(true).concat() == [0, length - 1];
        let text = "nothing matches, as with another key than that of the leaves";
        (nothing_matches && !self.secret.is_empty()).then(|| io::Error::other(text))
    }

    #[cfg(target_os = "linux")]
    fn restore(&self, recorded: &Recorded<'_>, copies: &mut Copies<'_>) -> Result<Mended, Wrong> {
        use rustix::fs::{Mode, OFlags, open};

        use crate::restore::{Gone, restore};

        let name = raw(self.path.file_name().unwrap_or_default()).into_owned();
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = open(parent, flags, Mode::empty()).map_err(|error| Wrong(self.path.into(), error.into()))?;
        let gone = Gone { directory: Arc::new(directory), parents: Vec::new(), name: &name, modified: None };
        Ok(restore(recorded, &gone, copies, self.options.repair.dry_run))
    }

    #[cfg(not(target_os = "linux"))]
    fn restore(&self, _: &Recorded<'_>, _: &mut Copies<'_>) -> Result<Mended, Wrong> {
        Err(wrong(self.path, "--missing is for Linux"))
    }

    /// Opens the copies, none of which may be the file itself.
    fn copies(&self) -> Result<Vec<Copy<'_>>, Wrong> {
        let open = |given: &PathBuf| {
            let mut path = given.clone();
            if path.is_dir() {
                path.push(self.path.file_name().unwrap_or_default());
            }
            let metadata = fs::metadata(&path).map_err(|error| Wrong(path.clone(), error))?;
            if !metadata.is_file() {
                return Err(wrong(&path, "Not a regular file"));
            }
            if is_same_file(Ok(metadata), fs::metadata(self.path)) {
                return Err(wrong(&path, "--from is the file to repair"));
            }
            let input = File::open(&path).and_then(|file| Input::regular(file, self.progress));
            Ok(Copy { name: Arc::from(shown(given.as_os_str())), input: input.map_err(|error| Wrong(path, error))? })
        };
        self.options.repair.from.iter().map(open).collect()
    }

    /// Prints what became of the file. Returns whether it is whole.
    fn tell(
        &self,
        printer: &mut Printer<'_>,
        status: &str,
        mended: &Mended,
        recorded: Option<(&Digest, u64)>,
    ) -> io::Result<bool> {
        let is_good = !matches!(status, "missing" | "rotted" | "unreadable");
        if is_good && self.options.quiet {
            return Ok(true);
        }
        let name = OsStr::new(self.path);
        if self.options.json {
            let mut line = Line {
                ranges: mended.ends(true),
                mended: mended.ends(false),
                reason: mended.reason(),
                ..Line::new(&raw(name), status)
            };
            if let Some((root, length)) = recorded {
                line = line.with(self.scheme, root, Some(length));
            }
            return printer.print(&line.to_bytes()).map(|()| is_good);
        }
        let name = checked_name(name);
        let reason = mended
            .error
            .as_ref()
            .map_or_else(String::new, |_| mended.reason().map_or_else(String::new, |reason| format!(": {reason}")));
        let mut text = [&*name, format!(": {status}{reason}\n").as_bytes()].concat();
        for line in mended.lines(self.options.repair.dry_run) {
            text.extend([&*name, b": ", line.as_bytes(), b"\n"].concat());
        }
        printer.print(&text).map(|()| is_good)
    }
}

//! Hashes a table of Parquet on a cluster, and compares: `cargo run --bin ballista-client -- --folder FOLDER`.
//!
//! The client checks at start that the executors have the functions. It compares the answers of the cluster with those
//! of DataFusion's own functions and of this process, and leaves `answers.csv` in the folder, which `check.py` compares
//! with Python's hashlib.

use core::time::Duration;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use clap::Parser;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use simd_digest_datafusion_cluster::session::Functions;
use simd_digest_datafusion_cluster::signals::interrupted;
use simd_digest_datafusion_cluster::start_check::answer;
use simd_digest_datafusion_cluster::{connect, rows, scheduler, start_check};
use tempfile::NamedTempFile;

/// Hashes a table on a cluster of Ballista, and compares the answers.
#[derive(Parser)]
struct Settings {
    /// Host and port of the scheduler.
    #[arg(long, default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// How many executors there must be.
    #[arg(long, default_value_t = 1)]
    executors: usize,
    /// Seconds to wait for scheduler and executors.
    #[arg(long, default_value_t = 30)]
    wait: u64,
    /// Seconds for all that follows.
    #[arg(long, default_value_t = 600)]
    deadline: u64,
    /// The folder of tables and answers. All executors must see it under this name.
    #[arg(long)]
    folder: PathBuf,
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(i64).range(1..1 << 40))]
    rows: i64,
    /// How many files, and so partitions, the table has.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(i64).range(1..=1024))]
    files: i64,
    /// A file whose 16 to 64 bytes are the key of `mask`.
    #[arg(long)]
    key_file: Option<PathBuf>,
    /// Measures instead: texts of this many bytes, one query, five times.
    #[arg(long)]
    measure: Option<usize>,
}

/// Columns of answers, and the function of DataFusion with the same answer.
const BUILT_IN: [(&str, &str); 10] = [
    ("digest(s, 'blake2b')", "digest(s, 'blake2b')"),
    ("digest(s, 'blake2s')", "digest(s, 'blake2s')"),
    ("digest(s, 'md5')", "digest(s, 'md5')"),
    ("blake2b(s)", "digest(s, 'blake2b')"),
    ("blake2s(b)", "digest(b, 'blake2s')"),
    ("blake3(s)", "digest(s, 'blake3')"),
    ("sha224(s)", "sha224(s)"),
    ("sha256(b)", "sha256(b)"),
    ("sha256_hex(s)", "encode(sha256(s), 'hex')"),
    ("blake3_hex(b)", "encode(digest(b, 'blake3'), 'hex')"),
];

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).init();
    let ended = tokio::select! {
        ended = run(settings) => ended,
        () = interrupted() => Err(failure("interrupted")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ballista-client: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: Settings) -> Result<()> {
    let functions = Functions::new("client", settings.key_file.as_ref())?;
    let (scheduler, executors) = (&settings.scheduler, settings.executors);
    let alive = scheduler::wait_for_executors(scheduler, executors, Duration::from_secs(settings.wait)).await?;
    println!("{alive} executors at {scheduler}");
    let deadline = Duration::from_secs(settings.deadline);
    let in_time = tokio::time::timeout(deadline, ask(&settings, &functions, alive));
    in_time.await.unwrap_or_else(|_| Err(failure(format!("the cluster has not answered in {deadline:?}"))))
}

async fn ask(settings: &Settings, functions: &Functions, alive: usize) -> Result<()> {
    // Two contexts in this process, for comparison.
    let (stock, mut local) = (SessionContext::new(), SessionContext::new());
    functions.register(&mut local)?;

    let probes = i64::try_from(4 * alive).expect("few executors").max(8);
    let partitions = usize::try_from(settings.files.max(probes)).expect("not many");
    let (cluster, names) = connect::connect(&settings.scheduler, functions, partitions).await?;

    let probe = rows::make(&settings.folder, &format!("probe-in-{probes}"), 8 * probes, probes, None).await?;
    for context in [&cluster, &local] {
        rows::register(context, "probe", &probe).await?;
    }
    let checked = start_check::check(&cluster, &local, "probe", &names, alive).await?;
    checked.complete(alive)?;
    let reached: Vec<_> = checked.executors.iter().map(String::as_str).collect();
    println!("{} functions on executors {}: {}", names.len(), reached.join(" and "), names.join(", "));

    let name = match settings.measure {
        Some(bytes) => format!("{}-rows-of-{bytes}-in-{}", settings.rows, settings.files),
        None => format!("{}-rows-in-{}", settings.rows, settings.files),
    };
    let table = rows::make(&settings.folder, &name, settings.rows, settings.files, settings.measure).await?;
    for context in [&cluster, &stock, &local] {
        rows::register(context, "rows", &table).await?;
    }
    if settings.measure.is_some() {
        return measure(&cluster).await;
    }
    let answers = compare_rows(&cluster, &stock, &local, settings).await?;
    let table_digest = compare_tables(&cluster, &local, &settings.folder).await?;
    keep(&settings.folder, [(answers, "answers.csv"), (table_digest, "table_digest.txt")])
}

/// Gives files their names, all or none, for all whom the folder is for.
fn keep<const N: usize>(folder: &Path, files: [(NamedTempFile, &str); N]) -> Result<()> {
    let mut kept = Vec::new();
    let keep_all = || -> std::io::Result<()> {
        for (file, name) in files {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = folder.metadata()?.permissions().mode();
                file.as_file().set_permissions(std::fs::Permissions::from_mode(mode & 0o666))?;
            }
            let path = folder.join(name);
            file.persist(&path).map_err(|error| error.error)?;
            kept.push(path);
        }
        Ok(())
    };
    keep_all().map_err(|error| {
        for path in &kept {
            let _ = std::fs::remove_file(path);
        }
        in_folder(folder)(error)
    })
}

/// Row by row, in the order of their numbers, with little in memory. Returns the answers for `check.py`.
async fn compare_rows(
    cluster: &SessionContext,
    stock: &SessionContext,
    local: &SessionContext,
    settings: &Settings,
) -> Result<NamedTempFile> {
    let mut only_ours = vec![
        "blake2b_hex(s, 32)".to_owned(),
        "blake2s_hex(b)".to_owned(),
        "sha256_hex(s)".to_owned(),
        format!("encode(row_digest('blake2b', {}), 'hex')", rows::COLUMNS),
        format!("encode(row_digest('sha256', {}), 'hex')", rows::COLUMNS),
    ];
    let answers = only_ours.len();
    if settings.key_file.is_some() {
        only_ours.extend(["mask(s)".to_owned(), "mask(b)".to_owned()]);
    }
    let list = |columns: &mut dyn Iterator<Item = &str>| {
        let columns: Vec<String> = columns.enumerate().map(|(i, column)| format!("{column} as c{i}")).collect();
        format!("select n, {} from rows order by n", columns.join(", "))
    };
    let began = Instant::now();
    let ours = BUILT_IN.iter().map(|(ours, _)| *ours);
    let mut asked = ours.chain(only_ours.iter().map(String::as_str));
    let mut found = Ordered::new(cluster, &list(&mut asked)).await?;
    let mut built_in = Ordered::new(stock, &list(&mut BUILT_IN.iter().map(|(_, built_in)| *built_in))).await?;
    let mut here = Ordered::new(local, &list(&mut only_ours.iter().map(String::as_str))).await?;

    let at = in_folder(&settings.folder);
    let mut file = BufWriter::new(NamedTempFile::new_in(&settings.folder).map_err(at)?);
    writeln!(file, "n,blake2b_32(s),blake2s(b),sha256(s),row_blake2b,row_sha256").map_err(at)?;
    let mut rows = 0;
    while let Some(length) = found.available().await? {
        let length = match (built_in.available().await?, here.available().await?) {
            (Some(b), Some(h)) => length.min(b).min(h),
            _ => return Err(failure(format!("the cluster has more rows than {rows}"))),
        };
        let (found, built_in, here) = (found.take(length), built_in.take(length), here.take(length));
        let expected = built_in.columns().iter().chain(&here.columns()[1..]);
        let asked = BUILT_IN.iter().map(|(ours, _)| *ours).chain(only_ours.iter().map(String::as_str));
        for ((name, column), expected) in core::iter::once("n").chain(asked).zip(found.columns()).zip(expected) {
            if column != expected || found.column(0) != here.column(0) {
                let row = (0..length).find(|&i| column.slice(i, 1) != expected.slice(i, 1)).unwrap_or(0);
                let n = found.column(0).as_primitive::<Int64Type>().value(row);
                return Err(failure(format!("{name} of row {n} is not the same on the cluster and here")));
            }
        }
        let texts: Vec<_> =
            found.columns()[1 + BUILT_IN.len()..][..answers].iter().map(AsArray::as_string::<i32>).collect();
        for (row, n) in found.column(0).as_primitive::<Int64Type>().values().iter().enumerate() {
            write!(file, "{n}").map_err(at)?;
            for text in &texts {
                let text = if arrow::array::Array::is_null(text, row) { "" } else { text.value(row) };
                write!(file, ",{text}").map_err(at)?;
            }
            writeln!(file).map_err(at)?;
        }
        rows += length;
    }
    if built_in.available().await?.is_some() || usize::try_from(settings.rows) != Ok(rows) {
        return Err(failure(format!("the cluster has {rows} rows of {}", settings.rows)));
    }
    let file = file.into_inner().map_err(|error| at(error.into_error()))?;
    let (built_in, here) = (BUILT_IN.len(), only_ours.len());
    println!(
        "{rows} rows: {built_in} columns equal DataFusion's own functions, {here} this process's, {:?}",
        began.elapsed()
    );
    Ok(file)
}

/// Through aggregates, and so shuffles. Returns the digest of the table for `check.py`.
async fn compare_tables(cluster: &SessionContext, local: &SessionContext, folder: &Path) -> Result<NamedTempFile> {
    let at = in_folder(folder);
    let mut file = NamedTempFile::new_in(folder).map_err(at)?;
    let columns = rows::COLUMNS;
    for query in [
        format!("select encode(table_digest('blake2b', {columns}), 'hex') as digest from rows"),
        format!("select ok, encode(table_digest('sha256', {columns}), 'hex') from rows group by ok order by ok"),
        "select table_digest('blake3', n) filter (where n % 3 = 0) from rows".to_owned(),
        format!("select count(distinct row_digest('blake2b', {columns})) from rows"),
        "select blake2s(b) as k, count(*) from rows group by k order by k limit 100".to_owned(),
    ] {
        let (found, expected) = (answer(cluster, &query).await?, answer(local, &query).await?);
        if found.columns() != expected.columns() {
            return Err(failure(format!("the cluster has another answer: {query}")));
        }
        if query.contains("as digest") {
            let digest = found.column(0).as_string::<i32>().value(0);
            writeln!(file, "{digest}").map_err(at)?;
            println!("table_digest: {digest}");
        }
    }
    println!("the cluster's aggregates equal this process's");
    Ok(file)
}

/// One query over long texts, whose answer is one row.
async fn measure(cluster: &SessionContext) -> Result<()> {
    let mut first = None;
    for _ in 0..5 {
        let began = Instant::now();
        let found = answer(cluster, "select count(*), max(blake2b(s)) from rows").await?;
        println!("{:.3} s", began.elapsed().as_secs_f64());
        if *first.get_or_insert_with(|| found.clone()) != found {
            return Err(failure("the cluster has another answer each time"));
        }
    }
    Ok(())
}

/// The rows of a query, in pieces of any size.
struct Ordered {
    stream: SendableRecordBatchStream,
    rest: RecordBatch,
}

impl Ordered {
    async fn new(context: &SessionContext, query: &str) -> Result<Self> {
        let plan = context.sql(query).await?.create_physical_plan().await?;
        let stream = execute_stream(plan, context.task_ctx())?;
        let rest = RecordBatch::new_empty(stream.schema());
        Ok(Self { stream, rest })
    }

    /// How many rows there are at least, unless there are none any more.
    async fn available(&mut self) -> Result<Option<usize>> {
        while self.rest.num_rows() == 0 {
            match self.stream.next().await {
                Some(batch) => self.rest = batch?,
                None => return Ok(None),
            }
        }
        Ok(Some(self.rest.num_rows()))
    }

    fn take(&mut self, length: usize) -> RecordBatch {
        let taken = self.rest.slice(0, length);
        self.rest = self.rest.slice(length, self.rest.num_rows() - length);
        taken
    }
}

fn in_folder(folder: &Path) -> impl Fn(std::io::Error) -> DataFusionError + Copy {
    move |error| failure(format!("the folder {}: {error}", folder.display()))
}

fn failure(message: impl Into<String>) -> DataFusionError {
    DataFusionError::Execution(message.into())
}

//! Executors that lack the functions: never a wrong answer.

use core::time::Duration;

use datafusion::prelude::SessionContext;

use crate::in_time::{answer, check};
use crate::process::Cluster;
use simd_digest_datafusion_cluster::connect::connect;
use simd_digest_datafusion_cluster::rows;
use simd_digest_datafusion_cluster::scheduler::wait_for_executors;
use simd_digest_datafusion_cluster::session::Functions;
use simd_digest_datafusion_cluster::start_check::Checked;

struct Contexts {
    cluster: SessionContext,
    local: SessionContext,
    names: Vec<String>,
}

/// Both have a table `probe`.
async fn contexts(cluster: &Cluster) -> Contexts {
    wait_for_executors(&cluster.address, cluster.executors.len(), Duration::from_secs(60)).await.unwrap();
    let functions = Functions::new("client", None).unwrap();
    let mut local = SessionContext::new();
    functions.register(&mut local).unwrap();
    let (remote, names) = connect(&cluster.address, &functions, 8).await.unwrap();
    let table = rows::make(&cluster.folder(), "probe", 400, 8, None).await.unwrap();
    for context in [&remote, &local] {
        rows::register(context, "probe", &table).await.unwrap();
    }
    Contexts { cluster: remote, local, names }
}

fn failed(checked: &Checked) -> Vec<&str> {
    checked.failed.iter().map(|(name, _)| name.as_str()).collect()
}

/// Queries that an executor without our functions cannot answer, over a table.
const OURS: [&str; 6] = [
    "select n, blake2b(s) from probe order by n",
    "select n, blake2b_hex(s, 20) from probe order by n",
    "select n, row_digest('blake2b', n, s, x) from probe order by n",
    "select table_digest('blake2b', n, s, x) from probe",
    "select ok, table_digest('sha256', s) from probe group by ok order by ok",
    "select count(distinct blake3(s)) from probe where blake2s(b) > x'00'",
];

/// Queries that it answers with DataFusion's own functions.
const BUILT_IN: [&str; 2] =
    ["select n, digest(s, 'blake2b') from probe order by n", "select n, digest(b, 'sha256') from probe order by n"];

/// How such an executor fails: it cannot make a task of the plan.
const REJECTED: &str = "task could not be prepared or was rejected by executor";

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_without_our_functions_fails_or_answers_equally() {
    let cluster = Cluster::start(&[], &[&["--without-functions"]]);
    let contexts = contexts(&cluster).await;
    for query in OURS {
        let error = answer(&contexts.cluster, query).await.unwrap_err().to_string();
        assert!(error.contains(REJECTED), "{query}: {error}");
    }
    for query in BUILT_IN {
        let found = answer(&contexts.cluster, query).await.unwrap();
        assert_eq!(found.columns(), answer(&contexts.local, query).await.unwrap().columns(), "{query}");
    }
    // Constants say nothing about executors: the planner computes them.
    answer(&contexts.cluster, "select blake2b('abc')").await.unwrap();

    let checked = check(&contexts.cluster, &contexts.local, "probe", &contexts.names, 1).await.unwrap();
    assert!(checked.executors.is_empty() && checked.differing.is_empty(), "{checked:?}");
    // These names are DataFusion's, too, and the executor's answers are right.
    let expected = contexts
        .names
        .iter()
        .filter(|name| !["digest", "sha224", "sha256", "sha384", "sha512"].contains(&name.as_str()));
    let mut failed = failed(&checked);
    failed.sort_unstable();
    let mut expected: Vec<_> = expected.collect();
    expected.sort_unstable();
    assert_eq!(failed, expected);

    let (status, client) = cluster.client(&["--rows", "2000"]);
    assert!(!status.success());
    for name in expected {
        assert!(client.errors().contains(name.as_str()), "{name}: {}", client.errors());
    }
    cluster.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_executor_of_two_without_our_functions_is_noticed() {
    let cluster = Cluster::start(&[], &[&[], &["--without-functions"]]);
    let contexts = contexts(&cluster).await;
    for query in [&OURS[..], &BUILT_IN].concat() {
        let expected = answer(&contexts.local, query).await.unwrap();
        for _ in 0..3 {
            match answer(&contexts.cluster, query).await {
                Ok(found) => assert_eq!(found.columns(), expected.columns(), "{query}"),
                Err(error) => {
                    assert!(OURS.contains(&query), "both executors have it: {query}: {error}");
                    assert!(error.to_string().contains(REJECTED), "{query}: {error}");
                }
            }
        }
    }
    let checked = check(&contexts.cluster, &contexts.local, "probe", &contexts.names, 2).await.unwrap();
    let complaint = checked.complete(2).unwrap_err().to_string();
    assert!(complaint.contains("row_digest") && complaint.contains("blake2b"), "{complaint}");
    cluster.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn both_executors_have_work() {
    let cluster = Cluster::start(&[], &[&[], &[]]);
    let contexts = contexts(&cluster).await;
    let checked = check(&contexts.cluster, &contexts.local, "probe", &contexts.names, 2).await.unwrap();
    checked.complete(2).unwrap();
    assert_eq!(checked.executors, cluster.executors.iter().cloned().collect());
    let complaint = checked.complete(3).unwrap_err().to_string();
    assert!(complaint.contains("2 of 3 executors"), "{complaint}");
    for query in [&OURS[..], &BUILT_IN].concat() {
        let found = answer(&contexts.cluster, query).await.unwrap();
        assert_eq!(found.columns(), answer(&contexts.local, query).await.unwrap().columns(), "{query}");
    }
    cluster.stop();
}

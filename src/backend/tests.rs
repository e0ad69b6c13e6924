//! Which backends a CPU with these features has, and their choice by its family.

use std::vec::Vec;

use super::*;

#[test]
fn all_names_are_known() {
    for name in Backend::NAMES {
        assert_ne!(name.parse::<Backend>(), Err(BackendError::Unknown));
    }
}

/// The last leaf of CPUs that hide none.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
const LAST: cpu::Leaf = cpu::Leaf::SeventhOne;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
const LAST: cpu::Leaf = cpu::Leaf::First;

/// A CPU with some of these features, said by the bits of `subset`, and no others.
fn cpu_with(features: &[&'static str], subset: usize) -> Cpu {
    let has = |i: &usize| subset >> i & 1 == 1;
    let list: Vec<_> = (0..features.len()).filter(has).map(|i| features[i]).collect();
    Cpu { list: Some(list.leak()), last: LAST }
}

/// libb2 took AVX without the system's support, x/crypto AVX-512F without VL: no backend of any CPU needs a feature
/// that was not detected, and none is left out or misplaced that could run.
#[test]
fn trap_undetected_features() {
    let features: &[&str] = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "avx512dq", "sha", "bmi2"]
    } else {
        &["neon", "simd128", "sha2", "sha3"]
    };
    let all: Vec<Backend> = Backend::of(cpu_with(features, usize::MAX)).collect();
    assert_eq!(all.iter().map(|backend| backend.name()).collect::<Vec<_>>(), Backend::NAMES, "all that there are");
    for subset in 0..1 << features.len() {
        let cpu = cpu_with(features, subset);
        let detected = cpu.list.unwrap_or_default();
        let runs = |backend: &Backend| backend.features().iter().all(|feature| detected.contains(feature));
        let chosen: Vec<Backend> = Backend::of(cpu).collect();
        assert!(chosen.iter().all(runs), "{chosen:?} of {detected:?}");
        let names = |backends: &[Backend]| backends.iter().map(|backend| backend.name()).collect::<Vec<_>>();
        let expected: Vec<Backend> = all.iter().copied().filter(runs).collect();
        assert_eq!(names(&chosen), names(&expected), "{detected:?}");
        let [sha, sha512] = [Sha::FEATURES, Sha512::FEATURES]
            .map(|features| features.iter().all(|feature| detected.contains(feature)) && !features.is_empty());
        for backend in chosen {
            let has = backend.name() != "portable";
            assert_eq!(backend.sha(), sha && has, "{backend:?} of {detected:?}");
            assert_eq!(backend.sha512.is_some(), sha512 && has, "{backend:?} of {detected:?}");
            assert!(!backend.without_sha().sha() && backend.without_sha().sha512.is_none());
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            assert_eq!(backend.bmi2.is_some(), Bmi2::FEATURES.iter().all(|feature| detected.contains(feature)));
            assert_eq!(backend.without_sha() == backend, !backend.sha());
            let told = std::format!("{backend:?}");
            assert_eq!(told.contains("sha"), backend.sha());
            assert_eq!(told.contains("sha512"), backend.sha512.is_some());
        }
    }
}

/// Features as CPUs are sold with them, and as none should have them.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn trap_undetected_features_of_x86() {
    for (list, name) in [
        (&["sse2", "ssse3"][..], "portable"),
        (&["sse2", "ssse3", "sse4.1"], "sse41"),
        (&["sse2", "ssse3", "sse4.1", "avx"], "avx"),
        (&["sse2", "ssse3", "sse4.1", "avx2"], "sse41"),
        (&["sse2", "ssse3", "sse4.1", "avx", "avx2"], "avx2"),
        (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f"], "avx2"),
        (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"], "avx2"),
        (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw"], "avx512"),
        (&["avx", "avx2", "avx512f", "avx512vl", "avx512bw"], "portable"),
        (&[], "portable"),
    ] {
        let cpu = Cpu { list: Some(list), last: LAST };
        assert_eq!(Backend::of(cpu).next().map(Backend::name), Some(name), "{list:?}");
    }
}

/// `cpufeatures` 0.3.1 reads leaf 7 of CPUs whose highest leaf is below: the bits are those of another leaf. Firmware
/// and virtual machines hide leaves of CPUs of any generation.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn trap_hidden_leaves() {
    let list = &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "sha", "bmi2"];
    for (highest, sub_leaf, name, sha) in [
        (1, 0, "avx", false),
        (4, 0, "avx", false),
        (6, 9, "avx", false),
        (7, 0, "avx512", true),
        (0xd, 1, "avx512", true),
    ] {
        let cpu = Cpu { list: Some(list), last: cpu::Leaf::last(highest, sub_leaf) };
        let found: Vec<Backend> = Backend::of(cpu).collect();
        // Features that the program is compiled for are taken to be there.
        if !cfg!(any(target_feature = "avx2", target_feature = "bmi2", target_feature = "sha")) {
            // Leaf 7 tells of BMI2, too.
            assert_eq!((found[0].name(), found[0].sha(), found[0].bmi2.is_some()), (name, sha, sha), "{highest}");
        }
        assert_eq!(found.last().map(|backend| backend.name()), Some("portable"));
    }
}

/// Each family's own kernels on AVX-512 and AVX2, and what else Intel's SHA-NI is taken to do.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn tunings_are_those_of_the_family() {
    let avx512 = &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "sha"];
    let tunings = |family: Option<&'static str>| {
        let list: Vec<_> = avx512.iter().copied().chain(family).collect();
        Backend::of(Cpu { list: Some(list.leak()), last: LAST })
            .map(|backend| std::format!("{backend:?}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(tunings(Some("intel"))[..2], ["Backend(avx512, sha, sha in lanes)", "Backend(avx2, sha)"]);
    let before_zen5 = ["Backend(avx512, sha, slow rotation)", "Backend(avx2, sha, four in lanes)", "Backend(avx, sha)"];
    assert_eq!(tunings(Some("before zen5"))[..3], before_zen5);
    assert_eq!(tunings(None)[..2], ["Backend(avx512, sha)", "Backend(avx2, sha)"]);
    for family in ["intel", "before zen5"] {
        let list: Vec<_> = avx512.iter().copied().chain([family]).collect();
        for backend in Backend::of(Cpu { list: Some(list.leak()), last: LAST }) {
            let overlaps = family == "intel" && ["avx512", "avx2", "avx"].contains(&backend.name());
            assert_eq!(backend.tuning.intel_sha(), overlaps, "{family}, {backend:?}");
        }
    }
}

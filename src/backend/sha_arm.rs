//! AArch64's instructions for SHA-256, an extension that most of its CPUs have, and for SHA-512, which newer ones have.
//! They stand beside NEON, as SHA-NI stands beside the instruction sets of x86.
#![allow(unsafe_code)]

use core::ffi::c_ulong;

use super::isa::isa;

#[cfg(feature = "sha2")]
pub(super) mod sha256;
#[cfg(feature = "sha2")]
pub(super) mod sha512;

isa!(
    /// Proves the instructions for SHA-256, and so NEON.
    Sha: "sha2"
);

isa!(
    /// Proves the instructions for SHA-512 and for SHA-3, and so those for SHA-256.
    ///
    /// The compiler has both in the feature `sha3`. It may use one of SHA-3, as an exclusive or of three values,
    /// wherever the feature is on. So a CPU that has SHA-512's alone cannot run the kernels.
    Sha512: "sha2", "sha3"; system_tells_both()
);

#[cfg(any(target_os = "linux", target_os = "android"))]
const AT_HWCAP: c_ulong = 16;

// SAFETY: C libraries of Linux declare it so. Every argument has an answer.
#[cfg(any(target_os = "linux", target_os = "android"))]
unsafe extern "C" {
    safe fn getauxval(kind: c_ulong) -> c_ulong;
}

/// Whether the system tells of SHA-512's instructions and of SHA-3's. On Linux `cpufeatures` takes either for both. On
/// Apple's phones it panics if the system does not answer, so there it is not asked.
fn system_tells_both() -> bool {
    if cfg!(target_feature = "sha3") {
        return true;
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return are_both_in(getauxval(AT_HWCAP));
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    return false;
}

/// Whether a word of Linux's for its CPU's features has the bit of SHA-512 and that of SHA-3.
#[allow(dead_code, reason = "other systems have no such word")]
fn are_both_in(hwcap: c_ulong) -> bool {
    const SHA3: c_ulong = 1 << 17;
    const SHA512: c_ulong = 1 << 21;
    hwcap & SHA3 != 0 && hwcap & SHA512 != 0
}

#[cfg(test)]
mod tests {
    /// `cpufeatures` 0.3 took one bit for both features.
    #[test]
    fn trap_one_bit_of_two() {
        let all = !0;
        assert!(super::are_both_in(all) && super::are_both_in(1 << 17 | 1 << 21));
        for missing in [17, 21] {
            assert!(!super::are_both_in(all & !(1 << missing)), "all but bit {missing}");
        }
        assert!(![0, 1 << 17, 1 << 21].into_iter().any(super::are_both_in));
    }
}

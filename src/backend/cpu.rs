//! Questions to the CPU: for its features, and on x86 for its family.
//!
//! `cpufeatures` reads the features. By hand, CPUID is read for the rest: which leaves there are, which `cpufeatures`
//! does not ask, and whose CPU it is. A CPU answers a leaf that it does not have with the bits of another leaf, or with
//! zeros. Virtual machines and firmware hide the upper leaves of CPUs that have them.
#![allow(unsafe_code)]

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(super) use self::others::Leaf;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(super) use self::x86::{CpuFamily, Leaf};

/// The CPU that is asked for features: the one that the code runs on, or in tests a list.
#[derive(Clone, Copy)]
pub(crate) struct Cpu {
    #[cfg(test)]
    pub(super) list: Option<&'static [&'static str]>,
    /// The last leaf that it has.
    #[cfg(test)]
    pub(super) last: Leaf,
}

impl Cpu {
    /// The one that the code runs on.
    pub(crate) const THIS: Self = Self {
        #[cfg(test)]
        list: None,
        #[cfg(test)]
        last: Leaf::First,
    };

    /// Whether it has all `features`, which `detected` tells of this one.
    #[allow(dead_code, reason = "an architecture may have `portable` alone")]
    pub(crate) fn has(self, features: &[&str], detected: fn() -> bool) -> bool {
        #[cfg(test)]
        if let Some(list) = self.list {
            return features.iter().all(|feature| list.contains(feature));
        }
        let _ = features;
        detected()
    }

    /// Whether it has the leaf that tells of features: `cpufeatures` reads leaf 7 of CPUs that do not have it.
    #[allow(dead_code, reason = "an architecture may have `portable` alone")]
    pub(crate) fn reaches(self, leaf: Leaf) -> bool {
        #[cfg(test)]
        if self.list.is_some() {
            return leaf <= self.last;
        }
        leaf.is_there()
    }
}

/// Features of other CPUs than x86 are not told by leaves.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
mod others {
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(in crate::backend) enum Leaf {
        First,
    }

    impl Leaf {
        pub(in crate::backend) const fn of(_: &[&str]) -> Self {
            Self::First
        }

        pub(super) fn is_there(self) -> bool {
            true
        }
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    #[cfg(target_arch = "x86")]
    use core::arch::x86::{__cpuid, __cpuid_count};
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::Cpu;

    /// The leaves of CPUID that tell of features. A CPU that has one has those before it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(in crate::backend) enum Leaf {
        /// Leaf 1: SSE and AVX.
        First,
        /// Leaf 7, sub-leaf 0: AVX2, BMI2, AVX-512 and SHA-NI.
        Seventh,
        /// Leaf 7, sub-leaf 1.
        SeventhOne,
    }

    impl Leaf {
        /// The last of the leaves that tell of these features.
        pub(in crate::backend) const fn of(features: &[&str]) -> Self {
            let mut last = Self::First;
            let mut i = 0;
            while i < features.len() {
                let leaf = match features[i].as_bytes() {
                    b"sse2" | b"ssse3" | b"sse4.1" | b"avx" => Self::First,
                    b"avx2" | b"avx512f" | b"avx512vl" | b"avx512bw" | b"avx512dq" | b"sha" | b"bmi2" => Self::Seventh,
                    _ => Self::SeventhOne, // nothing is taken to be there because its leaf is not known
                };
                if leaf as u8 > last as u8 {
                    last = leaf;
                }
                i += 1;
            }
            last
        }

        /// The last leaf of a CPU with this highest leaf, whose leaf 7, if there is one, has this highest sub-leaf.
        pub(in crate::backend) const fn last(highest: u32, sub_leaf: u32) -> Self {
            match (highest, sub_leaf) {
                (0..7, _) => Self::First,
                (_, 0) => Self::Seventh,
                _ => Self::SeventhOne,
            }
        }

        /// Whether this CPU has the leaf.
        pub(in crate::backend) fn is_there(self) -> bool {
            this().last >= self
        }
    }

    /// Who makes the CPU.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Vendor {
        Intel,
        Amd,
        Other,
    }

    /// A CPU's answer about itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Answer {
        last: Leaf,
        vendor: Vendor,
        avx_vnni: bool,
    }

    /// The answer of this CPU. It is asked once, since a virtual machine takes long to answer.
    fn this() -> Answer {
        const UNKNOWN: u8 = u8::MAX;
        static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
        match ANSWER.load(Ordering::Relaxed) {
            UNKNOWN => {
                let answer = ask();
                ANSWER.store(answer.to_bits(), Ordering::Relaxed);
                answer
            }
            bits => Answer::from_bits(bits),
        }
    }

    impl Answer {
        /// Five bits.
        fn to_bits(self) -> u8 {
            self.last as u8 | (self.vendor as u8) << 2 | u8::from(self.avx_vnni) << 4
        }

        fn from_bits(bits: u8) -> Self {
            const LEAVES: [Leaf; 3] = [Leaf::First, Leaf::Seventh, Leaf::SeventhOne];
            const VENDORS: [Vendor; 3] = [Vendor::Intel, Vendor::Amd, Vendor::Other];
            let (last, vendor) = (usize::from(bits & 3), usize::from(bits >> 2 & 3));
            Self { last: LEAVES[last], vendor: VENDORS[vendor], avx_vnni: bits >> 4 & 1 == 1 }
        }
    }

    #[allow(unused_unsafe, reason = "newer compilers take the instruction for safe")]
    fn ask() -> Answer {
        // SAFETY: a CPU with SSE2 has the instruction.
        let (first, seventh) = unsafe { (__cpuid(0), __cpuid_count(7, 0)) };
        let last = Leaf::last(first.eax, seventh.eax);
        let vendor = match [first.ebx, first.edx, first.ecx].map(u32::to_le_bytes).as_flattened() {
            b"GenuineIntel" => Vendor::Intel,
            b"AuthenticAMD" => Vendor::Amd,
            _ => Vendor::Other,
        };
        // SAFETY: a CPU with SSE2 has the instruction.
        let avx_vnni = last == Leaf::SeventhOne && unsafe { __cpuid_count(7, 1) }.eax >> 4 & 1 == 1;
        Answer { last, vendor, avx_vnni }
    }

    /// A family of CPU whose instructions differ in speed from others. A wrong guess costs speed, never a digest.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::backend) enum CpuFamily {
        /// SHA-NI begins the next message before one has ended, and takes two to four times as long a message as sixteen
        /// lanes of AVX-512: on Emerald Rapids and before.
        Intel,
        /// AMD's before Zen 5.
        BeforeZen5,
        /// All others, and those of vendors we do not know.
        Other,
    }

    impl CpuFamily {
        /// The family of `cpu`.
        pub(in crate::backend) fn of(cpu: Cpu) -> Self {
            if cpu.has(&["intel"], || Self::told(this()) == Self::Intel) {
                Self::Intel
            } else if cpu.has(&["before zen5"], || Self::told(this()) == Self::BeforeZen5) {
                Self::BeforeZen5
            } else {
                Self::Other
            }
        }

        /// The family of a CPU that says this of itself.
        fn told(answer: Answer) -> Self {
            match answer.vendor {
                Vendor::Intel => Self::Intel,
                // Zen 5 has AVX-VNNI.
                Vendor::Amd if !answer.avx_vnni => Self::BeforeZen5,
                Vendor::Amd | Vendor::Other => Self::Other,
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// CPUs as they are sold, as firmware and hypervisors limit them, and as none should be.
        #[test]
        fn the_last_leaf() {
            for (highest, sub_leaf, last) in [
                (1, 0, Leaf::First),
                (3, 0, Leaf::First),
                (4, 1, Leaf::First),
                (6, u32::MAX, Leaf::First),
                (7, 0, Leaf::Seventh),
                (0xd, 0, Leaf::Seventh),
                (7, 1, Leaf::SeventhOne),
                (0x1f, 2, Leaf::SeventhOne),
                (u32::MAX, u32::MAX, Leaf::SeventhOne),
            ] {
                assert_eq!(Leaf::last(highest, sub_leaf), last, "{highest} {sub_leaf}");
            }
        }

        #[test]
        fn leaves_of_features() {
            for (features, leaf) in [
                (&[][..], Leaf::First),
                (&["sse2", "ssse3", "sse4.1", "avx"], Leaf::First),
                (&["sse2", "avx2"], Leaf::Seventh),
                (&["sha", "sse2"], Leaf::Seventh),
                (&["avx512f", "avx512vl", "avx512bw"], Leaf::Seventh),
                (&["avx", "sha512", "avx2"], Leaf::SeventhOne),
            ] {
                assert_eq!(Leaf::of(features), leaf, "{features:?}");
            }
        }

        /// The answer that is kept is the one that was given.
        #[test]
        fn answers_are_kept() {
            for last in [Leaf::First, Leaf::Seventh, Leaf::SeventhOne] {
                for vendor in [Vendor::Intel, Vendor::Amd, Vendor::Other] {
                    for avx_vnni in [false, true] {
                        let answer = Answer { last, vendor, avx_vnni };
                        assert_eq!(Answer::from_bits(answer.to_bits()), answer);
                    }
                }
            }
            assert_eq!((this(), this()), (ask(), ask()));
        }
    }
}

//! BMI2, which has a rotation from one register into another. It stands beside the instruction sets: virtual machines may
//! hide it where AVX2 is, and all else needs AVX2 alone.

use super::isa::isa;

isa!(
    /// Proves BMI2.
    Bmi2: "bmi2"
);

//! Where the fields of the kernels' arguments lie, which `tools/prove/` reads from `tools/prove/layouts.txt`.

use core::fmt::Write;
use core::mem::{offset_of, size_of};
use std::fs;
use std::string::String;

use super::{Ends, Known, Run, blake2, blake2b, blake2s, blake3, sha2, sha256, sha512};

macro_rules! layouts {
    ($text:ident; $($name:literal, $Type:ty: $($field:ident)+;)+) => {$(
        writeln!($text, "{} {}", $name, size_of::<$Type>()).unwrap();
        $(writeln!($text, "{}.{} {}", $name, stringify!($field), offset_of!($Type, $field)).unwrap();)+
    )+};
}

#[test]
fn of_arguments_are_those_that_proofs_assume() {
    let mut text = String::new();
    layouts! { text;
        "Run<FlavourB>", Run<'_, blake2b::FlavourB>: count stride chains blocks last hint ends;
        "Run<FlavourS>", Run<'_, blake2s::FlavourS>: count stride chains blocks last hint ends;
        "Run<Sha256Function>", Run<'_, sha256::Sha256Function>: count stride chains blocks last hint ends;
        "Run<Sha512Function>", Run<'_, sha512::Sha512Function>: count stride chains blocks last hint ends;
        "Run<Blake3Function>", Run<'_, blake3::Blake3Function>: count stride chains blocks last hint ends;
        "Ends<FlavourB>", Ends<'_, blake2b::FlavourB>: start blocks;
        "Ends<FlavourS>", Ends<'_, blake2s::FlavourS>: start blocks;
        "blake2::Chain<u64>", blake2::Chain<u64>: h count;
        "blake2::Chain<u32>", blake2::Chain<u32>: h count;
        "sha256::Chain", sha256::Chain: h blocks;
        "sha256::Nodes", sha256::Nodes<'_>: iv written nodes digests twice;
        "sha256::Whole", sha256::Whole<'_>: start messages chains;
        "sha256::Iteration", sha256::Iteration: inner outer sum;
        "sha256::Message", sha256::Message<'_>: end blocks closing;
        "sha512::Chain", sha512::Chain: h blocks;
        "sha512::Whole", sha512::Whole<'_>: start messages chains;
        "sha512::Message", sha2::Message<'_, u64>: end blocks closing;
        "blake3::Chain", blake3::Chain: h counter flags first missing;
        "blake3::Group", blake3::Group<'_>: key flags first last lengths counters count inputs ends followed outputs;
        "blake3::Ends", blake3::Ends<'_>: counts blocks;
        "blake3::SingleBlock", blake3::SingleBlock<'_>: key bytes counter length flags;
        "blake3::Node", blake3::Node: h block counter length flags;
    }
    for (variant, value) in [
        ("blake2::Last::Not", blake2::Last::Not as u8),
        ("blake2::Last::Block", blake2::Last::Block as u8),
        ("blake2::Last::Node", blake2::Last::Node as u8),
        ("sha256::Written::Before", sha256::Written::Before as u8),
        ("sha256::Written::JustNow", sha256::Written::JustNow as u8),
        ("Known::Nothing", Known::Nothing as u8),
        ("Known::Alike", Known::Alike as u8),
        ("Known::Half", Known::Half as u8),
    ] {
        writeln!(text, "{variant} {value}").unwrap();
    }
    // It is not in the package.
    if let Ok(assumed) = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tools/prove/layouts.txt")) {
        assert!(assumed == text, "tools/prove/layouts.txt should have:\n{text}");
    }
}

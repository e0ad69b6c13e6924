//! BLAKE2X against Go's, whose output `tests/data/blake2x` holds, and against its definition over roots and blocks.

use core::fmt::Debug;
use core::ops::RangeInclusive;
#[cfg(panic = "unwind")]
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use simd_digest::Backend;
use simd_digest::blake2::{Blake2x, Flavour, OutputReader, Params};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::FlavourS;
use simd_digest::digest::common::AlgorithmName;
use simd_digest::digest::{ExtendableOutput, ExtendableOutputReset, Reset, Update, XofReader};

use crate::common::cases::fewer;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::vector::{Vector, bytes, number};

/// What the tests have to know of a family.
trait Known: Flavour {
    const XOF: &'static str;
    /// Bytes of a digest.
    const LENGTH: u8;
    /// The longest output of known length.
    const XOF_LONGEST: u64;
}

impl Known for FlavourB {
    const XOF: &'static str = "Blake2xb";
    const LENGTH: u8 = 64;
    const XOF_LONGEST: u64 = (1 << 32) - 2;
}

impl Known for FlavourS {
    const XOF: &'static str = "Blake2xs";
    const LENGTH: u8 = 32;
    const XOF_LONGEST: u64 = (1 << 16) - 2;
}

/// Runs each test for both families.
macro_rules! of_both {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        mod blake2xb {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<super::FlavourB>(); })+
        }
        mod blake2xs {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<super::FlavourS>(); })+
        }
    };
}
of_both! {
    vectors_of_go,
    salt_and_personal_by_definition,
    pieces,
    any_position,
    positions_near_the_end_of_the_unknown,
    long_output_equals_one_lane,
    past_the_end,
    #[cfg(panic = "unwind")] past_the_end_of_traits,
    #[cfg(feature = "std")] any_position_by_seek,
    lengths_out_of_range,
    the_traits,
    fields_of_the_tree_do_not_matter,
    message_in_pieces,
    nothing_secret_is_printed,
}

fn length<F: Known>() -> u64 {
    F::LENGTH.into()
}

/// Keyed, salted and personalised.
fn params<F: Known>() -> Params<F> {
    let quarter = usize::from(F::LENGTH / 4);
    Params::new().key(b"a key").salt(&paint(quarter)).personal(&paint(2 * quarter)[quarter..])
}

/// The hasher of known length, or of unknown.
fn hasher<F: Known>(params: &Params<F>, length: Option<u64>) -> Blake2x<F> {
    length.map_or_else(|| params.xof(), |length| params.xof_with_length(length)).unwrap()
}

fn output<F: Known>(params: &Params<F>, length: Option<u64>, message: &[u8]) -> OutputReader<F> {
    hasher(params, length).update(message).finalize()
}

fn take<F: Known>(output: &mut OutputReader<F>, length: usize) -> Vec<u8> {
    // What is not written would be seen.
    let mut bytes = vec![0x5a; length];
    output.try_read(&mut bytes).unwrap();
    bytes
}

/// The output blocks of these numbers, each hashed on its own.
fn by_definition<F: Known>(
    params: &Params<F>,
    xof_length: Option<u64>,
    message: &[u8],
    blocks: RangeInclusive<u64>,
) -> Vec<u8> {
    let high = xof_length.unwrap_or(F::XOF_LONGEST + 1) << 32;
    let root = params.clone().node_offset(high).hash(message).unwrap();
    let node = params.clone().key(b"").fanout(0).max_depth(0);
    let node = node.max_leaf_length(F::LENGTH.into()).inner_hash_length(F::LENGTH.into());
    let block = |i: u64| {
        let left = xof_length.map_or(length::<F>(), |whole| length::<F>().min(whole - i * length::<F>()));
        let node = node.clone().node_offset(i | high).hash_length(usize::try_from(left).unwrap());
        node.hash(root.as_bytes()).unwrap().as_bytes().to_vec()
    };
    blocks.flat_map(block).collect()
}

fn vectors_of_go<F: Known>() {
    let mut vectors = 0;
    for vector in Vector::all(include_str!("../data/blake2x.txt")) {
        if !vector.text("hash").eq_ignore_ascii_case(F::XOF) {
            continue;
        }
        vectors += 1;
        let key: Vec<u8> = (0..=255).rev().take(number(vector.text("key"))).collect();
        let message = paint(number(vector.text("message")));
        let known = Some(number(vector.text("xof"))).filter(|&length| length > 0);
        for backend in Backend::available() {
            let params = Params::<F>::new().key(&key).with_backend(backend);
            let read = take(&mut output(&params, known, &message), number(vector.text("read")));
            let shown = match read.len() {
                ..=64 => read,
                _ => blake2b::Params::new().hash_length(16).hash(&read).unwrap().as_bytes().to_vec(),
            };
            assert_eq!(shown, bytes(vector.text("output")), "{backend}, {vector:?}");
        }
    }
    assert!(vectors > 90, "only {vectors} vectors");
}

/// Of which Go has neither.
fn salt_and_personal_by_definition<F: Known>() {
    let message = paint(300);
    let around = 8 * length::<F>();
    let lengths = [1, 2, length::<F>() - 1, length::<F>(), length::<F>() + 1, around - 1, around, around + 1, 5000];
    for backend in Backend::available() {
        for known in lengths.map(Some).into_iter().chain([None, Some(F::XOF_LONGEST)]) {
            let read = known.unwrap_or(6000).min(6000);
            let params = params::<F>().with_backend(backend);
            let mut expected = by_definition(&params, known, &message, 0..=(read - 1) / length::<F>());
            let read = usize::try_from(read).unwrap();
            expected.truncate(read);
            assert_eq!(take(&mut output(&params, known, &message), read), expected, "{backend}, {known:?}");
        }
    }
}

fn pieces<F: Known>() {
    let block = usize::from(F::LENGTH);
    for backend in Backend::available() {
        let params = params::<F>().with_backend(backend);
        let whole = take(&mut output(&params, Some(5001), b"message"), 5001);
        for size in [1, 2, block - 1, block, block + 1, 3 * block, 16 * block, 16 * block + 1, 33 * block - 1] {
            let mut output = output(&params, Some(5001), b"message");
            let mut read = Vec::new();
            while output.remaining() > 0 {
                let left = usize::try_from(output.remaining()).unwrap();
                read.extend(take(&mut output, size.min(left)));
                assert_eq!((output.position(), output.remaining()), (read.len() as u64, 5001 - read.len() as u64));
            }
            assert_eq!(read, whole, "{backend}, pieces of {size}");
        }

        let mut random = Random::new(5001);
        for _ in 0..20 {
            let mut output = output(&params, Some(5001), b"message");
            let read: Vec<u8> =
                random.pieces(&whole).into_iter().flat_map(|piece| take(&mut output, piece.len())).collect();
            assert_eq!(read, whole, "{backend}");
        }
    }
}

fn any_position<F: Known>() {
    for backend in Backend::available() {
        for known in [Some(3333), None] {
            let params = params::<F>().with_backend(backend);
            let mut output = output(&params, known, b"message");
            let whole = take(&mut output, 3333);
            let mut random = Random::new(3333);
            for _ in 0..300 {
                let begin = random.below(3334);
                let most = if random.below(2) == 0 { 100 } else { 3333 };
                let length = random.below(most).min(3333 - begin);
                output.set_position(begin as u64).unwrap();
                assert_eq!(output.position(), begin as u64);
                assert_eq!(take(&mut output, length), whole[begin..][..length], "{backend}, {length} from {begin}");
                // The next piece, of a reader that was copied in the middle of a block.
                let next = 10.min(3333 - begin - length);
                assert_eq!(take(&mut output.clone(), next), whole[begin + length..][..next], "{backend}");
            }
        }
    }
}

fn positions_near_the_end_of_the_unknown<F: Known>() {
    let last = (1 << 32) - 1;
    let end = length::<F>() << 32;
    for backend in Backend::available() {
        let params = params::<F>().with_backend(backend);
        let mut output = output(&params, None, b"message");
        assert_eq!(output.remaining(), end);
        for first in [1 << 16, (1 << 31) - 9, last - 40] {
            let expected = by_definition(&params, None, b"message", first..=first + 40);
            for skipped in [0, 1, 63, 64, 65] {
                output.set_position(first * length::<F>() + skipped as u64).unwrap();
                let read = take(&mut output, expected.len() - skipped);
                assert_eq!(read, expected[skipped..], "{backend}, {skipped} bytes after block {first}");
            }
        }
        assert_eq!((output.position(), output.remaining()), (end, 0));
        assert!(output.try_read(&mut [0]).is_err());
        output.set_position(end).unwrap();
        assert!(output.set_position(end + 1).is_err());
    }
}

fn long_output_equals_one_lane<F: Known>() {
    let portable = Backend::available().last().unwrap();
    let length = fewer(0, 0..16).count() << 16;
    let mut one_lane = vec![0x5a; length];
    let mut blocks = output(&params::<F>().with_backend(portable), None, b"message");
    for block in one_lane.chunks_mut(F::LENGTH.into()) {
        blocks.try_read(block).unwrap();
    }
    for backend in Backend::available() {
        let read = take(&mut output(&params::<F>().with_backend(backend), None, b"message"), length);
        assert!(read == one_lane, "{backend}");
    }
}

fn past_the_end<F: Known>() {
    let fresh = || output(&params::<F>(), Some(100), b"message");
    let whole = take(&mut fresh(), 100);

    let mut output = fresh();
    output.set_position(60).unwrap();
    let mut out = [0x5a; 41];
    let error = output.try_read(&mut out).unwrap_err();
    assert_eq!((error.asked(), error.length()), (101, 100));
    assert_eq!(error.to_string(), "the output has 100 bytes, but 101 were asked for");
    assert_eq!((out, output.position()), ([0x5a; 41], 60), "nothing was read");
    assert_eq!(output.set_position(101), Err(error));
    assert!(output.set_position(u64::MAX).is_err());
    assert_eq!(output.position(), 60);

    let mut out = [0x5a; 40];
    XofReader::read(&mut output, &mut out);
    assert_eq!(out, whole[60..]);
    assert_eq!(output.remaining(), 0);
    XofReader::read(&mut output, &mut []);
    assert_eq!(output.try_read(&mut []), Ok(()));

    #[cfg(feature = "std")]
    {
        use std::io::Read;

        output.set_position(60).unwrap();
        let mut out = [0x5a; 300];
        assert_eq!(Read::read(&mut output, &mut out).unwrap(), 40);
        assert_eq!((&out[..40], &out[40..]), (&whole[60..], &[0x5a; 260][..]));
        assert_eq!(Read::read(&mut output, &mut out).unwrap(), 0);
        let mut all = Vec::new();
        assert_eq!(fresh().read_to_end(&mut all).unwrap(), 100);
        assert_eq!(all, whole);
    }
}

/// What `work` says when it panics.
#[cfg(panic = "unwind")]
fn panics(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it must panic");
    *panic.downcast().expect("a text that is formatted")
}

/// The traits have no error to return, so they panic: zeros would be taken for a key.
#[cfg(panic = "unwind")]
fn past_the_end_of_traits<F: Known>() {
    let mut output = output(&params::<F>(), Some(100), b"message");
    for (position, lengths) in [(60, [41, 300]), (100, [1, 64])] {
        output.set_position(position).unwrap();
        for length in lengths {
            let mut out = vec![0x5a; length];
            let text = panics(|| XofReader::read(&mut output, &mut out));
            assert_eq!(text, format!("the output has 100 bytes, but {} were asked for", position + length as u64));
            assert_eq!((out, output.position()), (vec![0x5a; length], position), "nothing was read");
        }
    }

    let hasher = || params::<F>().xof_with_length(50).unwrap();
    let expected = "the output has 50 bytes, but 200 were asked for";
    assert_eq!(panics(|| hasher().finalize_xof_into(&mut [0; 200])), expected);
    assert_eq!(panics(|| hasher().finalize_xof_reset_into(&mut [0; 200])), expected);
    #[cfg(feature = "alloc")]
    {
        assert_eq!(panics(|| _ = hasher().finalize_xof().read_boxed(200)), expected);
        assert_eq!(panics(|| _ = hasher().finalize_boxed(200)), expected);
        assert_eq!(hasher().finalize_boxed(50)[..], take(&mut hasher().finalize(), 50));
    }
}

/// From the start, the end and the middle, against `try_read` from there.
#[cfg(feature = "std")]
fn any_position_by_seek<F: Known>() {
    use std::io::{ErrorKind, Read, Seek, SeekFrom};

    let block = length::<F>();
    for backend in Backend::available() {
        for known in [Some(3333), None] {
            let params = params::<F>().with_backend(backend);
            let mut output = output(&params, known, b"message");
            let end = output.remaining();
            // The last bytes, since an unknown length has too many to be read.
            let begin = end - 3333;
            output.set_position(begin).unwrap();
            let whole = take(&mut output, 3333);
            let mut random = Random::new(3334);
            for i in 0..300 {
                let at = random.below(3334);
                let position = begin + at as u64;
                let away = |from: u64| i64::try_from(position).unwrap() - i64::try_from(from).unwrap();
                let to = match i % 3 {
                    0 => SeekFrom::Start(position),
                    1 => SeekFrom::Current(away(output.position())),
                    _ => SeekFrom::End(away(end)),
                };
                assert_eq!(output.seek(to).unwrap(), position, "{backend}, {to:?}");
                assert_eq!((output.position(), output.remaining()), (position, end - position));
                assert_eq!(output.stream_position().unwrap(), position);
                let length = random.below(200).min(3333 - at);
                let mut out = vec![0x5a; length];
                output.read_exact(&mut out).unwrap();
                assert_eq!(out, whole[at..][..length], "{backend}, {length} from {to:?}");
            }

            // Up to the end and from the start, no byte further.
            let here = end - block - 1;
            output.set_position(here).unwrap();
            let here = i64::try_from(here).unwrap();
            let behind = i64::try_from(block).unwrap() + 1;
            let (least, most) = (i64::MIN, i64::MAX);
            let mut wrong = vec![SeekFrom::Start(end + 1), SeekFrom::Start(u64::MAX)];
            wrong.extend([-here - 1, behind + 1, least, most].map(SeekFrom::Current));
            wrong.extend([-here - behind - 1, 1, least, most].map(SeekFrom::End));
            for to in wrong {
                let error = output.seek(to).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidInput, "{to:?}");
                assert!(error.to_string().contains("the output"), "{error}");
                assert_eq!(output.position(), end - block - 1, "{to:?}");
            }
            let right = [SeekFrom::Start(end), SeekFrom::End(0), SeekFrom::Current(0), SeekFrom::End(-here - behind)];
            assert_eq!(right.map(|to| output.seek(to).unwrap()), [end, end, end, 0]);
            assert_eq!(output.seek(SeekFrom::Current(5)).unwrap(), 5);
            output.rewind().unwrap();
            assert_eq!(output.position(), 0);
        }
    }
}

fn lengths_out_of_range<F: Known>() {
    for given in [0, F::XOF_LONGEST + 1, F::XOF_LONGEST + 2, 1 << 32, u64::MAX] {
        for error in [Blake2x::<F>::with_length(given).unwrap_err(), params::<F>().xof_with_length(given).unwrap_err()]
        {
            assert_eq!((error.field(), error.value(), error.limits()), ("xof_length", given, 1..=F::XOF_LONGEST));
        }
    }
    for given in [1, F::XOF_LONGEST] {
        assert_eq!(Blake2x::<F>::with_length(given).unwrap().finalize().remaining(), given);
    }
    let long_key = Params::<F>::new().key(&paint(usize::from(F::LENGTH) + 1));
    assert_eq!(long_key.xof().unwrap_err().field(), "key");
    assert_eq!(long_key.xof_with_length(1).unwrap_err().field(), "key");
    let long_salt = Params::<F>::new().salt(&paint(usize::from(F::LENGTH / 4) + 1));
    assert_eq!(long_salt.xof().unwrap_err().field(), "salt");
}

/// They, and what is inherent, are the same.
fn the_traits<F: Known>() {
    let whole = take(&mut output(&Params::<F>::new(), None, b"message"), 1000);
    let mut out = vec![0; 1000];

    Blake2x::<F>::digest_xof(b"message", &mut out);
    assert_eq!(out, whole);

    let mut hasher = Blake2x::<F>::default();
    Update::update(&mut hasher, b"mess");
    Update::update(&mut hasher, b"age");
    assert_eq!(hasher.count(), 7);
    let again = hasher.clone();
    hasher.finalize_xof_reset_into(&mut out);
    assert_eq!(out, whole);
    assert_eq!(hasher.count(), 0);

    // A key stays, and so does the length.
    let mut keyed = params::<F>().xof_with_length(1000).unwrap();
    keyed.update(b"something else");
    Reset::reset(&mut keyed);
    keyed.update(b"message");
    let expected = take(&mut output(&params::<F>(), Some(1000), b"message"), 1000);
    for _ in 0..2 {
        assert_eq!(take(&mut keyed.finalize(), 1000), expected, "digests do not use the message up");
    }
    let mut reader = keyed.finalize_xof_reset();
    assert_eq!((take(&mut reader, 1000), reader.remaining()), (expected, 0));
    again.finalize_xof_into(&mut out);
    assert_eq!(out, whole);

    #[cfg(feature = "std")]
    {
        use std::io::Write;

        let mut hasher = Blake2x::<F>::default();
        hasher.write_all(b"message").unwrap();
        assert_eq!(take(&mut hasher.finalize(), 1000), whole);
    }
}

fn fields_of_the_tree_do_not_matter<F: Known>() {
    let tree = params::<F>().hash_length(7).fanout(2).max_depth(3).max_leaf_length(4).node_offset(5).node_depth(6);
    let tree = tree.inner_hash_length(9).last_node(true);
    let [ours, expected] = [tree, params()].map(|params| take(&mut output(&params, Some(77), b"message"), 77));
    assert_eq!(ours, expected);
}

fn message_in_pieces<F: Known>() {
    let message = paint(1000);
    let mut random = Random::new(1000);
    for backend in Backend::available() {
        let params = params::<F>();
        let mut hasher = hasher(&params, None).with_backend(backend);
        assert_eq!(hasher.backend(), backend);
        let mut count = 0;
        for piece in random.pieces(&message) {
            hasher.update(piece);
            count += piece.len();
            let expected = by_definition(&params, None, &message[..count], 0..=1);
            assert_eq!(take(&mut hasher.finalize(), expected.len()), expected, "{backend}, {count} bytes");
        }
    }
}

fn nothing_secret_is_printed<F: Known>() {
    let print = |what: &dyn Debug| format!("{what:?}");
    let mut hasher = params::<F>().xof_with_length(100).unwrap();
    assert_eq!(print(hasher.update(b"message")), format!("{} {{ .. }}", F::XOF));
    let mut output = hasher.finalize();
    take(&mut output, 30);
    assert_eq!(print(&output), "OutputReader { position: 30, remaining: 70, .. }");

    struct Name<F: Flavour>(Blake2x<F>);
    impl<F: Flavour> core::fmt::Display for Name<F> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            Blake2x::<F>::write_alg_name(f)
        }
    }
    assert_eq!(Name(hasher).to_string(), F::XOF);
}

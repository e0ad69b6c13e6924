//! Parts that no test of blake2b_simd or its dependents reaches, compared with the published blake2b_simd.
#![cfg(test)]

/// A key alone is a whole message, and is hashed before the others are.
#[test]
fn keyed_job_of_an_empty_message_has_its_digest_at_once() {
    let ours = ours::many::HashManyJob::new(ours::Params::new().key(b"key"), b"").to_hash();
    let theirs = theirs::many::HashManyJob::new(theirs::Params::new().key(b"key"), b"").to_hash();
    assert_eq!(ours.as_bytes(), theirs.as_bytes());
}

#[test]
fn jobs_are_theirs() {
    let (mut params, mut their_params) = (ours::Params::new(), theirs::Params::new());
    for key in [&b""[..], b"key"] {
        params.key(key);
        their_params.key(key);
        let messages: Vec<Vec<u8>> = (0..40).map(|i| vec![i as u8; i * i]).collect();
        let mut ours: Vec<_> = messages.iter().map(|m| ours::many::HashManyJob::new(&params, m)).collect();
        let mut theirs: Vec<_> = messages.iter().map(|m| theirs::many::HashManyJob::new(&their_params, m)).collect();
        ours::many::hash_many(&mut ours);
        theirs::many::hash_many(&mut theirs);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours.to_hash().as_bytes(), theirs.to_hash().as_bytes());
        }
    }
}

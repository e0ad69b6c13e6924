//! The library of this package has no `std`, and takes digests as keys of a map.

fn main() {
    let repeated = programs::repeated(b"one one two one six two", 4);
    for (hash, places) in &repeated {
        println!("{hash} {places:?}");
    }
    assert_eq!(repeated.len(), 1);
}

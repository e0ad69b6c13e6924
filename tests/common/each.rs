//! Jobs that are pulled when a lane is free, and sometimes only when asked again.

use core::cell::Cell;

type Jobs<'a, 'j, H> = &'a mut dyn Iterator<Item = (usize, &'j mut H, &'j [u8])>;

/// Lets `update_each` append to each hasher its data. No more jobs are pulled than there are lanes, and each is done
/// once.
pub(crate) fn update<H>(
    lanes: usize,
    hashers: &mut [H],
    data: &[&[u8]],
    update_each: impl for<'j> FnOnce(Jobs<'_, 'j, H>, &mut dyn FnMut(usize)),
) {
    let (live, asked) = (Cell::new(0), Cell::new(0));
    let mut ended = vec![0; hashers.len()];
    let mut jobs = hashers.iter_mut().zip(data).enumerate();
    let mut lazy = core::iter::from_fn(|| {
        assert!(live.get() < lanes, "no lane is free");
        asked.set(asked.get() + 1);
        if live.get() > 0 && asked.get() % 3 == 0 {
            return None;
        }
        let (i, (hasher, data)) = jobs.next()?;
        live.set(live.get() + 1);
        Some((i, hasher, *data))
    });
    update_each(&mut lazy, &mut |i| {
        live.set(live.get() - 1);
        ended[i] += 1;
    });
    assert!(jobs.next().is_none() && ended.iter().all(|&times| times == 1), "{ended:?}");
}

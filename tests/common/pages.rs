//! Memory that ends where nothing may be read, and what is in memory when its value is gone: the only unsafe code of
//! the tests, apart from their allocator.
#![allow(unsafe_code, reason = "the system gives out memory and protects it by pointers")]

use core::ops::{Deref, DerefMut};
use core::{ptr, slice};

/// Whole pages of zeros between two that cannot be touched: whoever reads or writes beside them is ended by the system.
pub(crate) struct Pages {
    /// Where the page before them begins.
    map: *mut u8,
    page: usize,
    length: usize,
}

impl Pages {
    /// At least `length` bytes.
    pub(crate) fn new(length: usize) -> Self {
        // SAFETY: it only tells a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let length = length.next_multiple_of(page);
        let (private, none) = (libc::MAP_PRIVATE | libc::MAP_ANON, libc::PROT_NONE);
        // SAFETY: new memory, at a place that the system chooses.
        let map = unsafe { libc::mmap(ptr::null_mut(), length + 2 * page, none, private, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED);
        let pages = Self { map: map.cast(), page, length };
        // SAFETY: pages of the mapping, which nothing else knows of yet.
        let changed = unsafe { libc::mprotect(pages.begin().cast(), length, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(changed, 0);
        pages
    }

    fn begin(&self) -> *mut u8 {
        // SAFETY: the mapping has two pages more than `length`.
        unsafe { self.map.add(self.page) }
    }

    /// Copies of a value in the last bytes of the pages.
    pub(crate) fn last<T: Copy>(&mut self, count: usize, value: T) -> &mut [T] {
        let size = count * size_of::<T>();
        assert!(size <= self.length && self.page.is_multiple_of(align_of::<T>()));
        // SAFETY: there is room for `count` values, aligned since a value's size is a multiple of its alignment. They
        // are written before they are a slice, and borrowed from `self`.
        unsafe {
            let first: *mut T = self.begin().add(self.length - size).cast();
            (0..count).for_each(|i| first.add(i).write(value));
            slice::from_raw_parts_mut(first, count)
        }
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `length` bytes that may be read, of this mapping alone.
        unsafe { slice::from_raw_parts(self.begin(), self.length) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: `length` bytes that may be written, of this mapping alone.
        unsafe { slice::from_raw_parts_mut(self.begin(), self.length) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, to which no reference is left.
        let unmapped = unsafe { libc::munmap(self.map.cast(), self.length + 2 * self.page) };
        assert_eq!(unmapped, 0);
    }
}

//! What is left in memory when a value is dropped, a block is freed, or a function has returned.
#![allow(unsafe_code, reason = "memory is read after its use, and given out by an allocator")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::{ptr, slice};
use std::alloc::System;

use test_crates::memchr::memmem;

use super::pages::Pages;

/// The bytes of a value, and those in the same place after its drop.
pub(crate) fn before_and_after_drop<T>(value: T) -> (Vec<u8>, Vec<u8>) {
    let mut place = Box::new(MaybeUninit::<T>::zeroed());
    place.write(value);
    let first: *const u8 = place.as_ptr().cast();
    // SAFETY: the bytes of the box, which was zeroed. Volatile, for what a dead value leaves must be read all the same.
    let read = || (0..size_of::<T>()).map(|i| unsafe { first.add(i).read_volatile() }).collect();
    let before = read();
    // SAFETY: it was written above, and is not used as a value any more.
    unsafe { place.assume_init_drop() };
    (before, read())
}

/// An allocator that looks for a word in the memory that comes back to it.
pub(crate) struct Searching;

thread_local! {
    /// The word, and in how many blocks it was.
    static WANTED: Cell<([u8; 8], usize)> = const { Cell::new(([0; 8], 0)) };
}

// SAFETY: every call is handed on to the system's allocator as it is; a block is read before it goes back.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same. Zeros, so that all of it may be read.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let (word, count) = WANTED.get();
        // SAFETY: the block was initialised by zeros, and nobody else has it now.
        let bytes = unsafe { slice::from_raw_parts(memory, layout.size()) };
        if word != [0; 8] && memmem::find(bytes, &word).is_some() {
            WANTED.set((word, count + 1));
        }
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// How many blocks have `word` in them when `work` gives them back.
pub(crate) fn freed_with(word: &[u8], work: impl FnOnce()) -> usize {
    WANTED.set((*word.first_chunk().unwrap(), 0));
    work();
    WANTED.replace(([0; 8], 0)).1
}

/// A stack of which nothing was used before, after a thread has done `work` on it.
pub(crate) fn stack_after<W: FnMut()>(mut work: W) -> Pages {
    extern "C" fn start<W: FnMut()>(work: *mut c_void) -> *mut c_void {
        // SAFETY: the pointer that the thread was made with, to what outlives it.
        unsafe { (*work.cast::<W>())() };
        ptr::null_mut()
    }

    let mut stack = Pages::new(1 << 20);
    // SAFETY: attributes are initialised before they are used, the stack is no thread's but this one's, and both it and
    // `work` are there until the thread has ended.
    unsafe {
        let mut attributes = MaybeUninit::uninit();
        assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
        let length = stack.len();
        assert_eq!(libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack.as_mut_ptr().cast(), length), 0);
        let mut thread = MaybeUninit::uninit();
        let made =
            libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), start::<W>, ptr::from_mut(&mut work).cast());
        assert_eq!(made, 0);
        assert_eq!(libc::pthread_join(thread.assume_init(), ptr::null_mut()), 0);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    stack
}

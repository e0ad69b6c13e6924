//! Secrets, as memory that a tracker takes for undefined: it follows what is computed from them, and complains when a branch
//! or an address depends on it. The tracker is valgrind, or with `--cfg msan` the memory sanitizer.
#![allow(unsafe_code, reason = "trackers are called by addresses")]

/// Makes `value` secret from here on.
pub(crate) fn hide<T: ?Sized>(value: &mut T) {
    let bytes = size_of_val(value);
    tracker::hide(core::ptr::from_mut(value).cast(), bytes);
}

/// Makes `value` known to everybody.
pub(crate) fn reveal<T: ?Sized>(value: &mut T) {
    let bytes = size_of_val(value);
    tracker::reveal(core::ptr::from_mut(value).cast(), bytes);
}

pub(crate) use tracker::watches;

#[cfg(msan)]
mod tracker {
    use core::ffi::c_void;

    unsafe extern "C" {
        fn __msan_poison(address: *const c_void, bytes: usize);
        fn __msan_unpoison(address: *const c_void, bytes: usize);
    }

    pub(crate) fn watches() -> bool {
        true
    }

    pub(super) fn hide(address: *mut c_void, bytes: usize) {
        // SAFETY: marks memory that is borrowed, and leaves it as it is.
        unsafe { __msan_poison(address, bytes) }
    }

    pub(super) fn reveal(address: *mut c_void, bytes: usize) {
        // SAFETY: marks memory that is borrowed, and leaves it as it is.
        unsafe { __msan_unpoison(address, bytes) }
    }
}

#[cfg(not(msan))]
mod tracker {
    use core::ffi::c_void;

    const RUNNING_ON_VALGRIND: usize = 0x1001;
    const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
    const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;

    /// A client request of valgrind: rotations that come to nothing, which a processor does and valgrind recognises.
    #[cfg(target_arch = "x86_64")]
    fn request(number: usize, address: *mut c_void, bytes: usize) -> usize {
        let arguments = [number, address.expose_provenance(), bytes, 0, 0, 0];
        let mut answer = 0;
        // SAFETY: no register but the answer's changes, and no memory.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") &raw const arguments,
                inout("rdx") answer,
                options(nostack),
            );
        }
        answer
    }

    /// Not here.
    #[cfg(not(target_arch = "x86_64"))]
    fn request(_: usize, _: *mut c_void, _: usize) -> usize {
        0
    }

    pub(crate) fn watches() -> bool {
        request(RUNNING_ON_VALGRIND, core::ptr::null_mut(), 0) > 0
    }

    pub(super) fn hide(address: *mut c_void, bytes: usize) {
        request(MAKE_MEM_UNDEFINED, address, bytes);
    }

    pub(super) fn reveal(address: *mut c_void, bytes: usize) {
        request(MAKE_MEM_DEFINED, address, bytes);
    }
}

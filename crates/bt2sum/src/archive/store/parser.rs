//! Reads the fields of a store.

use std::fs::File;
use std::io::{self, BufReader, Read};

use super::format::{Header, Host, KEYED, ONE_FILE_SYSTEM, OWNER, Sealing, XATTRS, damaged};
use crate::scheme::{Algorithm, Scheme, Secret, Shape};
use crate::sealed::array;

/// Reads fields.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) input: BufReader<File>,
    /// The position, and the end of what the checksum covers.
    pub(super) at: u64,
    pub(super) end: u64,
    /// Hashes what is read, if the root is to be compared.
    pub(super) sealing: Option<Sealing>,
}

impl Parser {
    fn advance(&mut self, length: u64) -> io::Result<()> {
        let at = self.at.checked_add(length).filter(|&at| at <= self.end);
        self.at = at.ok_or_else(|| damaged("a field reaches beyond the end"))?;
        Ok(())
    }

    /// Reads a field that the root covers.
    pub(super) fn covered<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let bytes = self.field()?;
        if let Some(sealing) = &mut self.sealing {
            sealing.covered(&bytes);
        }
        Ok(bytes)
    }

    /// Reads a field that the root does not cover.
    pub(super) fn uncovered<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let bytes = self.field()?;
        if let Some(sealing) = &mut self.sealing {
            sealing.uncovered(&bytes);
        }
        Ok(bytes)
    }

    pub(super) fn field<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.advance(N as u64)?;
        array(&mut self.input)
    }

    /// Reads a field of `length` bytes.
    pub(super) fn bytes(&mut self, length: u64) -> io::Result<Vec<u8>> {
        self.advance(length)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.input.read_exact(&mut bytes)?;
        if let Some(sealing) = &mut self.sealing {
            sealing.covered(&bytes);
        }
        Ok(bytes)
    }

    /// Reads a length of 4 bytes, then as many bytes.
    pub(super) fn text(&mut self) -> io::Result<Vec<u8>> {
        let length = u32::from_le_bytes(self.covered()?);
        self.bytes(length.into())
    }

    /// Passes over `length` bytes, and returns where they begin.
    pub(super) fn skip(&mut self, length: u64) -> io::Result<u64> {
        let begin = self.at;
        if self.sealing.is_none() {
            self.advance(length)?;
            self.input.seek_relative(i64::try_from(length).map_err(io::Error::other)?)?;
            return Ok(begin);
        }
        let mut left = length;
        while left > 0 {
            let part = left.min(1 << 16);
            self.bytes(part)?;
            left -= part;
        }
        Ok(begin)
    }

    /// Reads a varint, which the root covers or not.
    pub(super) fn varint(&mut self, covered: bool) -> io::Result<u64> {
        let (mut bytes, mut length, mut number) = ([0; 10], 0, 0_u64);
        loop {
            let [byte] = self.field()?;
            let (part, shift) = (u64::from(byte & 0x7f), 7 * u32::try_from(length).unwrap_or(0));
            let shifted = part.checked_shl(shift).filter(|shifted| shifted >> shift == part);
            number |= shifted.ok_or_else(|| damaged("a number"))?;
            bytes[length] = byte;
            length += 1;
            if byte < 0x80 {
                break;
            }
        }
        if length > 1 && bytes[length - 1] == 0 {
            return Err(damaged("a number"));
        }
        match &mut self.sealing {
            Some(sealing) if covered => sealing.covered(&bytes[..length]),
            Some(sealing) => sealing.uncovered(&bytes[..length]),
            None => {}
        }
        Ok(number)
    }

    /// Reads the parameters of a store of this version of the format.
    pub(super) fn header(&mut self, version: u8, secret: &Secret) -> io::Result<Header> {
        let [hash, size, flags, chunk @ ..] = self.covered::<7>()?;
        let algorithm = match hash {
            1 => Algorithm::Blake2b,
            2 => Algorithm::Blake2s,
            3 if version > 1 => Algorithm::Blake3,
            _ => return Err(damaged("an unknown hash")),
        };
        let (size, chunk) = (usize::from(size), u32::from_le_bytes(chunk));
        let known = KEYED | ONE_FILE_SYSTEM | if version > 1 { OWNER | XATTRS } else { 0 };
        if !algorithm.recorded_lengths().contains(&size) || !algorithm.takes_leaf(chunk) || flags & !known != 0 {
            return Err(damaged("a parameter is out of its range"));
        }
        let mut exclude = Vec::new();
        for _ in 0..u32::from_le_bytes(self.covered()?) {
            let pattern = String::from_utf8(self.text()?);
            exclude.push(pattern.map_err(|_| damaged("a pattern is no text"))?);
        }
        let [keyed, one_file_system, owner, xattrs] =
            [KEYED, ONE_FILE_SYSTEM, OWNER, XATTRS].map(|flag| flags & flag != 0);
        if keyed == secret.is_empty() {
            return Err(io::Error::other(if keyed { "made with a key" } else { "made without a key" }));
        }
        if !secret.suits(algorithm) {
            return Err(io::Error::other(format!("of {}, which takes no key of this length", algorithm.name())));
        }
        let scheme = Scheme { algorithm, size, shape: Shape::Tree { chunk } };
        let host = if version == 1 { Host::default() } else { Host(self.uncovered()?) };
        Ok(Header { version, scheme, keyed, one_file_system, owner, xattrs, exclude, host })
    }
}

//! Functions given to a registry.

use std::sync::Arc;

use datafusion_common::{Result, plan_err};
use datafusion_expr::registry::FunctionRegistry;
use datafusion_expr::{AggregateUDF, ScalarUDF};

use crate::algorithm::Algorithm;
use crate::column::Form;
use crate::digest::Digest;
use crate::keyed::{FINGERPRINT, KeyedDigest};
use crate::plain::PlainDigest;
use crate::row::RowDigest;
use crate::table::{self, TableDigest};

/// Registers all functions that take no key, and returns their names: `digest`, which hashes in lanes where it can and
/// asks the function that was registered before for all else; `sha224`, `sha256`, `sha384`, `sha512`, `blake2s`,
/// `blake2b` and `blake3`, each with a form `…_hex`; `row_digest`; and the aggregate `table_digest`.
///
/// A function of one of these names that was there before is replaced. Registering again changes nothing.
///
/// # Errors
///
/// If one of these names is an alias of another function, which would lose it; then nothing is registered. If the
/// registry takes no functions; those before the first that it refuses stay registered.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<Vec<String>> {
    let mut functions = vec![Digest::over(registry.udf("digest").ok())];
    for algorithm in Algorithm::ALL {
        for form in [Form::Bytes, Form::Hex] {
            functions.push(Arc::new(PlainDigest::new(algorithm, form).into()));
        }
    }
    functions.push(Arc::new(RowDigest::new().into()));
    let table_digest = Arc::new(AggregateUDF::from(TableDigest::new()));
    let names = functions.iter().map(|function| function.name()).chain([table_digest.name()]);
    let names: Vec<String> = names.map(String::from).collect();
    for name in &names {
        if let Ok(other) = registry.udf(name)
            && other.name() != name
        {
            let other = other.name();
            return plan_err!("register_all: {name} is an alias of {other}: give {other} another alias");
        }
    }
    for function in functions {
        registry.register_udf(function)?;
    }
    registry.register_udaf(table_digest)?;
    Ok(names)
}

/// Registers two functions of a key, and returns their names: `name(x)`, the digest of text or bytes with the key, of
/// full length, and `name_fingerprint()`, 8 bytes that tell which key this process has.
///
/// `algorithm` is `blake2b`, `blake2s`, `blake3`, or `sha224`, `sha256`, `sha384` or `sha512`, which stand for HMAC.
/// `key` has 16 to 64 bytes; with `blake2s` 16 to 32, with `blake3` 32. Let a generator of random bytes make the key:
/// anybody who sees a fingerprint can try keys that people would choose.
///
/// The key stays in this process. SQL, plans, logs, errors and `Debug` have the names of the functions, and a
/// fingerprint at most. The key is wiped when the last reference to the function is dropped; wipe your own copy of
/// `key`, too.
///
/// A planner evaluates a call whose argument is a constant, so the plan has the masked value then, and the SQL text has
/// the plain one: mask columns, not literals. The fingerprint is evaluated where the rows are, so over a table it tells
/// whether all executors have the same key: `SELECT DISTINCT name_fingerprint() FROM t`.
///
/// # Errors
///
/// If `name` is not made of lower-case letters, digits and `_`, begins with a digit, or has more than 64 bytes; if it
/// is one of those that [`register_all`] registers, or one of these and `_fingerprint`; if a function of one of the two
/// names is there already; if there is no such `algorithm`; if it takes no key of this length; or if the registry takes
/// no functions. Then nothing is registered.
pub fn register_keyed(
    registry: &mut dyn FunctionRegistry,
    name: &str,
    algorithm: &str,
    key: &[u8],
) -> Result<Vec<String>> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let begins = name.bytes().next().is_some_and(is_letter);
    if !begins || name.len() > 64 || !name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit()) {
        return plan_err!(
            "register_keyed: {name:?} is no name of a function: use 1 to 64 lower-case letters, digits and _, and no \
             digit at the start"
        );
    }
    if is_own(name.strip_suffix(FINGERPRINT).unwrap_or(name)) {
        return plan_err!(
            "register_keyed: {name} is a name of a function without a key, which would take the place of a mask"
        );
    }
    let Some(algorithm) = Algorithm::of_name(algorithm) else {
        return plan_err!(
            "register_keyed: there is no algorithm {algorithm:?}: it must be one of {}",
            Algorithm::names()
        );
    };
    let function = KeyedDigest::new(name, algorithm, key)?;
    let fingerprint = function.fingerprint();
    let functions: [Arc<ScalarUDF>; 2] = [Arc::new(function.into()), Arc::new(fingerprint.into())];
    for function in &functions {
        if is_registered(registry, function.name()) {
            return plan_err!("register_keyed: there is a function {} already", function.name());
        }
    }
    let names = functions.iter().map(|function| function.name().into()).collect();
    let [function, fingerprint] = functions;
    let name = function.name().to_string();
    registry.register_udf(function)?;
    if let Err(error) = registry.register_udf(fingerprint) {
        registry.deregister_udf(&name)?;
        return Err(error);
    }
    Ok(names)
}

/// Whether [`register_all`] registers a function of this name.
fn is_own(name: &str) -> bool {
    let plain = name.strip_suffix("_hex").unwrap_or(name);
    Algorithm::of_name(plain).is_some() || ["digest", RowDigest::NAME, table::NAME].contains(&name)
}

/// Whether a function of any kind has this name.
fn is_registered(registry: &dyn FunctionRegistry, name: &str) -> bool {
    registry.udf(name).is_ok()
        || registry.udaf(name).is_ok()
        || registry.udwf(name).is_ok()
        || registry.higher_order_function(name).is_ok()
}

//! The functions that every process of the cluster registers.

use core::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::DataType;
use ballista_core::utils::default_session_builder;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
use datafusion::prelude::SessionConfig;
use datafusion::scalar::ScalarValue;
use zeroize::Zeroizing;

/// Scheduler, executors and client register them alike. A plan carries the names of functions only.
///
/// `Debug` does not show the key.
pub struct Functions {
    key: Option<Zeroizing<Vec<u8>>>,
    process: String,
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Functions {
    /// With a key file, `mask` and `mask_fingerprint` are among the functions. `executor()` returns the name of the
    /// process that computes it.
    ///
    /// # Errors
    /// The key file cannot be read.
    pub fn new(process: impl Into<String>, key_file: Option<&PathBuf>) -> Result<Self> {
        let read = |path: &PathBuf| match std::fs::read(path) {
            Ok(key) => Ok(Zeroizing::new(key)),
            Err(error) => Err(DataFusionError::Configuration(format!("the key file {}: {error}", path.display()))),
        };
        Ok(Self { key: key_file.map(read).transpose()?, process: process.into() })
    }

    /// Returns the names of the functions that executors must have beside `executor`.
    ///
    /// # Errors
    /// The key has fewer than 16 or more than 64 bytes.
    pub fn register(&self, registry: &mut dyn FunctionRegistry) -> Result<Vec<String>> {
        let process = ScalarValue::from(self.process.as_str());
        // Volatile: another function would be computed by the planner, on the client.
        let executor = create_udf(
            "executor",
            vec![],
            DataType::Utf8,
            Volatility::Volatile,
            Arc::new(move |_| Ok(ColumnarValue::Scalar(process.clone()))),
        );
        registry.register_udf(Arc::new(executor))?;
        let mut names = simd_digest_datafusion::register_all(registry)?;
        if let Some(key) = &self.key {
            names.extend(simd_digest_datafusion::register_keyed(registry, "mask", "blake2b", key)?);
        }
        Ok(names)
    }

    /// A session of Ballista with these functions.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub fn session(&self, config: SessionConfig) -> Result<SessionState> {
        let mut state = default_session_builder(config)?;
        self.register(&mut state)?;
        Ok(state)
    }
}

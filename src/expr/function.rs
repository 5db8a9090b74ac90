//! The registry of scalar functions: name to signature and kernel.

/// A scalar function of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Abs,
}

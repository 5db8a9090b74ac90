//! What the scalar functions compute, by the kind of their arguments. Arguments are never NULL here, and have the types that
//! `function::resolve` asked for.

pub mod format;
pub mod json;
pub mod network;
pub mod numeric;
pub mod string;
pub mod time;
mod zone;

//! Workloads: what is called, with which parameters, in which proportions.

pub mod voter;

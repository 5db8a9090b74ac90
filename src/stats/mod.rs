//! Latency histograms and rates: lock-free to read while they are written.

//! The storage simulator: rooms, engine, energy ledger.

pub mod plan;

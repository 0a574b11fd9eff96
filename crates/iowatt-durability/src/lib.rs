//! The durability of stored data: a plan in, probabilities of loss and hours unavailable out. No I/O, no names.
#![allow(clippy::float_cmp)]

pub mod plan;
pub mod results;

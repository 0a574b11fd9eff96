//! The engines against closed forms, hand calculations and each other.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod agree;
mod closed_forms;
mod plans;
mod published;
mod rare;

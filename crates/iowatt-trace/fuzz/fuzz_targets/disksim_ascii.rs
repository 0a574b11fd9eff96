//! Lines of the format disksim-ascii.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("disksim-ascii"), data));

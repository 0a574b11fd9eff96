//! Lines of the format fiu.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("fiu"), data));

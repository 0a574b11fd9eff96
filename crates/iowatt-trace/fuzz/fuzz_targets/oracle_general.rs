//! Bytes of the format oracle-general.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("oracle-general"), data));

//! Bytes of the format blktrace.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("blktrace"), data));

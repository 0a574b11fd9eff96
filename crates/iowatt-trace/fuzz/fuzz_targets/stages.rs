//! Bytes of a recording of blktrace, joined into requests.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::join(data));

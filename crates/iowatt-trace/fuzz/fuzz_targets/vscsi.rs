//! Bytes of the format vscsi.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("vscsi"), data));

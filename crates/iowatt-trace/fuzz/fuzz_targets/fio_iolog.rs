//! Lines of the format fio-iolog.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("fio-iolog"), data));

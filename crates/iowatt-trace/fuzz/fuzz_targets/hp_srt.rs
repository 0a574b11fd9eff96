//! Headers and records of the format hp-srt.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iowatt_trace_fuzz::decode(Some("hp-srt"), data));

//! What is done to a trace: the first bytes choose it, the rest is a headed table.
#![no_main]

use iowatt_trace::{Placement, Seat, TraceSpec};
use iowatt_trace_fuzz::read;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&[which, tick, from, length, split, most, seat, factor], bytes)) =
        data.split_first_chunk::<8>()
    else {
        return;
    };
    let chosen = |bit: u8| which >> bit & 1 == 1;
    let mut spec = TraceSpec::new("fuzz");
    spec.format = Some("csv".to_owned());
    spec.device = Some("*".to_owned());
    spec.include_other = chosen(0);
    spec.skip_bad = 1000;
    spec.spread_s = chosen(1).then(|| f64::from(tick) * 1e-9);
    spec.from_s = chosen(2).then(|| f64::from(from) * 1e-9);
    spec.to_s = chosen(3).then(|| f64::from(from) * 1e-9 + f64::from(length));
    // Requests are cut into few pieces, else the largest one takes minutes.
    spec.split_bytes = chosen(4).then(|| 1 << (28 + split % 5));
    spec.max_transfer_bytes = chosen(5).then(|| (1 << 28) + (u64::from(most) << 20));
    spec.speed = chosen(6).then(|| f64::from(factor) / 8.0);
    let offset = |shift: u8| Some(u64::from(seat) << shift);
    spec.place = chosen(7).then(|| Placement {
        seats: ["0", "a"]
            .map(|device| Seat {
                device: device.to_owned(),
                volume: None,
                offset: offset(device.len() as u8 * 50),
            })
            .into_iter()
            .take(usize::from(seat % 3))
            .collect(),
        align_bytes: u64::from(tick) << (split % 40),
    });
    let _ = read(bytes, &spec);
});

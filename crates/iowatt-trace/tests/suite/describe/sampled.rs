//! The sample of fixed size against the exact figures of the same requests.

use iowatt_trace::describe::{Description, Options};
use iowatt_trace::{Op, Request};

use super::{of, request};

/// Numbers of 0 to 1, the same on every run.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Skewed random requests over 2 GiB, and a scan of it now and then.
fn mixed(n: usize) -> Vec<Request> {
    let (mut uniform, mut scan, mut requests) = (Uniform(1), 0, Vec::new());
    for i in 0..n as u64 {
        let op = if uniform.next() < 0.3 { Op::Write } else { Op::Read };
        if uniform.next() < 0.1 {
            requests.push(request(i * 10_000, Op::Read, scan % (2 << 30), 65_536));
            scan += 65_536;
        } else {
            let at = (uniform.next().powi(3) * f64::from(1 << 18)) as u64;
            let size = [4096, 8192, 16_384][(uniform.next() * 3.0) as usize];
            requests.push(request(i * 10_000, op, at.wrapping_mul(40_503) % (1 << 18) * 8192, size));
        }
    }
    requests
}

fn mean_error(exact: &Description, sampled: &Description, of: fn(&Description) -> (&[u64], &[f64])) -> f64 {
    let ((sizes, truth), (other, found)) = (of(exact), of(sampled));
    let errors = sizes.iter().zip(truth).map(|(size, truth)| {
        let at = other.partition_point(|s| s < size).min(other.len() - 1);
        (truth - found[at]).abs()
    });
    errors.sum::<f64>() / sizes.len() as f64
}

#[test]
fn a_sample_is_near_the_truth_and_knows_how_near() {
    let requests = mixed(400_000);
    let exact = of(requests.clone(), &Options::default());
    let sampled = of(requests, &Options { samples: 4096, ..Options::default() });
    assert_eq!((exact.reuse.sample.method, sampled.reuse.sample.method), ("exact", "sampled"));
    assert!(sampled.reuse.sample.regions <= 4096 && sampled.reuse.sample.rate < 0.2);
    let by_request =
        mean_error(&exact, &sampled, |d| (&d.reuse.miss_ratio.cache_bytes, &d.reuse.miss_ratio.requests));
    let by_byte =
        mean_error(&exact, &sampled, |d| (&d.reuse.miss_ratio.cache_bytes, &d.reuse.miss_ratio.bytes));
    assert!(by_request < 0.01 && by_byte < 0.01, "{by_request} {by_byte}");
    // The stated error is of the size of the true one.
    let stated = &sampled.reuse.miss_ratio.requests_standard_error;
    let stated = stated.iter().sum::<f64>() / stated.len() as f64;
    assert!(by_request < 4.0 * stated && stated < 0.03, "{by_request} {stated}");

    let footprint = (&exact.footprint, &sampled.footprint);
    assert_eq!(footprint.0.standard_error_bytes, 0.0);
    let off = (footprint.0.total_bytes - footprint.1.total_bytes).abs();
    assert!(off < 4.0 * footprint.1.standard_error_bytes && off < 0.1 * footprint.0.total_bytes);
    for (a, b) in exact.working_set.iter().zip(&sampled.working_set) {
        assert!((a.mean_bytes / b.mean_bytes - 1.0).abs() < 0.1, "{a:?} {b:?}");
    }
    let overwritten = |d: &Description| d.rewrites.overwrite_byte_share.unwrap();
    assert!((overwritten(&exact) - overwritten(&sampled)).abs() < 0.02);
    for (a, b) in exact.block_skew.iter().zip(&sampled.block_skew) {
        assert!((a.reference_share - b.reference_share).abs() < 0.03, "{a:?} {b:?}");
    }
    // What does not rest on blocks is the same.
    assert_eq!(
        (exact.sizes, exact.density, exact.sequential),
        (sampled.sizes, sampled.density, sampled.sequential)
    );
}

/// The distance among a region's own blocks is counted as it is, however small the sample.
#[test]
fn short_distances_are_not_stretched() {
    let mut requests = Vec::new();
    for i in 0..100_000_u64 {
        // Each region twice, block by block: a block comes again after 15 others.
        let (region, block) = (i / 32, i % 16);
        requests.push(request(i * 1000, Op::Read, (region * 16 + block) * 4096, 4096));
    }
    let found = of(requests, &Options { samples: 256, ..Options::default() });
    assert_eq!(found.reuse.sample.method, "sampled");
    let curve = found.reuse.miss_ratio;
    let at =
        |blocks: u64| curve.requests[curve.cache_bytes.iter().position(|&b| b == blocks * 4096).unwrap()];
    assert!(at(15) > 0.9 && (at(16) - 0.5).abs() < 0.1, "{} {}", at(15), at(16));
}

use iowatt_cache::simulation::*;
use iowatt_cache::*;
use iowatt_trace::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let sizes: Vec<u32> = a[3].split(',').map(|x| x.parse().unwrap()).collect();
    for p in a[2].split(',') {
        let r: ReplacementPlan = serde_json::from_str(&format!("{{\"policy\":\"{p}\"}}")).unwrap();
        for &s in &sizes {
            let spec: TraceSpec = serde_json::from_str(&format!(
                "{{\"path\":\"{}\",\"format\":\"oracle-general\",\"device\":\"*\",\"order_only\":true}}",
                a[1]
            ))
            .unwrap();
            let mut src = iowatt_trace::open(&spec).unwrap();
            let plan = SimulationPlan {
                block_bytes: None,
                writes: Writes::Allocate,
                warm_up: WarmUp::default(),
                caches: if s == 0 { vec![] } else { vec![CacheAlone { replacement: r, slots: s }] },
            };
            let t = std::time::Instant::now();
            let o = simulate(src.as_mut(), &a[1], &plan, &mut |_, _| Ok(())).unwrap();
            let e = t.elapsed().as_secs_f64();
            let n = o.all.requests.read;
            println!(
                "{} {} {} hits {} miss {:.5} {:.2} M/s",
                a[1].rsplit('/').next().unwrap(),
                p,
                s,
                o.caches.first().map_or(0, |c| c.hits.requests.read),
                1.0 - o.caches.first().map_or(0, |c| c.hits.requests.read) as f64 / n as f64,
                n as f64 / e / 1e6
            );
        }
    }
}

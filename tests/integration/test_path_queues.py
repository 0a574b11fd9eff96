"""Queues of a path against the laws of queueing (V10, V12, V34 of the verification list), loss at buffers."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
import pytest

from path_runs import scenario, simulate, times, trace

#: A link of a thousand bytes a microsecond, whose frames have no overhead: 1 ns a byte.
GIGABYTE = '{ link = { rate = "1GB/s", frame = 65536 }, name = "wire" }'


def poisson(rate, count, seed):
    return np.cumsum(np.random.default_rng(seed).exponential(1 / rate, count)) + 0.01


def waited_by(arrivals: Sequence[int], services: Sequence[int], servers: int) -> int:
    """Waiting of all in a queue first come first served before equal servers (Kiefer and Wolfowitz)."""
    free = [0] * servers
    waited = 0
    for arrival, service in zip(arrivals, services, strict=True):
        start = max(arrival, heapq.heappop(free))
        waited += start - arrival
        heapq.heappush(free, start + service)
    return waited


def erlang_c(servers, load):
    """Share that waits of M/M/c, from Erlang's B by its recursion."""
    blocked = erlang_b(servers, load)
    return blocked / (1 - load / servers * (1 - blocked))


def erlang_b(servers, load):
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked


def mdc_wait(servers, load):
    """Mean wait of M/D/c in service times: the number there a service time apart is a Markov chain."""
    states = 400
    law = np.exp(
        -load + np.arange(states) * math.log(load) - np.array([math.lgamma(n + 1) for n in range(states)])
    )
    chance = np.zeros(states)
    chance[0] = 1.0
    for _ in range(4000):
        left = np.concatenate([[chance[: servers + 1].sum()], chance[servers + 1 :]])
        after = np.convolve(left, law)[:states]
        if np.abs(after - chance).max() < 1e-13:
            break
        chance = after
    return float(np.maximum(np.arange(states) - servers, 0) @ chance) / load


def test_a_wire_is_m_m_1(tmp_path):
    """V10 with one server: exponential messages, three loads; and each nanosecond of the sample."""
    for load in (0.3, 0.6, 0.8):
        count, mean = 60_000, 65_536
        arrivals = np.round(poisson(load * 1e9 / mean, count, 7) * 1e6, 3)
        sizes = np.maximum(np.random.default_rng(8).exponential(mean / 512, count).astype(int), 1) * 512
        requests = zip(arrivals * 1e-6, ["R"] * count, sizes.tolist(), strict=True)
        raw = simulate(
            scenario(f'protocol = "fcp"\nhop = [{GIGABYTE}]', trace(tmp_path, "a", requests)), tmp_path
        )
        waited, served = times(raw, 1, 0)["wire in"]
        # A command of 32 bytes is 32 ns on its way out, and waits for those just before it.
        assert served == int(sizes.sum()) + 24 * count
        at_array = np.round(arrivals * 1000).astype(int)
        for number in range(1, count):
            at_array[number] = max(at_array[number], at_array[number - 1] + 32)
        assert waited == waited_by((at_array + 32).tolist(), (sizes + 24).tolist(), 1)
        busy = load * served / count / mean
        law = erlang_c(1, busy) / (1 - busy) * served / count
        assert waited / count == pytest.approx(law, rel=0.06)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (2, 0.8), (4, 0.85)])
def test_processors_of_ports_are_m_d_c(tmp_path, servers, load):
    """V10 with several servers, whose times are constant; M/M/c would wait about twice as long."""
    count = 100_000
    arrivals = np.round(poisson(load * servers * 1e5, count, 3) * 1e6, 3)
    requests = zip(arrivals * 1e-6, ["R"] * count, [4096] * count, strict=True)
    station = f'port = {{ command = "10us", processors = {servers} }}'
    raw = simulate(scenario(f'protocol = "fcp"\n{station}', trace(tmp_path, "a", requests)), tmp_path)
    waited, served = times(raw, 1, 0)["port"]
    assert served == 10_000 * count
    assert waited == waited_by(np.round(arrivals * 1000).astype(int).tolist(), [10_000] * count, servers)
    law = mdc_wait(servers, load * servers) * 10_000
    assert waited / count == pytest.approx(law, rel=0.06)
    assert waited / count < 0.65 * erlang_c(servers, load * servers) / (servers * (1 - load)) * 10_000


def test_lanes_take_turns(tmp_path):
    """Every c-th arrival of a Poisson stream: a wire of each lane is E_c/M/1, and waits less than M/M/1."""
    load, lanes, count, mean = 0.7, 2, 80_000, 65_536
    arrivals = poisson(load * lanes * 1e9 / mean, count, 11)
    sizes = np.maximum(np.random.default_rng(12).exponential(mean / 512, count).astype(int), 1) * 512
    requests = zip(arrivals, ["R"] * count, sizes.tolist(), strict=True)
    text = scenario(f'protocol = "fcp"\ncount = {lanes}\nhop = [{GIGABYTE}]', trace(tmp_path, "a", requests))
    waited, served = times(simulate(text, tmp_path), 1, 0)["wire in"]
    root = load  # of x = (lanes load / (lanes load + 1 - x)) ^ lanes, by iteration
    for _ in range(200):
        root = (lanes * load / (lanes * load + 1 - root)) ** lanes
    assert waited / count == pytest.approx(root / (1 - root) * served / count, rel=0.06)


def test_a_full_host_queue_is_a_closed_station(tmp_path):
    """Q outstanding of a request time R: no more than Q/R, which is reached; the rest waits in the host."""
    load = trace(
        tmp_path, "a", ((0.001, "R", 4096) for _ in range(400)), '{ mode = "closed", outstanding = 32 }'
    )
    found = {}
    for depth in (1, 4, 64):
        text = scenario(f'protocol = "fcp"\nqueue_depth = {depth}\nhop = [{{ latency = "50us" }}]', load)
        raw = simulate(text, tmp_path)
        found[depth] = times(raw, 1, 0)["queue"][0]
        assert raw["summary"]["paths"][0]["queue"]["held"] == (400 - depth if depth < 32 else 0)
        seconds = raw["summary"]["window"]["end_ns"] * 1e-9
        assert 400 / seconds == pytest.approx(min(depth, 32) / 100e-6, rel=0.05)
    # 32 in turn: each waits for the 32 - Q before it.
    assert found[1] == 100_000 * (sum(range(32)) + (400 - 32) * 31)
    assert found[64] == 0


def test_express_buffers_are_erlang_s_loss_system(tmp_path):
    """Writes that find no buffer ask the controller: Erlang B of the time a buffer is held."""
    count, rate, buffers = 60_000, 20_000, 4
    requests = zip(poisson(rate, count, 21), ["W"] * count, [4096] * count, strict=True)
    port = f'port = {{ express_writes = [{{ up_to = "8KiB", buffers = {buffers} }}] }}'
    text = scenario(
        f'protocol = "fcp"\n{port}\nhop = [{{ latency = "50us" }}]', trace(tmp_path, "a", requests)
    )
    raw = simulate(text, tmp_path)
    (found,) = raw["summary"]["paths"][0]["express"]
    assert found["taken"] + found["refused"] == count
    # From READY to the data: there and back again.
    assert found["refused"] / count == pytest.approx(erlang_b(buffers, rate * 100e-6), rel=0.05)


def test_what_classes_wait_for_one_another_is_conserved(tmp_path):
    """V12: two classes, one wire, first come first served: sum rho W = rho / (1 - rho) x residual."""
    count, small, large = 40_000, 4096, 131_072
    mixed = []
    for seed, size, load in ((31, small, 0.2), (32, large, 0.5)):
        n = count if size == small else count * small // large * 5 // 2
        arrivals = poisson(load * 1e9 / size, n, seed)
        mixed.append([(float(t), "R", size) for t in arrivals])
    until = min(one[-1][0] for one in mixed)
    loads = [trace(tmp_path, f"c{i}", [r for r in one if r[0] < until]) for i, one in enumerate(mixed)]
    raw = simulate(scenario(f'protocol = "fcp"\nhop = [{GIGABYTE}]', "".join(loads)), tmp_path)
    rho, waits, residual = [], [], 0.0
    for number, size in enumerate((small, large)):
        n = sum(1 for r in mixed[number] if r[0] < until)
        rho.append(n * (size + 24) / (until * 1e9))
        waits.append(times(raw, 1 + number, 0)["wire in"][0] / n)
        residual += rho[-1] * (size + 24) / 2
    law = sum(rho) / (1 - sum(rho)) * residual
    assert rho[0] * waits[0] + rho[1] * waits[1] == pytest.approx(law, rel=0.08)
    assert waits[0] == pytest.approx(waits[1], rel=0.08)


def test_segments_change_who_waits_and_not_the_work(tmp_path):
    """V12, V34: probes behind 256 KiB wait an eighth as long where it goes in 32 KiB; the wire is as busy."""
    period, count = 2e-3, 4000
    transfers = [(0.01 + period * n, "R", 262_144) for n in range(count)]
    probes = [(0.01 + period * n + period * ((n * 0.6180339887) % 1), "R", 512) for n in range(count)]
    found = {}
    for segment in ("", 'segment = "32KiB"\n'):
        load = trace(tmp_path, "big", transfers) + trace(tmp_path, "probe", probes)
        raw = simulate(scenario(f'protocol = "fcp"\n{segment}hop = [{GIGABYTE}]', load), tmp_path)
        (wire,) = (s for s in raw["summary"]["paths"][0]["stations"] if s["slot"] == 3)
        found[segment] = (times(raw, 2, 0)["wire in"][0] / count, wire["busy_ns"])
    whole, split = found.values()
    # Residual of what is in service, by the share of time that it is: E[L^2] / (2 E[L]) x utilisation.
    assert whole[0] == pytest.approx(262_144 / 2 * 262_144e-9 / period, rel=0.03)
    assert whole[0] / split[0] == pytest.approx(8, rel=0.05)
    assert whole[1] == split[1]

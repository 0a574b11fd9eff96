"""Any path: alone it takes what the plan says; under load every nanosecond of a request is booked once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.model.scenario.path_alone import alone
from path_runs import scenario, simulate, times, total, trace

MODERATED = """
[array.controller.processing]
read = "10us"
write = "12us"
ready = "7us"
interrupt = "3us"
moderation = { delay = "20us", count = 4 }
"""
DRIVES = """
[array.controller]
cache = { size = "1MiB", line = "4KiB", write = "back", mirror = { bandwidth = "200MB/s" } }
split = "32KiB"
[array.controller.processing]
read = "10us"
write = "12us"
ready = "7us"
interrupt = "3us"
processors = 2
"""


def _link(rate, frame, overhead, metres, credits_):
    figures = f'rate = "{rate}MB/s", frame = {frame}, overhead = {overhead}'
    counted = "" if credits_ is None else f", credits = {credits_}"
    return f'{{ link = {{ {figures} }}, distance = "{metres}m"{counted} }}'


LINKS = st.builds(
    _link,
    st.integers(1, 9000),
    st.integers(64, 9000),
    st.integers(0, 200),
    st.integers(0, 100_000),
    st.one_of(st.none(), st.integers(1, 300)),
)
SWITCHES = st.builds(
    lambda ns, how: f'{{ switch = {{ latency = "{ns}ns", forwarding = "{how}" }} }}',
    st.integers(0, 5000),
    st.sampled_from(["cut-through", "store-and-forward"]),
)
PROTOCOLS = st.one_of(
    st.builds(
        lambda name, first, burst: f'{{ name = "{name}", first_burst = {first}, burst = {burst} }}',
        st.sampled_from(["fcp", "nvme-fc", "iscsi"]),
        st.integers(0, 20_000).map(lambda n: n + 8192),
        st.integers(9000, 100_000),
    ),
    st.builds(
        lambda name, most: f'{{ name = "{name}", in_capsule = {most} }}',
        st.sampled_from(["nvme-tcp", "nvme-rdma"]),
        st.integers(0, 100_000),
    ),
    st.sampled_from(['"fcp"', '"nvme-pcie"', '"iscsi"']),
)


@settings(max_examples=60, deadline=None)
@given(
    hops=st.lists(st.one_of(LINKS, SWITCHES), max_size=5),
    protocol=PROTOCOLS,
    sizes=st.lists(st.integers(1, 40).map(lambda n: n * 4096), min_size=1, max_size=3),
    adapter=st.tuples(st.integers(0, 9000), st.integers(0, 9000), st.integers(0, 9000)),
    segment=st.one_of(st.none(), st.integers(3000, 50_000)),
)
def test_alone_a_path_takes_what_its_plan_says(hops, protocol, sizes, adapter, segment):
    submit, ready, complete = adapter
    text = f"protocol = {protocol}\nhop = [{', '.join(hops)}]\n"
    text += f'hba = {{ submit = "{submit}ns", ready = "{ready}ns", complete = "{complete}ns" }}\n'
    # Not behind stored frames: whether a small segment overtakes a large one there is not settled.
    divided = segment is not None and not any("store-and-forward" in hop for hop in hops)
    text += f"segment = {segment}\n" if divided else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loads = [
            trace(folder, f"w{i}", [(1.0 + 2 * i, "R", size), (2.0 + 2 * i, "W", size)])
            for i, size in enumerate(sizes)
        ]
        raw = simulate(scenario(text, "".join(loads)), folder)
    path = raw["plan"]["simulation"]["paths"][0]
    for number, size in enumerate(sizes):
        assert total(raw, 1 + number, 0) == alone(path, size, write=False)
        assert total(raw, 1 + number, 1) == alone(path, size, write=True)


@pytest.mark.parametrize(
    "protocol", ['"fcp"', '{ name = "fcp", fast_write = "sw" }', '{ name = "fcp", burst = 8192 }']
)
def test_under_load_every_nanosecond_is_booked_once(tmp_path, protocol):
    draw = np.random.default_rng(5)
    count = 3000
    arrivals = np.cumsum(draw.exponential(200e-6, count)) + 0.001
    ops, sizes = draw.choice(["R", "W"], count).tolist(), (draw.integers(1, 30, count) * 4096).tolist()
    places = (draw.integers(0, 2_000, count) * 4_194_304).tolist()
    requests = zip(arrivals.tolist(), ops, sizes, places, strict=True)
    load = trace(tmp_path, "a", requests).replace("zero_share = 1.0\n", "")
    text = scenario(
        f'protocol = {protocol}\ncount = 2\nqueue_depth = 16\nhba = "emulex-lpe12002"\n'
        'hop = [{ link = "fc-4g" }, { switch = "brocade-6510", name = "sw" }, { link = "fc-8g" }]\n'
        'port = { command = "3us", express_writes = [{ up_to = "16KiB", buffers = 4 }] }',
        load,
    ).replace("[array.controller]\nzero_detect = true\n", DRIVES)
    raw = simulate(text, tmp_path)
    response = raw["summary"]["workloads"][1]["response"]
    for way, op in enumerate(("read", "write")):
        booked = times(raw, 1, way)
        assert sum(map(sum, booked.values())) == round(response[op]["mean_s"] * response[op]["count"] * 1e9)
        assert booked["drive"][1] > 0 or op == "write"
        assert booked["queue"][0] > 0
    hops = raw["hops"]
    by_slot = {}
    for slot, requests in zip(hops["slot"], hops["requests"], strict=True):
        by_slot[slot] = by_slot.get(slot, 0) + int(requests)
    assert set(by_slot.values()) == {count}


def test_an_interrupt_that_is_held_back_waits_for_its_delay(tmp_path):
    load = trace(tmp_path, "a", [(0.1, "R", 4096), (0.2, "W", 4096)])
    text = scenario('protocol = "fcp"\nhop = [{ link = "fc-8g" }]', load, MODERATED)
    raw = simulate(text, tmp_path)
    path = raw["plan"]["simulation"]["paths"][0]
    assert total(raw, 1, 0) == alone(path, 4096, write=False) + 20_000 + 13_000
    assert total(raw, 1, 1) == alone(path, 4096, write=True) + 2 * 20_000 + 10_000 + 15_000

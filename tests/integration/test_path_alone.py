"""One request at a time on an idle path takes what a hand computation says, to the nanosecond."""

from __future__ import annotations

import pytest

from iowatt.model.scenario.path_alone import alone
from path_runs import scenario, simulate, times, total, trace

SIZES = (4096, 8192, 12288, 20480, 65536, 1 << 20)
FC = 'hop = [{ link = "fc-8g" }, { switch = "brocade-6510" }, { link = "fc-16g", distance = "3km" }]'
STORING = '{ switch = { latency = "1us", forwarding = "store-and-forward" } }'
IP = f'hop = [{{ link = "eth-10g" }}, {STORING}, {{ link = "eth-25g" }}]'
PCIE = 'hop = [{ link = "pcie4-x4" }]'

CASES = {
    "fcp": f'protocol = "fcp"\n{FC}',
    "fcp, first burst": f'protocol = {{ name = "fcp", first_burst = "8KiB" }}\n{FC}',
    "fcp, bursts": f'protocol = {{ name = "fcp", burst = "24KiB" }}\nhba = "hp-a6826a"\n{FC}',
    "fcp, fast write": f'protocol = {{ name = "fcp", fast_write = "brocade-6510", burst = "8KiB" }}\n{FC}',
    "fcp, adapter and port": f'protocol = "fcp"\nhba = "emulex-lpe12002"\nport = {{ command = "3us" }}\n{FC}',
    "fcp, segments": f'protocol = "fcp"\nsegment = "12KiB"\n{FC}',
    "fcp, credits": 'protocol = "fcp"\nhop = [{ link = "fc-8g", distance = "50km", credits = 7 }]',
    "nvme-fc": f'protocol = "nvme-fc"\n{FC}',
    "nvme-tcp": f'protocol = "nvme-tcp"\n{IP}',
    "nvme-tcp, jumbo": 'protocol = "nvme-tcp"\nhop = [{ link = { name = "eth-100g", frame = 9000 } }]',
    "nvme-rdma": f'protocol = {{ name = "nvme-rdma", in_capsule = "16KiB" }}\n{IP}',
    "iscsi": f'protocol = "iscsi"\n{IP}',
    "iscsi, first burst": f'protocol = {{ name = "iscsi", first_burst = "64KiB", burst = "64KiB" }}\n{IP}',
    "nvme-pcie": f'protocol = "nvme-pcie"\n{PCIE}',
    "no hops": 'protocol = "fcp"\nhop = []\nhba = { submit = "4us", complete = "5us", ready = "6us" }',
}


def one_at_a_time(folder, path):
    """A read and a write of each size, a tenth of a second apart; a workload for each size."""
    workloads = [
        trace(folder, f"w{i}", [(0.1 + 0.2 * i, "R", size), (0.2 + 0.2 * i, "W", size)])
        for i, size in enumerate(SIZES)
    ]
    return simulate(scenario(path, "".join(workloads)), folder)


@pytest.mark.parametrize("case", CASES)
def test_the_simulator_comes_to_the_plan_worked_through(tmp_path, case):
    raw = one_at_a_time(tmp_path, CASES[case])
    path = raw["plan"]["simulation"]["paths"][0]
    for number, size in enumerate(SIZES):
        found = [total(raw, 1 + number, way) for way in (0, 1)]
        assert found == [alone(path, size, write=False), alone(path, size, write=True)], size
        response = raw["summary"]["workloads"][1 + number]["response"]
        assert [round(response[op]["mean_s"] * 1e9) for op in ("read", "write")] == found


def test_a_read_and_a_write_of_8_kib_over_fcp(tmp_path):
    # 8GFC: 850 bytes a microsecond. 4 frames of 2,172 bytes are 8,688; a command is 32 + 124 bytes, XFER_RDY
    # 12 + 124, a response 24 + 124. Two links of the same speed, cut through: each bit is sent once. 2 x 5 us
    # of fibre, 0.7 us in the switch, each way.
    link = '{ link = "fc-8g", distance = "1km" }'
    hop = f'hop = [{link}, {{ switch = "brocade-6510" }}, {link}]'
    raw = simulate(
        scenario(f'protocol = "fcp"\n{hop}', trace(tmp_path, "a", [(0.1, "R", 8192), (0.2, "W", 8192)])),
        tmp_path,
    )
    command, ready, data, response, way = 156 / 0.85, 136 / 0.85, 8688 / 0.85, 148 / 0.85, 10_700
    assert total(raw, 1, 0) == pytest.approx(command + (data + response) + 2 * way, abs=2)
    assert total(raw, 1, 1) == pytest.approx(command + ready + data + response + 4 * way, abs=4)
    read = times(raw, 1, 0)
    assert read["brocade-6510 out"] == read["brocade-6510 in"] == (0, 700)
    assert sum(waited for waited, _ in read.values()) == 0


def test_a_stored_frame_waits_until_it_is_there(tmp_path):
    # 1,000 and 250 bytes a microsecond, frames of 1,000 bytes with nothing around them. A read's 4,096 bytes
    # and its response of 24 come over the slow link first: the last frame, the response, takes 24 ns on the
    # fast one. A write's command of 72 bytes opens the message: it is whole on the fast link after 72 ns, and
    # from then on the slow one is busy.
    links = [f'{{ link = {{ rate = "{rate}MB/s", frame = 1000 }} }}' for rate in (1000, 250)]
    switch = '{ switch = { latency = "2us", forwarding = "store-and-forward" } }'
    protocol = '{ name = "nvme-tcp", stack = "0us", in_capsule = 8192 }'
    text = f"protocol = {protocol}\nhop = [{links[0]}, {switch}, {links[1]}]"
    raw = simulate(scenario(text, trace(tmp_path, "a", [(0.1, "R", 4096), (0.2, "W", 4096)])), tmp_path)
    command, response = 72 + 2000 + 4 * 72, 4 * 24 + 2000 + 24
    assert total(raw, 1, 0) == command + 4 * (4096 + 24) + 2000 + 24
    assert total(raw, 1, 1) == 72 + 2000 + 4 * (72 + 4096) + response


def test_the_rates_of_fibre_channel_adapters(tmp_path):
    """V32: 801 and 1,603 MB/s of data on 8 and 16 Gbit/s; an adapter's own rate where that is less."""
    for link, rate in (("fc-8g", 850e6), ("fc-16g", 1700e6)):
        for op, way in (("R", "in"), ("W", "out")):
            requests = ((0.001, op, 1 << 20) for _ in range(200))
            load = trace(tmp_path, "a", requests, '{ mode = "closed", outstanding = 8 }')
            raw = simulate(scenario(f'protocol = "fcp"\nhop = [{{ link = "{link}" }}]', load), tmp_path)
            (station,) = (
                s for s in raw["summary"]["paths"][0]["stations"] if s["slot"] == (3 if way == "in" else 2)
            )
            data = 200 * 2**20 / (station["busy_ns"] * 1e-9)
            assert data == pytest.approx(rate * 2048 / 2172, rel=4e-4)
            seconds = raw["summary"]["window"]["end_ns"] * 1e-9
            assert 200 * 2**20 / seconds == pytest.approx(rate * 2048 / 2172, rel=4e-3)
    load = trace(
        tmp_path, "a", ((0.001, "R", 1 << 20) for _ in range(200)), '{ mode = "closed", outstanding = 8 }'
    )
    text = scenario('protocol = "fcp"\nhba = "emulex-lpe12002"\nhop = [{ link = "fc-8g" }]', load)
    seconds = simulate(text, tmp_path)["summary"]["window"]["end_ns"] * 1e-9
    assert 200 * 2**20 / seconds == pytest.approx(789e6, rel=4e-3)


@pytest.mark.parametrize(
    ("protocol", "read", "write"),
    [
        ('"fcp"', 10, 20),
        ('{ name = "fcp", first_burst = "64KiB" }', 10, 10),
        ('{ name = "fcp", fast_write = "near" }', 10, 10),
        ('{ name = "fcp", burst = "16KiB" }', 10, 50),
        ('"nvme-fc"', 10, 20),
    ],
)
def test_what_a_kilometre_costs(tmp_path, protocol, read, write):
    """V33: 5 us a kilometre one way, once there and back for each round of messages; 64 KiB."""
    found = []
    for length in (0, 10, 100):
        near = '{ link = "fc-8g" }, { switch = "brocade-6510", name = "near" }'
        hop = f'[{near}, {{ link = "fc-8g", distance = "{length}km" }}]'
        load = trace(tmp_path, "a", [(0.1, "R", 65536), (0.2, "W", 65536)])
        raw = simulate(scenario(f"protocol = {protocol}\nhop = {hop}", load), tmp_path)
        found.append((length, total(raw, 1, 0), total(raw, 1, 1)))
    for length, *measured in found[1:]:
        assert [one - zero for one, zero in zip(measured, found[0][1:], strict=True)] == [
            read * 1000 * length,
            write * 1000 * length,
        ]


def test_the_array_has_its_own_time_and_all_adds_up(tmp_path):
    load = trace(tmp_path, "a", [(0.1, "R", 8192), (0.2, "W", 8192), (0.3, "W", 8192)])
    controller = (
        '[array.controller.processing]\nread = "40us"\nwrite = "50us"\nready = "30us"\ninterrupt = "5us"\n'
    )
    port = 'port = { command = "2us", express_writes = [{ up_to = "4KiB", buffers = 8 }] }'
    text = scenario(f'protocol = "fcp"\n{port}\nhop = [{{ link = "fc-8g" }}]', load, controller)
    raw = simulate(text, tmp_path)
    path = raw["plan"]["simulation"]["paths"][0]
    read, write = times(raw, 1, 0), times(raw, 1, 1)
    assert read["processors"] == (0, 45_000)
    assert write["processors"] == (0, 2 * (55_000 + 35_000))
    assert total(raw, 1, 0) == alone(path, 8192, write=False) + 45_000
    assert total(raw, 1, 1) == 2 * (alone(path, 8192, write=True) + 90_000)
    # Of the class, the port answers by itself: one visit less (2 -> 1).
    raw = simulate(text, tmp_path, ["path.san.port.express_writes.0.up_to=8KiB"])
    assert times(raw, 1, 1)["processors"] == (0, 2 * 55_000)
    assert raw["summary"]["paths"][0]["express"] == [{"taken": 2, "refused": 0}]

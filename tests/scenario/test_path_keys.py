"""Keys of paths: what becomes of them in the plan, and what is wrong between them."""

from __future__ import annotations

import json

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from noted import noted
from refused import faults

TEXT = """\
name = "p"
[[workload]]
name = "oltp"
trace = { path = "t.csv" }
[[workload]]
name = "backup"
trace = { path = "t.csv" }
[[array.pool]]
name = "disk"
device = "arrays2002-disk"
count = 1
"""
PATH = """\
[[path]]
name = "san"
workloads = ["oltp"]
protocol = "fcp"
hba = "emulex-lpe12002"
hop = [{ link = "fc-8g" }, { switch = "brocade-6510", name = "sw" }, { link = "fc-8g", distance = "10km" }]
"""
LINK = "[[path]]\nname = 'a'\nworkloads = ['oltp']\n"


def compiled(text, *sets):
    return compile_plan(load(TEXT + text, sets, traces_must_exist=False))


def paths(text, *sets):
    return compiled(text, *sets)["simulation"]["paths"]


def refusal(text, *sets):
    with pytest.raises(DocumentError) as caught:
        load(TEXT + text, sets, traces_must_exist=False)
    return caught.value


def test_a_path_in_the_plan():
    plan = compiled(PATH)
    simulation = plan["simulation"]
    assert [one.get("path") for one in simulation["workloads"]] == [0, None]
    wire = {"frame_payload_bytes": 2048, "whole_frames": False}
    fc = {"bytes_per_s": 850e6, "frame_wire_bytes": 2172, **wire}
    assert simulation["paths"] == [
        {
            "lanes": 1,
            "queue_depth": 30,
            "host": {"submit_s": 2.5e-6, "ready_s": 0.0, "complete_s": 2.5e-6, "processors": 1},
            "hops": [
                {"bytes_per_s": 789e6, "frame_wire_bytes": 2048, "latency_s": 0.0, **wire},
                {**fc, "latency_s": 0.0},
                {**fc, "bytes_per_s": None, "frame_wire_bytes": 2048, "latency_s": 700e-9},
                {**fc, "latency_s": 50e-6},
            ],
            "port": {"command_s": 0.0, "processors": 1, "express": []},
            "exchange": {
                "command_bytes": 32,
                "ready_bytes": 12,
                "response_bytes": 24,
                "write_response_bytes": 24,
                "unsolicited_bytes": 0,
                "whole_only": False,
                "burst_bytes": None,
                "fast_write_hop": None,
            },
            "observed_hop": 2,
        }
    ]
    (names,) = plan["names"]["paths"]
    assert names["hops"] == ["emulex-lpe12002 data", "fc-8g-1", "sw", "fc-8g-2"]
    assert names["places"] == ["host", "fabric", "fabric", "fabric"]
    assert (names["name"], names["protocol"], names["hba"]) == ("san", "fcp", "emulex-lpe12002")
    assert names["workloads"] == ["oltp"]
    json.dumps(plan)


def test_without_a_path_nothing_of_it_is_in_the_plan():
    plan = compiled("[array.controller]\nprocessing = { read = '20us' }\n")
    assert "paths" not in plan["simulation"]
    assert "paths" not in plan["names"]
    assert set(plan["simulation"]["controller"]["processing"]) == {"read_s", "write_s", "processors"}


def test_left_out_workloads_are_all():
    plan = compiled("[[path]]\nname = 'a'\nprotocol = 'fcp'\n")
    assert [one["path"] for one in plan["simulation"]["workloads"]] == [0, 0]
    assert plan["simulation"]["paths"][0]["queue_depth"] is None


def test_overrides_reach_into_names_of_parts():
    (path,) = paths(
        PATH,
        "path.san.queue_depth=8",
        "path.san.hop.0.link.rate=400MB/s",
        "path.san.hop.sw.switch.latency=2us",
        "path.san.hop.2.distance=100km",
        "path.san.protocol.first_burst=64KiB",
        "path.san.hba.iops=1e6",
        "path.san.count=2",
        "path.san.segment=32KiB",
        "path.san.port.express_writes=[{ up_to = '8KiB', buffers = 4 }]",
    )
    assert (path["queue_depth"], path["lanes"], path["segment_bytes"]) == (8, 2, 32768)
    assert [hop["latency_s"] for hop in path["hops"][2:]] == [2e-6, 500e-6]
    assert path["hops"][1]["bytes_per_s"] == 400e6
    assert path["exchange"]["unsolicited_bytes"] == 65536
    assert path["host"]["submit_s"] == pytest.approx(0.5e-6)
    assert path["port"]["express"] == [{"up_to_bytes": 8192, "buffers": 4}]


@pytest.mark.parametrize(
    ("protocol", "link", "payload", "wire"),
    [
        ("iscsi", "'eth-10g'", 1448, 1538),
        ("nvme-tcp", "{ name = 'eth-100g', frame = 9000 }", 8948, 9038),
        ("nvme-rdma", "'eth-25g'", 1024, 1106),
        ("nvme-rdma", "{ name = 'eth-25g', frame = 9000 }", 4096, 4178),
        ("nvme-fc", "'fc-32g'", 2048, 2172),
        ("nvme-pcie", "'pcie4-x4'", 256, 280),
        ("fcp", "{ rate = '1GB/s' }", 2048, 2048),
    ],
)
def test_frames_of_a_protocol_on_a_link(protocol, link, payload, wire):
    (path,) = paths(f"{LINK}protocol = '{protocol}'\nhop = [{{ link = {link} }}]\n")
    hop = path["hops"][-1]
    assert (hop["frame_payload_bytes"], hop["frame_wire_bytes"]) == (payload, wire)


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        ("'nvme-tcp'", {"unsolicited_bytes": 8192, "whole_only": True, "burst_bytes": None}),
        ("{ name = 'nvme-rdma', in_capsule = '16KiB' }", {"unsolicited_bytes": 16384, "whole_only": True}),
        ("'iscsi'", {"unsolicited_bytes": 8192, "whole_only": False, "burst_bytes": 262_144}),
        (
            "{ name = 'iscsi', immediate = 0, burst = '64KiB' }",
            {"unsolicited_bytes": 0, "burst_bytes": 65536},
        ),
        ("{ name = 'iscsi', first_burst = '64KiB' }", {"unsolicited_bytes": 65536}),
        ("'iscsi'", {"response_bytes": 0, "write_response_bytes": 48}),
    ],
)
def test_what_goes_without_being_asked_for(protocol, expected):
    (path,) = paths(f"{LINK}protocol = {protocol}\nhop = [{{ link = {{ rate = '1GB/s' }} }}]\n")
    assert {name: path["exchange"][name] for name in expected} == expected


def test_a_protocol_s_software_is_said_and_can_be_left_out():
    text = f"{LINK}protocol = 'nvme-tcp'\nhop = [{{ link = 'eth-25g' }}]\n"
    plan = compiled(text)
    stack, _ = plan["simulation"]["paths"][0]["hops"]
    assert (stack["latency_s"], stack["bytes_per_s"]) == (18.75e-6, None)
    assert plan["names"]["paths"][0]["hops"] == ["nvme-tcp stack", "eth-25g"]
    assert "37.5 us" in noted(plan["notes"])["assumed-stack"]
    plan = compiled(text, "path.a.protocol.stack=0us")
    assert plan["names"]["paths"][0]["hops"] == ["eth-25g"]
    assert "assumed-stack" not in noted(plan["notes"])


def test_beside_a_switch_that_stores_frames_they_come_whole():
    stores = "{ switch = { latency = '1us', forwarding = 'store-and-forward' } }"
    hops = f"hop = [{{ link = 'eth-25g' }}, {stores}, {{ link = 'eth-10g' }}]"
    (path,) = paths(f"{LINK}protocol = {{ name = 'iscsi', stack = '0us' }}\n{hops}\n")
    assert [hop["whole_frames"] for hop in path["hops"]] == [True, False, True]
    assert [hop["bytes_per_s"] for hop in path["hops"]] == [3125e6, None, 1250e6]


def test_fast_write_and_observation_name_hops():
    text = PATH.replace('"fcp"', '{ name = "fcp", fast_write = "sw" }') + 'observed = "fc-8g-2"\n'
    (path,) = paths(text)
    assert (path["exchange"]["fast_write_hop"], path["observed_hop"]) == (2, 3)


def test_the_slowest_adapter_takes_no_longer_than_its_times_may():
    slowest = PATH.replace('"emulex-lpe12002"', "{ iops = 0.05 }")
    host = paths(slowest)[0]["host"]
    assert (host["submit_s"], host["complete_s"]) == pytest.approx((10.0, 10.0))
    assert describe(load(TEXT + slowest, traces_must_exist=False)).paths[0].alone[0].read_s > 20


def test_processing_of_requests_over_paths():
    text = "[array.controller.processing]\nwrite = '50us'\nready = '30us'\ninterrupt = '5us'\n"
    moderated = text + "moderation = { delay = '20us', count = 4 }\n"
    found = compiled(moderated + PATH)["simulation"]["controller"]["processing"]
    assert found == {
        "read_s": 0.0,
        "write_s": 50e-6,
        "processors": 1,
        "ready_s": 30e-6,
        "interrupt_s": 5e-6,
        "moderation_s": 20e-6,
        "moderation_count": 4,
    }
    assert {"ready,", "interrupt"} <= set(noted(compiled(text)["notes"])["processing-without-path"].split())


@pytest.mark.parametrize(
    ("change", "fault", "figures"),
    [
        (('["oltp"]', '["oltb"]'), "unknown-name @ path.san.workloads.0", ["'oltp'"]),
        (('"fcp"', '"fpc"'), "not-accepted @ path.san.protocol.name", ["'fcp'"]),
        (
            ('"fcp"', '{ name = "fcp", in_capsule = "8KiB" }'),
            "not-applicable @ path.san.protocol.in_capsule",
            [],
        ),
        (('"fcp"', '{ name = "fcp", burst = 512 }'), "out-of-range @ path.san.protocol.burst", ["2048"]),
        (
            ('"fcp"', '{ name = "fcp", fast_write = "fc-8g-1" }'),
            "unknown-name @ path.san.protocol.fast_write",
            [],
        ),
        (
            ('"fcp"', '{ name = "fcp", fast_write = "sw", first_burst = "8KiB" }'),
            "conflict @ path.san.protocol.fast_write",
            [],
        ),
        (
            ('"fcp"', '"iscsi"'),
            (
                "conflict @ path.san.hba & "
                "conflict @ path.san.hop.0.link & "
                "conflict @ path.san.hop.sw.switch & "
                "conflict @ path.san.hop.2.link"
            ),
            [],
        ),
        (('"fc-8g" }', '"fc-80g" }'), "unknown-name @ path.san.hop.0.link", []),
        (('"fc-8g" }', '"brocade-6510" }'), "not-accepted @ path.san.hop.0.link", []),
        (('"fc-8g" }', "{ frame = 2048 } }"), "missing-figure @ path.san.hop.0.link", []),
        (
            ('link = "fc-8g" }', "distance = '1km' }"),
            "missing @ path.san.hop.0 & not-applicable @ path.san.hop.0.distance",
            [],
        ),
        (
            ('name = "sw" }', 'name = "sw", distance = "1m" }'),
            "not-applicable @ path.san.hop.sw.distance",
            [],
        ),
        (('name = "sw" }', 'name = "sw", link = "fc-8g" }'), "conflict @ path.san.hop.sw", []),
        (('"brocade-6510"', "{}"), "missing-figure @ path.san.hop.sw.switch", []),
        (
            ('name = "sw" }', 'name = "fc-8g-1" }, { latency = "1us", name = "fc-8g-1" }'),
            "duplicate @ path.san.hop.fc-8g-1.name",
            [],
        ),
        (('"emulex-lpe12002"', '"emulex-lpe12003"'), "unknown-name @ path.san.hba", ["'emulex-lpe12002'"]),
        (('"emulex-lpe12002"', "{ iops = 1000, submit = '1us' }"), "conflict @ path.san.hba.iops", []),
        (("hop = ", "observed = 'x'\nhop = "), "unknown-name @ path.san.observed", ["'x'"]),
        (('"emulex-lpe12002"', "{ iops = 1e-300 }"), "out-of-range @ path.san.hba.iops", ["0.05"]),
        (('"fc-8g" }', "{ rate = '0.000001B/s' } }"), "out-of-range @ path.san.hop.0.link.rate", ["1000"]),
        (('"emulex-lpe12002"', "{ bandwidth = '1B/s' }"), "out-of-range @ path.san.hba.bandwidth", ["1000"]),
        (('["oltp"]', "[]"), "missing @ path.san.workloads", []),
        (("hop = ", "queue_depth = 0\nhop = "), "out-of-range @ path.san.queue_depth", ["1"]),
        (('"10km"', '"10"'), "bad-syntax @ path.san.hop.2.distance", []),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change, fault, figures):
    old, new = change
    before, after = PATH.split(old, 1)
    error = refusal(before + new + after)
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_what_is_wrong_between_paths_and_the_rest():
    again = PATH.replace('"san"', '"other"')
    assert faults(refusal(PATH + again)) == "conflict @ path.other.workloads.0"
    assert faults(refusal(PATH + PATH)) == "duplicate @ path.san.name & conflict @ path.san.workloads.0"
    everything = "[[path]]\nname = 'rest'\nprotocol = 'fcp'\n"
    assert faults(refusal(PATH + everything)) == "conflict @ path.rest"
    bandwidth = refusal("[array.controller]\nhost_bandwidth = '400MB/s'\n" + PATH)
    assert faults(bandwidth) == "conflict @ array.controller.host_bandwidth"
    classes = "port = { express_writes = [{ up_to = 8192, buffers = 1 }, { up_to = 4096, buffers = 1 }] }\n"
    assert faults(refusal(PATH + classes)) == "conflict @ path.san.port.express_writes.1.up_to"
    small = f"{LINK}protocol = 'nvme-rdma'\nhop = [{{ link = {{ name = 'eth-10g', frame = 256 }} }}]\n"
    assert faults(refusal(small)) == "out-of-range @ path.a.hop.0.link.frame"
    many = f"{LINK}protocol = {{ name = 'iscsi', immediate = '64KiB', first_burst = '8KiB' }}\n"
    assert faults(refusal(many)) == "conflict @ path.a.protocol.immediate"


def test_check_says_what_a_path_amounts_to():
    found = describe(load(TEXT + PATH, traces_must_exist=False)).paths[0]
    assert found.lanes == 1
    assert [hop["name"] for hop in found.hops] == ["emulex-lpe12002 data", "fc-8g-1", "sw", "fc-8g-2"]
    assert found.hops[1]["payload_bytes_per_s"] == pytest.approx(801.47e6, rel=1e-4)
    small = found.alone[0]
    # The command's 10 km, twice for a read, four times for a write, and 5 us in the adapter.
    assert 105e-6 < small.read_s < 125e-6
    assert 205e-6 < small.write_s < 225e-6


def test_the_schema_takes_both_forms():
    import jsonschema

    from iowatt.cli.schema import schema_text

    schema = json.loads(schema_text("scenario"))
    document = {
        "name": "p",
        "array": {"pool": [{"name": "d", "device": "arrays2002-disk", "count": 1}]},
        "path": [
            {"name": "a", "protocol": "fcp", "hop": [{"link": "fc-8g"}], "hba": "emulex-lpe12002"},
            {
                "name": "b",
                "protocol": {"name": "iscsi", "immediate": "4KiB"},
                "hop": [{"link": {"rate": "1GB/s"}}],
            },
        ],
    }
    jsonschema.validate(document, schema)
    document["path"][1]["protocol"] = "fpc"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_the_estimator_refuses_a_path():
    from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled

    plan = compiled(PATH)
    with pytest.raises(NotEstimated):
        check_modelled(plan["simulation"], plan["names"])

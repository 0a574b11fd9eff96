"""Recordings with merges, divisions, requeues and parts at once, against the times they were made with."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from block_events import Event, recording
from iowatt import core

#: What becomes one request to the device, or, divided, one that becomes two.
GROUP = st.fixed_dictionaries(
    {
        "begin": st.integers(0, 3_000),
        "write": st.booleans(),
        "bios": st.sampled_from([1, 1, 2, 3]),
        "divided": st.booleans(),
        "requeued": st.booleans(),
        "parts": st.booleans(),
        "waits": st.integers(1, 400),
        "takes": st.integers(2, 900),
        "cpus": st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
    }
)


def made(groups):
    """Events, and for each bio when it was queued, issued and completed, and its bytes."""
    events, expected = [], []
    for number, group in enumerate(groups):
        first = 1000 * number
        on_q, on_d, on_c = group["cpus"]
        write = group["write"]

        def event(time, action, sector, sectors, cpu, *, write=write):
            return Event(time, action, sector, sectors, write=write, cpu=cpu)

        begin = 10 * group["begin"]
        issued = begin + 10 * group["bios"] + 10 * group["waits"]
        if group["requeued"]:
            events.append(event(issued - 5, "D", first, 8 if group["divided"] else 8 * group["bios"], on_d))
            events.append(event(issued - 3, "R", first, 8 if group["divided"] else 8 * group["bios"], on_c))
        done = issued + 10 * group["takes"]
        if group["divided"]:
            # One bio of 16 sectors as two requests to the device; the second is done first.
            events += [
                event(begin, "Q", first, 16, on_q),
                event(begin + 1, "X", first, 8, on_q),
                event(issued, "D", first, 8, on_d),
                event(issued + 1, "D", first + 8, 8, on_d),
                event(issued + 6, "C", first + 8, 8, on_c),
                event(done, "C", first, 8, on_c),
            ]
            expected.append((begin, issued, done, 8192, write))
            continue
        size = 8 * group["bios"]
        for k in range(group["bios"]):
            events.append(event(begin + 10 * k, "Q", first + 8 * k, 8, on_q))
            if k:
                events.append(event(begin + 10 * k + 1, "M", first + 8 * k, 8, on_q))
        events.append(event(issued, "D", first, size, on_d))
        half = size // 2
        if group["parts"]:
            events.append(event(done - 5, "C", first, half, on_c))
            events.append(event(done, "C", first + half, size - half, on_c))
        else:
            events.append(event(done, "C", first, size, on_c))
        for k in range(group["bios"]):
            early = group["parts"] and 8 * (k + 1) <= half
            expected.append((begin + 10 * k, issued, done - 5 if early else done, 4096, write))
    return sorted(events, key=lambda one: one.time_ns), expected


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=st.lists(GROUP, min_size=1, max_size=25))
def test_each_request_has_the_times_it_was_made_with(tmp_path, groups):
    events, expected = made(groups)
    for cpu in range(3):
        (tmp_path / f"sda.blktrace.{cpu}").write_bytes(recording(events).get(cpu, b""))
    reader = core.StagesReader(str(tmp_path / "sda"))
    found = []
    while (batch := reader.read(7)) is not None:
        columns = (batch[name].tolist() for name in ("queued_ns", "issued_ns", "completed_ns", "size", "op"))
        found += [(*row[:4], bool(row[4])) for row in zip(*columns, strict=True)]
    assert sorted(found) == sorted(expected)
    said = json.loads(reader.summary())
    assert said["queued"] == len(expected)
    assert said["requeued"] == sum(group["requeued"] for group in groups)
    assert said["split"] == sum(group["divided"] for group in groups)
    assert [
        said[key] for key in ("unknown", "unfinished", "issued_alone", "failed", "lost", "forgotten")
    ] == [0] * 6

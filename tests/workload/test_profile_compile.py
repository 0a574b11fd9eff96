"""A profile into the generator's plan: laws by their moments, ranges, runs, phases."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from iowatt.cli.schema import schema_text
from iowatt.model.profile.compile import synthesis
from iowatt.model.profile.find import load
from iowatt.model.profile.profile import Profile
from iowatt.trace.measure import info

ROOT = Path(__file__).parents[2]
STREAM = {"name": "a", "share": 100, "read_share": 100, "size": 4096, "access": {"pattern": "uniform"}}


def profile(arrivals: dict[str, object] | None, *streams: dict[str, object], **keys: object) -> Profile:
    return Profile.model_validate(
        {"name": "x", "title": "X", "arrivals": arrivals, "stream": list(streams) or [STREAM], **keys}
    )


def plan(found: Profile, span: int = 2**30, **options: object) -> dict[str, object]:
    made = synthesis(found, span=span, seed=1, **options)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    return made


def test_a_hyper_exponential_law_has_the_mean_and_variation_asked_for():
    (process,) = plan(profile({"law": "hyper-exponential", "rate": 50, "cv": 3.8}))["processes"]
    phases = process["law"]["phases"]
    mean = sum(p["weight"] / p["rate"] for p in phases)
    square = sum(2 * p["weight"] / p["rate"] ** 2 for p in phases)
    assert 1 / mean == pytest.approx(50)
    assert math.sqrt(square / mean**2 - 1) == pytest.approx(3.8)
    # Equal load of the two phases.
    assert phases[0]["weight"] / phases[0]["rate"] == pytest.approx(phases[1]["weight"] / phases[1]["rate"])


def test_the_phases_of_a_hyper_exponential_law_keep_their_form_at_another_rate():
    given = {"law": "hyper-exponential", "phases": [{"share": 90, "rate": 900}, {"share": 10, "rate": 10}]}
    alone, scaled = (
        plan(profile(law))["processes"][0]["law"]["phases"] for law in (given, {**given, "rate": 20})
    )
    assert [p["rate"] for p in alone] == [900, 10]
    assert sum(p["weight"] / p["rate"] for p in scaled) == pytest.approx(1 / 20)
    assert scaled[0]["rate"] / scaled[1]["rate"] == pytest.approx(90)


def test_on_and_off_are_states_of_a_poisson_law():
    (process,) = plan(profile({"law": "on-off", "rate": 10, "on": "1s", "off": "4s"}))["processes"]
    assert process["law"] == {"law": "poisson", "rate": 10.0}
    states = process["modulation"]["states"]
    assert [(s["factor"], s["mean_s"]) for s in states] == [(0.0, 4.0), (pytest.approx(5.0), 1.0)]


def test_ranges_in_percent_end_on_whole_mebibytes():
    streams = [{**STREAM, "range": ["10%", "18%"]}]
    (stream,) = plan(profile({"law": "poisson", "rate": 1}, *streams), 10**12)["streams"]
    assert stream["start_bytes"] % 2**20 == stream["end_bytes"] % 2**20 == 0
    assert stream["start_bytes"] == pytest.approx(10**11, abs=2**20)
    (small,) = plan(profile({"law": "poisson", "rate": 1}, *streams), 10**8)["streams"]
    assert small["start_bytes"] % 4096 == 0 and small["start_bytes"] == pytest.approx(10**7, abs=4096)
    (whole,) = plan(profile({"law": "poisson", "rate": 1}), 10**12 + 7)["streams"]
    assert (whole["start_bytes"], whole["end_bytes"]) == (0, 10**12 + 7)


def test_shares_and_rates_count_the_requests_of_runs():
    run = {"requests": 4, "gap": "1ms"}
    streams = [{**STREAM, "share": 60, "run": run}, {**STREAM, "name": "b", "share": 40}]
    (process,) = plan(profile({"law": "poisson", "rate": 100}, *streams))["processes"]
    assert [member["weight"] for member in process["members"]] == [15, 40]
    assert process["law"]["rate"] == pytest.approx(55)


def test_a_phase_with_longer_runs_has_fewer_arrivals():
    streams = [
        {**STREAM, "share": 50, "run": {"requests": 4, "gap": "1ms"}},
        {**STREAM, "name": "b", "share": 50},
    ]
    phases = [{"name": "p", "duration": "1s"}, {"name": "q", "duration": "1s", "shares": {"a": 100, "b": 0}}]
    made = plan(profile({"law": "poisson", "rate": 100}, *streams, phase=phases))
    # 62.5 arrivals a second make 100 requests; of runs alone, 25 do.
    assert made["phases"][0] == {"duration_s": 1.0, "factor": 1.0, "weights": None}
    assert made["phases"][1]["factor"] == pytest.approx(25 / 62.5)
    assert made["phases"][1]["weights"] == [25, 0]


def test_envelopes_keep_the_mean():
    made = plan(profile({"law": "poisson", "rate": 1}, envelope=[{"period": "daily", "factors": [1, 3]}]))
    assert made["envelopes"] == [{"period_s": 86400.0, "factors": [0.5, 1.5]}]


def test_the_rate_of_streams_of_their_own_adds_up():
    own = {key: value for key, value in STREAM.items() if key != "share"}
    streams = [{**own, "rate_iops": 30}, {**own, "name": "b", "arrivals": {"law": "constant", "rate": 20}}]
    found = profile(None, *streams)
    assert found.mean_rate == 50
    assert [p["law"] for p in plan(found)["processes"]] == [
        {"law": "poisson", "rate": 30.0},
        {"law": "constant", "rate": 20.0},
    ]


def test_a_rate_scales_streams_of_their_own():
    loaded = load("arrays2002-tpch", rate_iops=54.465)
    assert loaded.profile.mean_rate == pytest.approx(54.465)
    rates = [loaded.profile.arrivals.rate, loaded.profile.stream[1].arrivals.rate]
    assert rates[1] / sum(rates) == pytest.approx(0.0876, rel=1e-3)


def test_equal_profiles_of_two_workloads_draw_different_numbers():
    found = profile({"law": "poisson", "rate": 100})
    first, second = (info({"synthetic": plan(found, requests=100, workload=n)}) for n in (0, 1))
    assert first.span != second.span


def test_the_schema_describes_every_property():
    schema = json.loads(schema_text("profile"))
    described = 0
    for table in [schema, *schema["$defs"].values()]:
        assert table.get("additionalProperties", False) is False
        for name, field in table.get("properties", {}).items():
            assert field.get("description"), name
            described += 1
    assert described >= 80

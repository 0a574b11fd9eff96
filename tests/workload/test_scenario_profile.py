"""Profiles in scenarios: they run like traces, on their volume, and say what they are made of."""

from __future__ import annotations

import pytest

import iowatt
from figures import figures
from iowatt.base.errors import InputError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from iowatt.pages.run import answer
from refused import faults

POOL = """
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 8
raid = { level = 5, stripe_unit = "64KiB" }
"""


def scenario(profile: str, *, tail: str = "", replay: str = "") -> str:
    return f'name = "made"\n[[workload]]\nname = "w"\nprofile = {{ {profile} }}\n{replay}{POOL}{tail}'


def problem(text: str) -> InputError:
    with pytest.raises(InputError) as error:
        load(text)
    return error.value


def test_it_runs_and_is_named():
    done = iowatt.run(scenario('name = "uniform", rate_iops = 100, duration = "20s"'))
    requests = done.summary["requests"]
    assert requests["count"] == requests["completed"] == pytest.approx(2000, abs=250)
    assert done.summary["provenance"]["inputs"] == []
    assert done.plan["sources"][0]["profile"] == "uniform"
    assert any(line.split()[0] == "w" and "uniform" in line for line in answer._work(done.summary, done.plan))


def test_the_same_seed_gives_the_same_run_and_workloads_differ():
    text = scenario('name = "uniform", rate_iops = 50, requests = 500')
    first, again, other = (iowatt.run(text, seed=seed).summary["requests"] for seed in (1, 1, 2))
    assert first == again != other
    twice = text.replace(
        POOL,
        '\n[[workload]]\nname = "v"\nprofile = { name = "uniform", rate_iops = 50, requests = 500 }\n' + POOL,
    )
    one, two = iowatt.run(twice).summary["workloads"]
    assert one["requests"]["bytes_read"] != two["requests"]["bytes_read"]


def test_an_automatic_warm_up_makes_the_same_requests_twice():
    text = scenario(
        'name = "uniform", rate_iops = 200, duration = "60s"', tail='[observe]\nwarmup = "auto"\n'
    )
    done = iowatt.run(text)
    assert any(note.startswith("warm-up:") for note in done.notes)
    assert 0 < done.summary["requests"]["count"] <= 13_000


def test_the_span_is_the_volume_unless_said():
    plan = compile_plan(load(scenario('name = "uniform", rate_iops = 50, requests = 500')))
    (stream,) = plan["sources"][0]["synthetic"]["streams"]
    assert stream["end_bytes"] == plan["simulation"]["volumes"][0]["capacity_bytes"]


def test_recalled_figures_are_in_the_notes():
    text = scenario('name = "hot-band", rate_iops = 50, requests = 100')
    assert "profile-unverified" in {note.code for note in describe(load(text)).notes}
    assert any("UNVERIFIED" in note for note in iowatt.run(text).notes)


@pytest.mark.parametrize(
    ("profile", "fault", "figures"),
    [
        ('name = "hot-bnad", requests = 5', "unknown-name @ scenario:4: workload.w.profile", ["'hot-bnad'"]),
        (
            'name = "uniform", rate_iops = 5, requests = 5, span = "9TB"',
            "out-of-range @ scenario:4: workload.w.profile.span",
            ["235,199,856,640"],
        ),
        ('name = "uniform", rate_iops = 5', "missing @ scenario:4: workload.w.profile", ["requests = "]),
        (
            'name = "filebench-webserver", duration = "10s"',
            "missing @ scenario:4: workload.w.profile",
            ["requests = "],
        ),  # a closed loop
        (
            'name = "uniform", requests = 5',
            "missing @ scenario:4: workload.w.profile",
            ["uniform.toml (library):", "arrivals.rate"],
        ),
        (
            'name = "uniform", rate_iops = 0, requests = 5',
            "out-of-range @ scenario:4: workload.w.profile.rate_iops",
            ["0"],
        ),
        (
            'name = "uniform", rate_iops = 5, requests = 5, set = ["stream.uniform.size=0"]',
            "out-of-range @ scenario:4: workload.w.profile",
            ["0"],
        ),
        (
            'name = "arrays2002-tpcc", requests = 5, span = "100MB"',
            "out-of-range @ scenario:4: workload.w.profile & out-of-range @ scenario:4: workload.w.profile",
            ["arrays2002-tpcc.toml (library):"],
        ),
    ],
)
def test_faults_name_the_key_of_the_scenario(profile, fault, figures):
    error = problem(scenario(profile))
    assert faults(error, lines=True) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_a_workload_has_a_trace_or_a_profile():
    text = scenario('name = "uniform", rate_iops = 5, requests = 5')
    neither = text.replace('profile = { name = "uniform", rate_iops = 5, requests = 5 }', "")
    assert faults(problem(neither)) == "missing @ workload.w"
    both = text.replace("[[array.pool]]", '[[workload]]\nname = "v"\n[[array.pool]]', 1).replace(
        'name = "w"\n', 'name = "w"\ntrace = { path = "x.csv" }\n'
    )
    assert faults(problem(both)) == "conflict @ workload.w & missing @ workload.v"


def closed(think: str, law: str = "exponential", outstanding: int = 4) -> str:
    arrivals = (
        f'arrivals={{law=\\"closed\\",outstanding={outstanding},think=\\"{think}\\",think_law=\\"{law}\\"}}'
    )
    profile = f'name = "uniform", requests = 20000, set = ["{arrivals}"]'
    return scenario(profile)


@pytest.mark.parametrize("law", ["exponential", "fixed"])
def test_a_closed_loop_obeys_the_interactive_response_time_law(law):
    done = iowatt.run(closed("50ms", law)).summary
    response = done["response_time_ms"]["all"]["mean"] / 1e3
    # N = X (R + Z): 4 loops that think 50 ms; the drawn think times have a standard error of 0.7 %.
    assert done["throughput"]["iops"] * (response + 0.05) == pytest.approx(4, rel=0.025)


def test_a_closed_profile_brings_its_pacing():
    plan = compile_plan(load(closed("50ms")))
    (workload,) = plan["simulation"]["workloads"]
    assert workload["replay"] == {
        "mode": "closed", "outstanding": 4, "per": "workload", "think": {"mean_s": 0.05, "exponential": True},
    }  # fmt: skip
    (told,) = describe(load(closed("50ms"))).workloads
    assert told.replay.startswith("closed") and figures(told.replay) == [4, 50]
    error = problem(closed("50ms").replace(POOL, 'replay = { mode = "open" }\n' + POOL))
    assert faults(error) == "not-applicable @ workload.w.replay"


def test_a_trace_may_be_replayed_with_think_times(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("time_us,op,offset,size\n" + "".join(f"0,R,{i * 8192},4096\n" for i in range(2000)))
    text = f'name = "x"\n[[workload]]\nname = "w"\ntrace = {{ path = "{trace}" }}\n'
    text += (
        'replay = { mode = "closed", outstanding = 2, per = "stream", think = "20ms", think_law = "fixed" }\n'
    )
    done = iowatt.run(text + POOL).summary
    response = done["response_time_ms"]["all"]["mean"] / 1e3
    assert done["throughput"]["iops"] * (response + 0.02) == pytest.approx(2, rel=0.01)


def test_a_profile_of_ones_own_lies_beside_the_scenario(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.toml").write_text(
        'name = "mine"\ntitle = "Mine"\nspan = "1GiB"\narrivals = { law = "constant", rate = 10 }\n'
        '[[stream]]\nname = "a"\nshare = 100\nread_share = 50\nsize = "4k"\n'
        'access = { pattern = "uniform" }\n'
    )
    file = tmp_path / "sub" / "s.toml"
    file.write_text(scenario('name = "mine.toml", requests = 50'))
    monkeypatch.chdir(tmp_path)
    done = iowatt.run("sub/s.toml")
    assert done.summary["requests"]["count"] == 50
    assert [entry["path"] for entry in done.summary["provenance"]["inputs"]] == [
        "sub/s.toml",
        "sub/mine.toml",
    ]

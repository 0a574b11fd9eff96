"""The library's profiles: every figure has a mark, what is not known is asked for, all can be made."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from iowatt.model.profile import describe, profile_list, remarks, shown_profile
from iowatt.model.profile.find import load as find
from iowatt.model.profile.find import profile_names
from iowatt.model.profile.result import ProfileListing
from iowatt.model.scenario import compile_plan, load
from iowatt.pages.profile import document
from iowatt.trace.generate import prepare
from iowatt.trace.open import requests
from refused import refused

ROOT = Path(__file__).parents[2]
NAMES = profile_names()
CLOSED = [name for name in NAMES if not find(name).profile.rated]
POOL = '[[array.pool]]\nname = "p"\ndevice = "arrays2002-disk"\ncount = 24\nraid = { level = 0 }\n'


def test_all_that_were_asked_for_are_there():
    assert set(NAMES) >= {
        *(f"emerald-1.0-{name}" for name in ("mw1", "mw2", "rr", "rw", "sr", "sw")),
        "hot-band", "spc-1-like", "spc-2-like-lfp", "spc-2-like-ldq", "spc-2-like-vod",
        "arrays2002-tpcc", "arrays2002-tpch",
        "tpce", "websearch", "fiu-online", "filebench-fileserver", "web-hosting", "uniform", "zipf", "skew",
        *(f"cloudphysics-p{quantile}" for quantile in (5, 25, 50, 75, 95)),
        "vdi-boot", "vdi-steady", "vector-search", "backup", "restore", "mlperf-checkpoint-like",
        *(f"mlperf-{model}-like" for model in ("unet3d", "resnet50", "cosmoflow")),
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_has_a_source(name):
    profile = find(name).profile
    assert profile.name == name
    unmarked = [figure for figure, mark in describe.figure_marks(profile).items() if mark is None]
    assert unmarked == []
    assert describe.figure_paths(profile)


@pytest.mark.parametrize("name", NAMES)
def test_no_source_stands_for_nothing(name):
    profile = find(name).profile
    figures = describe.figure_paths(profile)
    # A table named as a whole stands for what is in it, and the other way round.
    for source in profile.source:
        for path in source.figures:
            assert any(
                source.model_copy(update={"figures": [path]}).covers(f) for f in [*figures, f"{path}.x"]
            )
            head = path.split(".")[0]
            assert head in ("span", "sizes", "arrivals", "stream", "envelope", "phase"), path


@pytest.mark.parametrize("name", [name for name in NAMES if name not in CLOSED])
def test_it_generates(name):
    has_rate = shown_profile(name).rate_iops is not None
    prepared = prepare(name, requests=500, rate_iops=None if has_rate else 100.0, span=2**40)
    made = list(requests(prepared.trace))
    assert sum(len(batch["op"]) for batch in made) == 500
    assert all(int((batch["offset"] + batch["size"]).max()) <= 2**40 for batch in made)


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_loop_is_simulated_and_not_generated(name):
    with refused("unsupported", re.compile(rf"^{name}\.toml \(library\):\d+: arrivals\.law$")):
        prepare(name, requests=500, span=2**40)
    text = f'name = "x"\n[[workload]]\nname = "w"\nprofile = {{ name = "{name}", requests = 100 }}\n{POOL}'
    plan = compile_plan(load(text))
    assert plan["simulation"]["workloads"][0]["replay"]["mode"] == "closed"


@pytest.mark.parametrize(
    "name", ["hot-band", "uniform", "emerald-1.0-mw2", "tpce", "fiu-online", "spc-1-like"]
)
def test_a_rate_that_nobody_published_is_asked_for(name):
    with refused("missing", re.compile(r": arrivals\.rate$")) as error:
        prepare(name, requests=500, span=2**40)
    assert "`rate=500`" in str(error.value.hint)


@pytest.mark.parametrize(
    "name", ["hot-band", "spc-1-like", "spc-2-like-vod", "tpce", "fiu-online", "web-hosting"]
)
def test_recalled_figures_are_called_unverified(name):
    profile = find(name).profile
    (note,) = (note for note in remarks(profile) if note.code == "profile-unverified")
    assert name in note.text
    assert shown_profile(name).unverified
    recalled = [mark for mark in shown_profile(name).figures.values() if mark and mark.quality == "recalled"]
    assert recalled
    (sources,) = (section for section in document(shown_profile(name)).sections if section.key == "sources")
    assert any(recalled[0].source in line for line in sources.sentences)


@pytest.mark.parametrize(
    "name", ["emerald-1.0-rr", "arrays2002-tpcc", "cloudphysics-p50", "filebench-fileserver"]
)
def test_published_and_measured_figures_are_not(name):
    assert "profile-unverified" not in {note.code for note in remarks(find(name).profile)}


def test_the_hot_band_is_that_of_the_talk():
    profile = find("hot-band").profile
    shares = {stream.name: stream.share for stream in profile.stream}
    assert sum(shares.values()) == 100
    assert sum(stream.share * stream.read_share for stream in profile.stream) == pytest.approx(6580)
    assert [shares[f"hot{i}"] for i in (1, 2, 3, 4)] == [28, 14, 7, 5]
    ranges = [[str(end) for end in s.range] for s in profile.stream if s.access.pattern == "hot-band"]
    assert ranges == [["10%", "18%"], ["32%", "40%"], ["55%", "63%"], ["80%", "88%"]]
    assert sum(part.share for part in profile.sizes) == 100


def test_spc_1_like_meets_what_is_verified():
    streams = find("spc-1-like").profile.stream
    assert sum(s.share for s in streams if s.name.startswith("asu1")) == pytest.approx(59.6)
    assert sum(s.share * s.read_share for s in streams) / 100 == pytest.approx(40, abs=1)
    assert sum(s.share for s in streams if s.access.pattern == "sequential") == pytest.approx(40, abs=2)


def test_quantiles_of_the_machines_rise():
    shown = [shown_profile(f"cloudphysics-p{quantile}") for quantile in (5, 25, 50, 75, 95)]
    for key in ("rate_iops", "read_percent", "span_bytes", "mean_bytes"):
        values = [getattr(profile, key) for profile in shown]
        assert values == sorted(values), key
    # Facts of the table: half of the machines read more than 51 %, with a working set of 19 GB.
    assert shown[2].read_percent == pytest.approx(51, abs=1)
    assert shown[2].span_bytes == pytest.approx(19e9, rel=0.05)


def test_the_listing_is_json():
    found = profile_list()
    assert ProfileListing.model_validate_json(json.dumps(found.as_dict())) == found
    assert [entry.name for entry in found.profiles] == list(NAMES)

"""Reclaim of thin pools in scenarios: plans, which trims are read, refusals; and what a Run says of it."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.base.problems import DocumentError
from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled
from iowatt.model.scenario import compile_plan, load
from refused import faults

SCENARIO = """\
name = "reclaim"
[[workload]]
name = "new"
profile = {{ name = "uniform", rate_iops = 200, requests = 400, set = ["stream.uniform.read_share=0"] }}
zero_share = 1.0
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
[[array.virtual_pool]]
name = "thin"
scheme = "reduced"
part = "disks"
page = "4KiB"
{keys}
{array}
"""
THIN = "thin = true\nfilled = 0.5\ncapacity = '30GB'\n"


def text(keys: str = "reclaim = {}", array: str = "", thin: str = THIN) -> str:
    return SCENARIO.format(keys=thin + keys, array=array)


def test_the_plan_has_how_pages_are_given_back():
    def scheme(keys):
        return compile_plan(load(text(keys)))["simulation"]["virtual_pools"][0]["scheme"]

    assert scheme("reclaim = {}")["reclaim"] == {"trims": True, "zeros": True, "bytes_per_s": None}
    given = scheme('reclaim = { unmap = false, rate = "200MB/s" }')["reclaim"]
    assert given == {"trims": False, "zeros": True, "bytes_per_s": 200e6}
    assert "reclaim" not in scheme("")


@pytest.mark.parametrize(
    ("keys", "reads_trims"), [("", None), ("reclaim = {}", True), ("reclaim = { unmap = false }", None)]
)
def test_trims_of_a_trace_are_read_where_they_give_up_pages(tmp_path, keys, reads_trims):
    (tmp_path / "t.csv").write_text("time_us,op,offset,size\n0,W,0,4096\n")
    workload = '[[workload]]\nname = "t"\ntrace = { path = "t.csv" }\n'
    scenario = 'name = "x"\n' + workload + text(keys).split("zero_share = 1.0\n")[1]
    (source,) = compile_plan(load(scenario, base_dir=tmp_path), tmp_path)["sources"]
    assert source.get("include_other") == reads_trims


@pytest.mark.parametrize(
    ("keys", "array", "thin", "fault"),
    [
        ("reclaim = {}", "", "", "not-applicable @ array.virtual_pool.thin.reclaim"),
        (
            "reclaim = {}",
            "[array.controller]\nzero_detect = true",
            THIN,
            "conflict @ array.virtual_pool.thin.reclaim",
        ),
    ],
)
def test_what_reclaim_cannot_go_with(keys, array, thin, fault):
    with pytest.raises(DocumentError) as error:
        load(text(keys, array, thin))
    assert faults(error.value) == fault


def test_the_estimator_refuses_it():
    plan = compile_plan(load(text()))
    with pytest.raises(NotEstimated) as error:
        check_modelled(plan["simulation"], plan["names"])
    assert error.value.place == "array.virtual_pool.thin.reclaim"


def test_a_run_counts_zeros_and_what_they_give_back(tmp_path):
    (tmp_path / "zeros.toml").write_text(text())
    run = iowatt.run(tmp_path / "zeros.toml", output=tmp_path / "run")
    (pool,) = run.summary["virtual_pools"]
    found = pool["reduction"]
    assert found["zero_bytes_written"] == 400 * 4096
    # Every other page held data at the start, and is given back once.
    assert found["reclaimed_bytes"] == found["pages_discarded"] * 4096
    assert 150 < found["pages_discarded"] < 250
    assert found["reclaim_pending_bytes"] == 0
    assert run.summary["devices"][0]["writes"] == 0
    (tmp_path / "data.toml").write_text(text(""))
    plain = iowatt.run(tmp_path / "data.toml", output=tmp_path / "plain")
    assert "reclaimed_bytes" not in plain.summary["virtual_pools"][0]["reduction"]
    assert plain.summary["devices"][0]["writes"] == 400

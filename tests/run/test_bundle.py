"""The bundle on disk: complete or absent, the same bytes for the same run, and refused with a reason."""

from __future__ import annotations

import json

import polars as pl
import pytest

from iowatt.run import bundle
from iowatt.run.bundle import TABLES, Run, reserve
from iowatt.run.tables import SCHEMAS, frame
from refused import refused

FILES = {"run.json", "scenario.toml", "plan.json", *(f"{name}.parquet" for name in TABLES)}


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_run_comes_back_as_it_was_saved(run, tmp_path):
    saved = run.save(tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert listing(tmp_path) == ["out"]
    again = Run.open(tmp_path / "out")
    assert saved.path == again.path == tmp_path / "out"
    assert again.summary == run.summary
    assert again.plan == run.plan
    assert again.scenario_text == run.scenario_text
    assert again.name == "handmade"
    assert again.notes == run.summary["notes"]
    for name in TABLES:
        assert again.table(name).equals(run.table(name))


def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    for name in ("a", "b"):
        run.save(tmp_path / name)
    for file in FILES:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_run_json_itself_opens_its_bundle(run, tmp_path):
    run.save(tmp_path / "out")
    assert Run.open(tmp_path / "out" / "run.json").path == tmp_path / "out"


def test_an_unknown_table_is_refused_with_the_known_ones(run):
    with refused("unknown-name", None) as caught:
        run.table("latencies")
    assert all(table in caught.value.message for table in bundle.TABLES)


@pytest.mark.parametrize("name", ["intervals", *bundle.OPTIONAL])
def test_a_truncated_table_is_refused_with_its_file(run, tmp_path, name):
    saved = run.save(tmp_path / "out")
    file = tmp_path / "out" / f"{name}.parquet"
    pl.DataFrame({"a": range(1000)}).write_parquet(file)
    file.write_bytes(file.read_bytes()[:-100])
    with refused("unreadable", str(file)) as caught:
        saved.table(name)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_stops_the_writing_leaves_nothing(tmp_path, error):
    with pytest.raises(error), reserve(tmp_path / "out") as place:
        (place.staging / "run.json").write_text("{}")
        raise error
    assert listing(tmp_path) == []


def test_the_folder_aside_stands_beside_the_target_until_it_is_complete(tmp_path):
    with reserve(tmp_path / "deep" / "out") as place:
        assert place.staging.parent == tmp_path / "deep"
        assert place.staging.name.startswith(".iowatt-partial-")
        assert not place.target.exists()
    assert listing(tmp_path / "deep") == ["out"]


def test_a_result_is_readable_by_whom_the_umask_says(run, tmp_path):
    run.save(tmp_path / "out")
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_existing_output_is_refused_without_force(run, tmp_path):
    run.save(tmp_path / "out")
    before = (tmp_path / "out" / "run.json").stat().st_ino
    with refused("exists", str(tmp_path / "out")) as caught:
        run.save(tmp_path / "out")
    assert "`force=True`" in caught.value.hint
    assert (tmp_path / "out" / "run.json").stat().st_ino == before
    assert listing(tmp_path) == ["out"]


def test_force_replaces_a_bundle(run, tmp_path):
    run.save(tmp_path / "out")
    (tmp_path / "out" / "old").touch()
    run.save(tmp_path / "out", force=True)
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert listing(tmp_path) == ["out"]


def test_force_with_an_error_keeps_the_old_bundle(run, tmp_path):
    run.save(tmp_path / "out")
    with pytest.raises(RuntimeError), reserve(tmp_path / "out", force=True):
        raise RuntimeError
    assert Run.open(tmp_path / "out").name == "handmade"
    assert listing(tmp_path) == ["out"]


@pytest.mark.parametrize("what", ["directory", "file", "link"])
def test_force_replaces_nothing_but_bundles(run, tmp_path, what):
    target = tmp_path / "precious"
    if what == "directory":
        target.mkdir()
        (target / "thesis.txt").write_text("years")
    elif what == "file":
        target.write_text("years")
    else:
        run.save(tmp_path / "real")
        target.symlink_to("real")
    with refused("unsafe-target", str(target)):
        run.save(target, force=True)
    assert target.exists()


def test_force_replaces_an_empty_directory(run, tmp_path):
    (tmp_path / "out").mkdir()
    assert run.save(tmp_path / "out", force=True).name == "handmade"


def test_a_place_that_appears_meanwhile_is_not_overwritten(tmp_path):
    with refused("exists", str(tmp_path / "out")), reserve(tmp_path / "out"):
        (tmp_path / "out").mkdir()
    assert listing(tmp_path) == ["out"]


def test_a_parent_that_is_a_file_is_an_input_error(run, tmp_path):
    (tmp_path / "file").touch()
    with refused("unwritable", str(tmp_path / "file" / "out")):
        run.save(tmp_path / "file" / "out")


def test_no_bundle_at_all(tmp_path):
    with refused("not-found", str(tmp_path / "absent")):
        Run.open(tmp_path / "absent")
    with refused("wrong-format", str(tmp_path)):
        Run.open(tmp_path)


@pytest.mark.parametrize(
    ("content", "code", "line", "named"),
    [
        ("{", "wrong-format", ":1", ""),
        ("[1]", "damaged", "", ""),
        ("{}", "wrong-format", "", "'iowatt.run/1'"),
        ('{"schema": "iowatt.plan/1"}', "wrong-format", "", "'iowatt.plan/1'"),
        ('{"schema": "iowatt.run/2"}', "unsupported", "", "newer"),
        ('{"schema": "iowatt.run/0"}', "unsupported", "", "older"),
        (b"\xff\xfe", "wrong-format", "", ""),
    ],
)
def test_foreign_and_newer_bundles_are_refused_with_the_reason(tmp_path, content, code, line, named):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "run.json").write_bytes(data)
    with refused(code, f"{tmp_path / 'run.json'}{line}") as caught:
        Run.open(tmp_path)
    assert named in caught.value.message


def test_an_incomplete_bundle_names_the_file(run, tmp_path):
    run.save(tmp_path / "out")
    (tmp_path / "out" / "devices.parquet").write_bytes(b"PAR1 not really")
    (tmp_path / "out" / "energy.parquet").unlink()
    opened = Run.open(tmp_path / "out")
    for name in ("devices", "energy"):
        with refused("unreadable", str(tmp_path / "out" / f"{name}.parquet")):
            opened.table(name)
    (tmp_path / "out" / "plan.json").unlink()
    with refused("not-found", str(tmp_path / "out" / "plan.json")):
        Run.open(tmp_path / "out")


def test_tables_have_exactly_the_columns_of_the_contract(run):
    for name, schema in SCHEMAS.items():
        if name in bundle.OPTIONAL:
            assert not run.has(name)
            continue
        assert dict(run.table(name).schema) == {key: kind() for key, kind in schema.items()}
    with pytest.raises(ValueError) as caught:
        frame("latency", {"workload": [], "volume": [], "low_ns": [], "high_ns": [], "count": []})
    assert "['op']" in str(caught.value)


def test_a_bundle_is_what_says_so_in_its_run_json(tmp_path):
    assert not bundle.is_bundle(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"schema": "iowatt.run/9"}))
    assert bundle.is_bundle(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"schema": "other/1"}))
    assert not bundle.is_bundle(tmp_path)


def test_tables_are_plain_parquet(run, tmp_path):
    run.save(tmp_path / "out")
    rows = pl.scan_parquet(tmp_path / "out" / "energy.parquet").filter(pl.col("state") == "idle").collect()
    assert rows["energy_j"].to_list() == [1400, 2000]
    assert rows["power_w"].to_list() == [20, 20]


def _changed(folder, name, path, value):
    """The JSON file with the value at ``path`` replaced; ``...`` takes it out."""
    file = folder / name
    document = json.loads(file.read_text("utf-8"))
    here = document
    for step in path[:-1]:
        here = here[step]
    if value is ...:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    file.write_text(json.dumps(document), "utf-8")


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("run.json", ("devices", 0, "spin_ups"), float("nan")),
        ("run.json", ("devices", 0, "utilisation"), "0.5"),
        ("run.json", ("workloads", 0), 7),
        ("run.json", ("window",), None),
        ("run.json", ("notes",), "n"),
        ("run.json", ("throughput", "iops"), ...),
        ("plan.json", ("names", "devices", 0, "name"), "other.0"),
        ("plan.json", ("names", "workloads", 0), 7),
        ("plan.json", ("names", "pools"), []),
        ("plan.json", ("simulation", "workloads", 0), 7),
        ("plan.json", ("simulation", "workloads", 0, "replay", "mode"), "ajar"),
        ("plan.json", ("simulation", "workloads", 0, "volume"), 3),
        ("plan.json", ("simulation", "pools", 0, "count"), float("nan")),
        ("plan.json", ("simulation", "pools", 0, "raid", "level"), ...),
        ("plan.json", ("sources",), [{}, {}]),
        ("plan.json", ("names",), ...),
    ],
)
def test_a_damaged_bundle_names_the_file_and_the_key(run, tmp_path, name, path, value):
    run.save(tmp_path / "out")
    _changed(tmp_path / "out", name, path, value)
    with refused("damaged") as caught:
        Run.open(tmp_path / "out")
    file, _, key = caught.value.place.partition(": ")
    assert file == str(tmp_path / "out" / name)
    # A count that is wrong is told of the list, and a part that is none of the table around it.
    assert key and ".".join(map(str, path)).startswith(key.rpartition(".")[0])


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("run.json", ("rebuilds",), ...),
        ("run.json", ("workloads", 0, "trace", "warnings"), ...),
        ("run.json", ("workloads", 0, "of_tomorrow"), 1),
        ("plan.json", ("simulation", "of_tomorrow"), {"x": 1}),
        ("plan.json", ("names", "buses"), ["scsi0"]),
    ],
)
def test_what_an_older_or_newer_iowatt_wrote_of_the_same_schema_is_read(run, tmp_path, name, path, value):
    run.save(tmp_path / "out")
    _changed(tmp_path / "out", name, path, value)
    assert Run.open(tmp_path / "out").name == "handmade"


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("devices", lambda frame: frame.with_columns(name=pl.lit("other"))),
        ("devices", lambda frame: frame.with_columns(accesses=pl.lit("many"))),
        ("intervals", lambda frame: frame.drop("completions")),
    ],
)
def test_a_table_that_readers_cannot_rely_on_is_named(run, tmp_path, table, change):
    run.save(tmp_path / "out")
    file = tmp_path / "out" / f"{table}.parquet"
    change(pl.read_parquet(file)).write_parquet(file)
    with refused("damaged", str(file)):
        Run.open(tmp_path / "out").table(table)

"""Job files of fio: what each part of a profile becomes, and what is said to be lost."""

from __future__ import annotations

import re

import exported as ex
import pytest

from iowatt.base.errors import Argument
from iowatt.model.profile.find import load, profile_names
from iowatt.sources.export import fio, vdbench
from iowatt.sources.export.fio import poisson_rate
from iowatt.sources.export.sections import prepare
from refused import refused


def export(tmp_path, text, **options):
    done = fio.export(ex.profile(tmp_path, text, **options))
    return done, ex.jobs(done.text)


def test_the_hot_band_is_a_job_for_each_direction_of_a_stream():
    done = fio.export(prepare("hot-band", rate_iops=4000, span=10**11, duration_s=60))
    found = ex.jobs(done.text)
    rates = {name: int(job["rate_iops"]) for name, job in found.items() if name != "global"}
    assert rates == {
        **{f"write{i}": 200 for i in (1, 2, 3)},
        **{f"read{i}": 200 for i in range(1, 6)},
        "uniform-read": 120, "uniform-write": 120,
        "hot1-read": 784, "hot1-write": 336, "hot2-read": 392, "hot2-write": 168,
        "hot3-read": 196, "hot3-write": 84, "hot4-read": 140, "hot4-write": 60,
    }  # fmt: skip
    assert {job["rate_process"] for name, job in found.items() if name != "global"} == {"poisson"}
    assert "flow" not in done.text
    hot = found["hot1-read"]
    assert (hot["rw"], hot["blockalign"]) == ("randread", "4096")
    assert int(hot["offset"]) == pytest.approx(1e10, abs=1 << 20)
    assert int(hot["size"]) == pytest.approx(8e9, abs=2 << 20)
    kind, *zones = hot["random_distribution"].split(":")
    assert kind == "zoned_abs"
    assert sum(int(zone.split("/")[0]) for zone in zones) == 100
    assert len(zones) <= 256
    assert found["read1"]["rw"] == "read"
    assert found["write1"]["bssplit"].split(":")[3] == "8192/31"
    assert set(ex.keys(done)) == {
        *(f"stream.{name}.align" for name in ("uniform", "hot1", "hot2", "hot3", "hot4")),
        *(f"stream.hot{i}.access" for i in (1, 2, 3, 4)),
    }


def test_a_line_of_a_job_file_is_no_longer_than_fio_reads():
    done = fio.export(prepare("hot-band", rate_iops=4000, span=10**14))
    assert max(len(line) for line in done.text.splitlines() if not line.startswith("#")) < 4096


def test_rates_are_whole_and_add_up(tmp_path):
    streams = "".join(
        ex.UNIFORM.replace('"a"', f'"s{i}"').replace("100", str(share)).replace("70", "100")
        for i, share in enumerate((14.56, 30.44, 54.9, 0.1))
    )
    done, found = export(tmp_path, ex.HEAD + ex.POISSON.replace("1000", "142") + streams)
    rates = [int(found[name]["rate_iops"]) for name in ("s0", "s1", "s2")]
    assert sum(rates) == 142
    assert rates == [21, 43, 78]
    assert "s3" not in found  # 0.142 IOPS
    assert {"rates", "stream.s3 (reads)"} <= set(ex.keys(done))


@pytest.mark.parametrize("rate", [1, 20, 999, 1500, 3000, 7000, 9999])
def test_the_rate_that_fio_makes_of_whole_microseconds(rate):
    # What fio 3.33 does: the mean gap cut to whole microseconds, and each gap again.
    asked = poisson_rate(rate)
    made = 1e6 / (1_000_000 // asked - 0.5)
    assert made == pytest.approx(rate, rel=0.006)


def test_high_rates_are_split_over_clones(tmp_path):
    _, found = export(tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM, rate_iops=100_000)
    job = found["a-read"]
    assert int(job["numjobs"]) == 7
    made = 7 * 1e6 / (1_000_000 // int(job["rate_iops"]) - 0.5)
    assert made == pytest.approx(70_000, rel=0.006)


def test_sequential_cursors_and_runs(tmp_path):
    text = (
        ex.HEAD
        + ex.POISSON
        + '[[stream]]\nname = "seq"\nshare = 50\nread_share = 0\nsize = "64k"\n'
        + 'access = { pattern = "sequential", streams = 4 }\n'
        + '[[stream]]\nname = "runs"\nshare = 50\nread_share = 100\nsize = "64k"\nrange = ["50%", "100%"]\n'
        + 'access = { pattern = "sequential", run = "1MiB" }\n'
    )
    done, found = export(tmp_path, text)
    part = {
        "offset": "0",
        "size": str(16 << 20),
        "offset_increment": str(16 << 20),
        "numjobs": "4",
        "rate_iops": "125",
    }
    assert part.items() <= found["seq"].items()
    assert (found["runs"]["rw"], found["runs"]["offset"]) == ("randread:16", str(32 << 20))
    assert set(ex.keys(done)) == {"stream.seq.access.streams", "stream.runs.access.run"}


def test_zipf_of_whole_blocks_is_fios_own(tmp_path):
    def distribution(extent, order="scattered"):
        law = f'{{ pattern = "zipf", exponent = 0.9, extent = "{extent}", order = "{order}" }}'
        done, found = export(
            tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM.replace('{ pattern = "uniform" }', law)
        )
        return found["a-read"]["random_distribution"].split(":")[0], ex.keys(done)

    assert distribution("8k") == ("zipf", [])
    assert distribution("1MiB") == ("zoned_abs", ["stream.a.access"])
    assert distribution("8k", "ascending") == ("zoned_abs", ["stream.a.access"])


def test_reads_and_writes_of_a_scattered_law_share_their_heat(tmp_path):
    text = (
        ex.HEAD
        + ex.POISSON
        + ex.UNIFORM.replace('"uniform" }', '"skew", k = 7 }').replace(
            'size = "8k"',
            'read_sizes = [{ size = "4k", share = 100 }]\nwrite_sizes = [{ size = "16k", share = 100 }]',
        )
    )
    _, found = export(tmp_path, text)
    assert found["a-read"]["random_distribution"] == found["a-write"]["random_distribution"]


def test_laws_that_depend_on_earlier_requests_are_said_to_be_lost(tmp_path):
    text = ex.HEAD + ex.POISSON + ex.UNIFORM.replace('"uniform"', '"hierarchical-reuse", climb = 50')
    done, found = export(tmp_path, text)
    assert found["a-read"]["rw"] == "randread"
    assert ex.keys(done) == ["stream.a.access"]
    assert any(line.startswith("#") and "hierarchical-reuse" in line for line in done.text.splitlines())


def test_phases_are_stonewalled_sections_and_pauses_are_kept(tmp_path):
    phases = (
        '[[phase]]\nname = "day"\nduration = "4s"\n'
        '[[phase]]\nname = "rest"\nduration = "2s"\nfactor = 0\n'
        '[[phase]]\nname = "rush"\nduration = "1.5s"\nfactor = 2\n'
    )
    _, found = export(tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM + phases)
    day, rush = found["day.a-read"], found["rush.a-read"]
    assert (day["rate_iops"], day["runtime"], "stonewall" in day) == ("700", "4", False)
    assert (rush["rate_iops"], rush["runtime"], rush["startdelay"]) == (
        str(poisson_rate(1400)),
        "1500000us",
        "6",
    )
    assert rush["stonewall"] is True
    assert "stonewall" not in found["rush.a-write"]
    assert found["rush.a-write"]["startdelay"] == "6"


def test_an_envelope_is_cut_where_it_steps(tmp_path):
    text = ex.HEAD + ex.POISSON + ex.UNIFORM + '[[envelope]]\nperiod = "8s"\nfactors = [1, 3]\n'
    prepared = ex.profile(tmp_path, text, duration_s=10)
    rates = [(s.start_s, s.length_s, s.rates["a"]) for s in prepared.sections]
    assert rates == [(0, 4, 500), (4, 4, 1500), (8, 2, 500)]
    assert prepared.duration_s == 10
    with refused("too-large", None):
        ex.profile(tmp_path, text, duration_s=1e5)


def test_closed_loops(tmp_path):
    loop = 'arrivals = {{ law = "closed", outstanding = {n}{think} }}\n'
    done, found = export(tmp_path, ex.HEAD + loop.format(n=32, think="") + ex.UNIFORM)
    assert found["a"].items() >= {"rw": "randrw", "rwmixread": "70", "iodepth": "32", "bs": "8192"}.items()
    assert done.omissions == []
    think = ', think = "2ms"'
    done, found = export(tmp_path, ex.HEAD + loop.format(n=8, think=think) + ex.UNIFORM)
    assert found["a"].items() >= {"numjobs": "8", "iodepth": "1", "thinktime": "2000"}.items()
    assert ex.keys(done) == ["arrivals.think_law"]
    sizes = 'read_sizes = [{ size = "4k", share = 100 }]\nwrite_sizes = [{ size = "16k", share = 100 }]'
    _, found = export(
        tmp_path, ex.HEAD + loop.format(n=8, think="") + ex.UNIFORM.replace('size = "8k"', sizes)
    )
    assert found["a"]["bssplit"] == "4096/100,16384/100"


def test_a_closed_loop_of_several_streams_says_that_shares_are_not_kept(tmp_path):
    text = 'arrivals = { law = "closed", outstanding = 10 }\n' + "".join(
        ex.UNIFORM.replace('"a"', f'"{n}"')
        .replace("= 70", "= 100", 1)
        .replace("share = 100", f"share = {s}", 1)
        for n, s in (("a", 70), ("b", 30))
    )
    done, found = export(tmp_path, ex.HEAD + text)
    assert (found["a"]["iodepth"], found["b"]["iodepth"]) == ("7", "3")
    assert ex.keys(done) == ["stream.*.share"]


@pytest.mark.parametrize(
    ("law", "key", "process"),
    [
        ('law = "constant", rate = 1000', "arrivals", "linear"),
        ('law = "hyper-exponential", rate = 1000, cv = 3', "arrivals", "poisson"),
        ('law = "on-off", rate = 1000, on = "1s", off = "1s"', "arrivals", "poisson"),
        ('law = "batch", rate = 1000, mean_requests = 8', "arrivals", "poisson"),
        ('law = "poisson", rate = 1000, stay = 4', "arrivals.stay", "poisson"),
    ],
)
def test_arrivals_that_fio_does_not_make(tmp_path, law, key, process):
    done, found = export(tmp_path, ex.HEAD + f"arrivals = {{ {law} }}\n" + ex.UNIFORM)
    assert ex.keys(done) == [key]
    assert found["a-read"].items() >= {"rate_iops": "700", "rate_process": process}.items()


def test_equal_gaps_of_mixed_sizes_are_paced_by_bytes(tmp_path):
    sizes = 'sizes = [{ size = "4k", share = 50 }, { size = "64k", share = 50 }]\nalign = "4k"'
    text = (
        ex.HEAD + 'arrivals = { law = "constant", rate = 1000 }\n' + ex.UNIFORM.replace('size = "8k"', sizes)
    )
    done, found = export(tmp_path, text.replace("read_share = 70", "read_share = 100"))
    assert found["a"]["rate"] == str(1000 * 34 * 1024)
    assert "rate_iops" not in found["a"]
    assert ex.keys(done) == ["stream.a.arrivals"]


def test_sizes_that_direct_io_and_bssplit_do_not_take(tmp_path):
    sizes = 'sizes = [{ size = 700, share = 97.9 }, { size = "4k", share = 2.1 }]\nalign = 512'
    done, found = export(tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM.replace('size = "8k"', sizes))
    assert found["a-read"]["bssplit"] == "1024/98:4096/2"
    assert ex.keys(done) == ["stream.a.size", "stream.a.sizes"]


def test_recorded_arrivals_and_a_missing_span_are_refused(tmp_path):
    text = 'arrivals = { law = "recorded", trace = { path = "x.csv" } }\n'
    with refused("unsupported", re.compile(r"mine\.toml:\d+: arrivals\.law$")):
        ex.profile(tmp_path, ex.HEAD + text + ex.UNIFORM)
    with refused("missing", str(tmp_path / "mine.toml")):
        ex.profile(tmp_path, (ex.HEAD + ex.POISSON + ex.UNIFORM).replace('span = "64MiB"\n', ""))


def test_a_colon_in_the_name_of_the_target_is_no_second_file(tmp_path):
    _, found = export(
        tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM, target="/dev/disk/by-path/pci-0000:00:1f.2"
    )
    assert found["global"]["filename"] == r"/dev/disk/by-path/pci-0000\:00\:1f.2"


@pytest.mark.parametrize("name", profile_names())
@pytest.mark.parametrize("tool", [fio, vdbench], ids=["fio", "vdbench"])
def test_every_profile_of_the_library_is_exported(name, tool):
    given = load(name).profile
    rated = given.arrivals is None or given.arrivals.law != "closed"
    rate = 500 if rated and given.mean_rate is None else None
    # Long enough for each phase, as a stream may have no share in some of them.
    lasts = sum(phase.duration for phase in given.phase) or 30
    done = tool.export(prepare(name, rate_iops=rate, span=None if given.span else 1 << 40, duration_s=lasts))
    assert set(done.jobs.values()) <= {stream.name for stream in given.stream}
    left_out = {o.key for o in done.omissions if o.exported == "nothing"}
    assert len(set(done.jobs.values())) + len(left_out) >= len(given.stream)


@pytest.mark.parametrize("title", ["Mine\\n[x]\\nfilename=/dev/sda", "Mine\\r", "Mine\\u2028x"])
def test_a_title_of_several_lines_is_refused(tmp_path, title):
    # It stands in a comment of the job file; its second line would be an option, such as another target.
    with refused("bad-syntax", re.compile(r": title$")):
        ex.profile(tmp_path, ex.HEAD.replace('"Mine"', f'"{title}"') + ex.POISSON + ex.UNIFORM)


def test_a_target_of_several_lines_is_refused(tmp_path):
    with refused("bad-syntax", Argument("target")):
        ex.profile(tmp_path, ex.HEAD + ex.POISSON + ex.UNIFORM, target="x\nfilename=/dev/sda")


def test_lines_are_no_longer_than_fio_reads(tmp_path):
    # fio 3.33 takes what is beyond 8 KiB of a comment for an option, and refuses the file.
    streams = "".join(
        f'[[stream]]\nname = "number-{i:04d}-of-a-thousand"\nshare = 0.1\nread_share = 50\n'
        'sizes = [{ size = "512", share = 50 }, { size = "8k", share = 50 }]\n'
        'access = { pattern = "uniform" }\n'
        for i in range(1000)
    )
    done, _ = export(tmp_path, ex.HEAD + ex.POISSON.replace("1000", "100000") + streams)
    assert re.search(r"(?<!\S)980(?!\S)", done.text)
    assert max(map(len, done.text.splitlines())) < 4096
    assert len(done.omissions) >= 1000

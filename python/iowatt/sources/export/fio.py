"""A profile as a job file of fio.

A stream is a job for its reads and one for its writes: independent Poisson streams that add up to the
profile's. Their rates are `rate_iops` with `rate_process=poisson`; `flow=` keeps shares too, and lets the
rate collapse (fio 3.33 on its null engine: 234 IOPS for 4000). Facts of fio that this file goes by, each seen
with fio 3.33:

- `rate_iops`, `bssplit` and the shares of zones are whole numbers.
- With a rate, a job waits for all of its requests before it sleeps (`io_submit_mode=inline`; `offload`, which
  does not, never ends here), so a rate is split over jobs (:meth:`_FioFile.split`).
- Poisson gaps are whole microseconds, from a mean cut to whole microseconds: high rates are split over
  clones.
- With a linear rate process, `rate_iops` counts requests of the smallest size of a `bssplit`; `rate=` counts
  bytes.
- `random_distribution` takes one list for reads and writes, and `filesize=` would widen the range of random
  requests.
- `startdelay` counts from the start of the whole run, also behind a `stonewall`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from iowatt.model.profile import Mix
from iowatt.model.profile.laws import (
    Closed,
    Constant,
    HierarchicalReuse,
    HotBand,
    ReuseDistance,
    Sequential,
    Zipf,
)
from iowatt.sources.export.loads import (
    DirectionLoad,
    ExportedFile,
    JobFile,
    JobSection,
    PreparedProfile,
    RateSection,
    apportion,
    arrivals_of,
    describe_omissions,
    lost_arrivals,
    run_requests,
    sectors,
)
from iowatt.sources.export.zones import is_zoned, zones

_PAGE: Final = 4096
_MOST_SIZES: Final = 64
_MOST_CLONES: Final = 1024
# Above this rate the cut to whole microseconds is felt: half of one in 100.
_CLONE_IOPS: Final = 10_000.0
_BUFFERS: Final = 4 << 20
_DEPTHS: Final = (4, 64)
# Jobs that a load is split over at most: clumps of 64 jobs lengthen responses by less than 1 in 100.
_MOST_JOBS: Final = 64
# A job's first request comes at once, whatever the rate; among so many it does not count.
_LEAST_REQUESTS: Final = 50


def export(prepared: PreparedProfile, *, direct: bool = True) -> ExportedFile:
    """The job file; ``direct``: past the page cache, as a measurement of storage must be."""
    return _FioFile(prepared, direct=direct).written()


def job_file(comments: Sequence[str], options: Sequence[str], jobs: Sequence[JobSection]) -> str:
    """The text of a job file: comments, the options of all jobs, and the jobs."""
    lines = [*(f"# {comment}" for comment in comments), "", "[global]", *options]
    for job in jobs:
        lines += ["", f"[{job.name}]", *job.options]
    return "\n".join(lines) + "\n"


def escaped_path(path: str) -> str:
    """A file's name as fio takes it: a colon would separate two files."""
    return path.replace("\\", "\\\\").replace(":", "\\:")


def fio_time(seconds: float) -> str:
    """A time as fio takes it: whole seconds, or whole microseconds."""
    return str(round(seconds)) if seconds == round(seconds) else f"{round(seconds * 1e6)}us"


class _FioFile(JobFile):
    """A job file in the making."""

    def __init__(self, prepared: PreparedProfile, *, direct: bool) -> None:
        super().__init__(prepared, direct=direct)
        self.sections: list[JobSection] = []

    def written(self) -> ExportedFile:
        prepared, profile = self.prepared, self.prepared.profile
        self.omit_all(lost_arrivals(profile, "fio"))
        for section in prepared.sections:
            self.section(section)
        comments = [
            profile.title,
            f"iowatt's profile {profile.name}: {prepared.span} bytes, {prepared.duration_s:g} s",
            f"THIS WRITES to {prepared.target}: {prepared.span} bytes, to be written before reads count.",
            "A device that falls behind delays later requests, which fio does not count as latency:",
            "compare the rate achieved with the rate asked for.",
            *(f"not expressed: {line}" for line in describe_omissions(self.omissions.values())),
        ]
        options = [
            f"filename={escaped_path(prepared.target)}",
            "ioengine=libaio",
            f"direct={int(self.direct)}",
            "thread=1",
            "time_based=1",
            "norandommap=1",
            "random_generator=tausworthe64",
            f"randseed={prepared.seed}",
        ]
        text = job_file(comments, options, self.sections)
        return ExportedFile("fio", text, list(self.omissions.values()), self.jobs, self.sections)

    def section(self, section: RateSection) -> None:
        """The jobs of a section; the first of a later one waits for all before it."""
        first = len(self.sections)
        if section.rates is None:
            self.closed(section)
        else:
            self.open(section, section.rates)
        if section.start_s > 0:
            # startdelay is absolute: it keeps a section without requests in front of this one.
            for number, job in enumerate(self.sections[first:]):
                job.options[:0] = ["stonewall"] * (number == 0) + [f"startdelay={fio_time(section.start_s)}"]

    def job(self, section: RateSection, name: str, stream: str, options: list[str]) -> None:
        full = f"{section.name}.{name}" if section.name else name
        self.jobs[full] = stream
        self.sections.append(JobSection(full, [f"runtime={fio_time(section.length_s)}", *options]))

    def open(self, section: RateSection, rates: dict[str, float]) -> None:
        loads = [load for load in self.prepared.loads() if rates[load.stream.name] * load.fraction > 0]
        asked = [rates[load.stream.name] * load.fraction for load in loads]
        if not loads:
            return
        whole = apportion(asked, max(1, round(math.fsum(asked))))
        outstanding = self.prepared.outstanding_at(math.fsum(asked))
        for load, rate, rounded in zip(loads, asked, whole, strict=True):
            if rounded == 0:
                self.omit(
                    f"stream.{load.stream.name} ({load.op}s)",
                    f"{rate:.3g} IOPS",
                    "nothing",
                    "fio's rates are whole IOPS; a higher --rate shows it",
                )
                continue
            if abs(rounded - rate) > 0.01 * rate:
                self.omit(
                    "rates",
                    "rates with a fraction",
                    "whole IOPS",
                    f"fio takes no fraction: {rate:.2f} IOPS of {load.name} are {rounded}",
                )
            sequential = isinstance(load.stream.access, Sequential) and run_requests(load) is None
            cursors = load.stream.access.streams if isinstance(load.stream.access, Sequential) else 1
            clones = cursors if sequential else max(1, math.ceil(rate / _CLONE_IOPS))
            where, sizes = self.where(load)
            own = outstanding * rate / math.fsum(asked)
            split = 1 if sequential else self.split(section, own, rounded)
            if split > clones:
                for jobs, each in _shared(rounded, split):
                    depth = f"iodepth={max(_DEPTHS[0], math.ceil(own / split))}"
                    options = [*where, f"rate_iops={poisson_rate(each)}", "rate_process=poisson", depth]
                    self.job(section, load.name, load.stream.name, [*options, *_clones(load, jobs)])
                continue
            depth = f"iodepth={max(_depth(sizes), math.ceil(own / clones))}"
            options = [*where, *self.rate(load, rate, rounded, clones), depth]
            self.job(section, load.name, load.stream.name, [*options, *_clones(load, clones)])

    def split(self, section: RateSection, outstanding: float, rate: int) -> int:
        """Jobs that share the rate of one load, where its outstanding requests were asked for.

        One job lets all of its requests complete before it sleeps until the next one is due, and makes what
        fell due meanwhile at once: requests come in clumps, as large as the job has requests in flight. With
        a request in flight each, jobs make random arrivals.
        """
        if self.prepared.outstanding is None or isinstance(self.prepared.profile.arrivals, Constant):
            return 1
        most = rate * section.length_s / _LEAST_REQUESTS
        share = outstanding / self.prepared.outstanding
        return max(1, math.floor(min(outstanding / 2, _MOST_JOBS * share, rate, most)))

    def rate(self, load: DirectionLoad, rate: float, whole: int, clones: int) -> list[str]:
        """The rate of one of ``clones`` jobs."""
        constant = isinstance(arrivals_of(self.prepared.profile, load.stream), Constant)
        if not constant:
            return [
                f"rate_iops={poisson_rate(rate / clones if clones > 1 else whole)}",
                "rate_process=poisson",
            ]
        if len(self.prepared.loads()) > 1 or clones > 1:
            self.omit(
                "arrivals",
                "equal gaps between all requests",
                "equal gaps in each job",
                "fio paces each job separately",
            )
        if len(load.sizes) == 1:
            return [f"rate_iops={max(1, round(rate / clones))}", "rate_process=linear"]
        self.omit(
            f"stream.{load.stream.name}.arrivals",
            "equal gaps",
            "gaps in proportion to the size of the request",
            "fio paces a mix of sizes by bytes",
        )
        return [f"rate={round(rate / clones * load.mean_bytes)}", "rate_process=linear"]

    def closed(self, section: RateSection) -> None:
        """So many jobs, or so deep a queue, as requests are outstanding."""
        law = self.prepared.profile.arrivals
        assert isinstance(law, Closed), "the only arrivals without rates"
        loads = self.prepared.loads()
        if law.think and law.think_law == "exponential":
            self.omit(
                "arrivals.think_law", "exponential think times", "their mean", "fio's thinktime is fixed"
            )
        streams = {load.stream.name for load in loads}
        banded = any(isinstance(load.stream.access, HotBand) for load in loads)
        if len(loads) == 2 and len(streams) == 1 and not banded:
            self.mixed(section, loads, law)
            return
        weights = [(load.stream.share or 0.0) * load.fraction for load in loads]
        depths = apportion(weights, max(law.outstanding, 1))
        if len(loads) > 1:
            self.omit(
                "stream.*.share",
                "shares of the requests of one loop",
                "shares of its outstanding requests",
                "fio's jobs run by themselves: shares of requests need alike response times",
            )
        for load, depth in zip(loads, depths, strict=True):
            if depth == 0:
                self.omit(
                    f"stream.{load.stream.name} ({load.op}s)",
                    f"{(load.stream.share or 0.0) * load.fraction:.3g} % of the requests",
                    "nothing",
                    f"{law.outstanding} outstanding requests leave none to it",
                )
                continue
            options = self.where(load)[0] + self.loop(law, depth)
            self.job(section, load.name, load.stream.name, options)

    def mixed(self, section: RateSection, loads: list[DirectionLoad], law: Closed) -> None:
        """Reads and writes of one stream in one loop."""
        read, write = loads
        options, _ = self.where(read)
        sizes = [",".join(_split(load.sizes)[0] for load in loads)] if read.sizes != write.sizes else []
        kept = [o for o in options if not (sizes and o.startswith(("bs=", "bssplit=")))]
        kept[0] = kept[0].replace("randread", "randrw").replace("rw=read", "rw=rw")
        percent = round(read.stream.read_share)
        if percent != read.stream.read_share:
            self.omit(
                f"stream.{read.stream.name}.read_share",
                f"{read.stream.read_share:g} % reads",
                f"{percent} %",
                "fio's rwmixread is a whole number",
            )
        options = [*kept, *(f"bssplit={split}" for split in sizes), f"rwmixread={percent}"]
        self.job(section, read.stream.name, read.stream.name, options + self.loop(law, law.outstanding))

    def loop(self, law: Closed, depth: int) -> list[str]:
        if not law.think:
            return [f"iodepth={depth}"]
        if depth > _MOST_CLONES:
            self.omit(
                "arrivals.outstanding",
                f"{depth} requests, each with its own think time",
                f"{_MOST_CLONES} of them",
                "each is a thread of fio",
            )
        clones = [f"numjobs={min(depth, _MOST_CLONES)}"] if depth > 1 else []
        return ["iodepth=1", f"thinktime={round(law.think * 1e6)}", *clones]

    def where(self, load: DirectionLoad) -> tuple[list[str], Mix]:
        """Direction, place and sizes, and these as the file has them."""
        sizes, notes = sectors(load)
        self.omit_all(notes)
        split, exact = _split(sizes)
        if not exact:
            self.omit(
                f"stream.{load.stream.name}.sizes",
                "shares of sizes",
                "whole percents of at most 64 sizes",
                "that is what fio's bssplit takes",
            )
        size = [f"bs={sizes[0][0]}"] if len(sizes) == 1 else [f"bssplit={split}"]
        access = load.stream.access
        run = run_requests(load)
        if isinstance(access, Sequential) and run is None:
            return [f"rw={load.op}", *size, *self.part(load, access)], sizes
        unit = self.unit(load, sizes)
        place = [f"offset={load.start}", f"size={load.length}", f"blockalign={unit}"]
        kind = f"rw=rand{load.op}"
        if run is not None:
            return [f"{kind}:{max(1, round(run))}", *size, *self.runs(load, place, run)], sizes
        if isinstance(access, HierarchicalReuse | ReuseDistance):
            self.omit(
                f"stream.{load.stream.name}.access",
                f"the law {access.pattern}",
                "uniform random requests in its range",
                "fio's requests do not depend on earlier ones",
            )
        if isinstance(access, Zipf) and _is_blocks(load, access, sizes):
            return [kind, *size, *place, f"random_distribution=zipf:{access.exponent:g}"], sizes
        if is_zoned(access):
            place.append(f"random_distribution=zoned_abs:{self.zoned(load)}")
        return [kind, *size, *place], sizes

    def runs(self, load: DirectionLoad, place: list[str], run: float) -> list[str]:
        self.omit(
            f"stream.{load.stream.name}.access.run",
            f"runs of {run:.3g} requests in the mean, of random length",
            f"runs of {max(1, round(run))} requests each",
            "fio jumps after a fixed number of requests",
        )
        return place

    def part(self, load: DirectionLoad, access: Sequential) -> list[str]:
        """The range of one cursor."""
        cursors = access.streams
        if cursors == 1 or access.begin == "start":
            start = load.start
            if access.begin == "random":
                self.omit(
                    f"stream.{load.stream.name}.access.begin",
                    "a start drawn at random",
                    "the start of the range",
                    "fio's sequential jobs begin where their range does",
                )
            return [f"offset={start}", f"size={load.length}"]
        step = load.length // cursors // _PAGE * _PAGE
        self.omit(
            f"stream.{load.stream.name}.access.streams",
            f"{cursors} cursors that walk the whole range",
            f"{cursors} jobs, each in its own part",
            "a job of fio begins again where its own part does",
        )
        return [f"offset={load.start}", f"size={step}", f"offset_increment={step}"]

    def unit(self, load: DirectionLoad, sizes: Mix) -> int:
        """What random offsets are multiples of."""
        if load.stream.align is not None:
            return load.stream.align
        smallest = min(size for size, _ in sizes)
        if len(sizes) == 1:
            return smallest
        unit = max(smallest, _PAGE)
        self.omit(
            f"stream.{load.stream.name}.align",
            "each request at a multiple of its own size",
            f"all at multiples of {unit} bytes",
            "fio has one alignment for a mix of sizes",
        )
        return unit

    def zoned(self, load: DirectionLoad) -> str:
        access = load.stream.access
        # Reads and writes are cut alike, so that what is hot for one lies where it does for the other.
        both = [part for part in self.prepared.loads() if part.stream is load.stream]
        unit = math.lcm(*(self.unit(part, sectors(part)[0]) for part in both))
        found = zones(
            access,
            load.length,
            op=load.op,
            size=load.mean_bytes,
            unit=unit,
            count=100,
            seed=self.prepared.seed,
        )
        scattered = getattr(access, "order", None) == "scattered"
        self.omit(
            f"stream.{load.stream.name}.access",
            f"the law {access.pattern}" + (", its extents scattered" if scattered else ""),
            "zones of whole percents, uniform inside" + (", the zones scattered" if scattered else ""),
            "fio's random_distribution=zoned_abs takes no finer ones",
        )
        return ":".join(f"{zone.weight}/{zone.length}" for zone in found)


def poisson_rate(rate: float) -> int:
    """The `rate_iops` whose Poisson arrivals come nearest to ``rate`` (gaps of fio 3.33 are cut to whole
    microseconds twice)."""
    if rate <= 1000:
        return max(1, round(rate))
    return 1_000_000 // round(1e6 / rate + 0.5)


def _clones(load: DirectionLoad, clones: int) -> list[str]:
    return [f"numjobs={clones}"] if clones > 1 else []


def _shared(rate: int, jobs: int) -> list[tuple[int, int]]:
    """A rate over so many jobs in whole numbers: (jobs, rate of each)."""
    least, more = divmod(rate, jobs)
    return [(n, each) for n, each in ((more, least + 1), (jobs - more, least)) if n and each]


def _is_blocks(load: DirectionLoad, access: Zipf, sizes: Mix) -> bool:
    """Whether extents are requests, which is what fio's own Zipf law draws."""
    single = len(sizes) == 1 and sizes[0][0] == access.extent
    return (
        single
        and load.stream.align in (None, access.extent)
        and access.order == "scattered"
        and access.exponent != 1
    )


def _split(sizes: Mix) -> tuple[str, bool]:
    """The mix as bssplit takes it, and whether that is the mix."""
    kept = sorted(sorted(sizes, key=lambda part: -part[1])[:_MOST_SIZES])
    total = math.fsum(share for _, share in sizes)
    whole = apportion([share for _, share in kept])
    exact = all(abs(w - share / total * 100) < 1e-6 for (_, share), w in zip(kept, whole, strict=True))
    return ":".join(f"{size}/{w}" for (size, _), w in zip(kept, whole, strict=True) if w), exact and len(
        kept
    ) == len(sizes)


def _depth(sizes: Mix) -> int:
    """What any job may keep outstanding: enough for bursts of few requests, without large buffers."""
    least, most = _DEPTHS
    return min(most, max(least, _BUFFERS // max(size for size, _ in sizes)))

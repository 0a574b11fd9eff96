"""A product family as its maker describes it: a TOML file (``iowatt.family/1``)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.strict import Name, Strict, key
from iowatt.emerald.family.hardware import ControllerClass, Count, DriveOption, RaidOption, Shelf
from iowatt.emerald.family.variables import ComFeature, RasFeature
from iowatt.model.library import FigureSource
from iowatt.model.power import PartKeys, SupplyKeys

FAMILY_SCHEMA: Final = "iowatt.family/1"

Limit = Annotated[Duration, Field(gt=0, le=3600)]
Mix = Annotated[int, Field(ge=1, le=99)]


class SequentialLoad(Strict):
    """A sequential load: streams that keep requests outstanding."""

    streams: int = key("Sequential streams.", default=1, ge=1, le=4096, example=8)
    outstanding: int = key(
        "Requests outstanding over all streams. A fixed number is what makes a sequential metric fall with "
        "the drives: throughput saturates, power does not.",
        default=32,
        ge=1,
        le=1_000_000,
        example=32,
    )
    begin: Literal["start", "spread", "random"] = key(
        "Where streams begin, as `access.begin` of a profile. Evenly spread ones march in step, and numbers "
        "of drives that divide their distances then share the load unevenly.",
        default="spread",
        example="random",
    )
    per: Literal["array", "node", "drive"] = key(
        "Streams and outstanding count for the array, each node or each drive.",
        default="array",
        example="array",
    )
    size: BlockSize | None = key(
        "Request size.", default=None, unset="the rules'", unit="bytes", gt=0, le=2**30, example="256KiB"
    )
    warmup: Duration = key(
        "Uncounted time, in which a write-back cache fills.", default=1.0, unit="s", ge=0, example="1s"
    )
    duration: Duration = key(
        "Simulated time that is counted.", default=4.0, unit="s", gt=0, le=36_000, example="4s"
    )


class TestLoad(Strict):
    """The test load; response limits are the rules' unless stated."""

    __test__ = False  # nothing for pytest

    capacity_share: float = key(
        "Share of the usable capacity that is tested, from its start. Less than all strokes disks short.",
        default=1.0,
        gt=0,
        le=1,
        example=0.8,
    )
    mixes: list[Mix] = key(
        "Reads in percent of mixed metrics beyond the rules'.", default=[], max_length=20, example=[60, 80]
    )
    limit: Duration | None = key(
        "Mean response time that random metrics must keep to.",
        default=None,
        unset="the rules'",
        unit="s",
        gt=0,
        le=3600,
        example="20ms",
    )
    random: Literal["closed", "open"] = key(
        "How random metrics reach the limit. closed: with so many requests outstanding that their mean "
        "response time is the limit, as load generators with threads do, and steady once caches have filled. "
        "open: at the highest rate of random arrivals that keeps to it.",
        default="closed",
        example="closed",
    )
    requests: int = key(
        "Requests of a random metric that are simulated and counted at each rate.",
        default=20_000,
        ge=500,
        le=10_000_000,
        example=20_000,
    )
    warmup_requests: int = key(
        "Requests before those. A write-back cache is also filled to its high watermark four times.",
        default=5_000,
        ge=0,
        le=10_000_000,
        example=5_000,
    )
    sequential_read: SequentialLoad = key("The load of SR.", default=SequentialLoad())
    sequential_write: SequentialLoad = key("The load of SW.", default=SequentialLoad())


class Nodes(Strict):
    """How many nodes a scale-out system has."""

    least: int = key("Fewest.", default=1, ge=1, le=1024, example=3)
    most: int = key("Most.", ge=1, le=1024, example=24)
    step: int = key("Increment.", default=1, ge=1, le=1024, example=1)


class Interconnect(Strict):
    """The interconnect of the nodes."""

    hop: Duration = key(
        "Processor time of each request that another node holds, on top of processing; of N nodes that are "
        "(N - 1)/N of all requests.",
        default=0.0,
        unit="s",
        le=10,
        example="40us",
    )
    part: list[PartKeys] = key("Switches and the like, with watts, as those of a controller.", default=[])
    supply: SupplyKeys | None = key(
        "Their power supplies.", default=None, unset="none: their watts are taken as if at the wall"
    )
    nodes: int = key("Nodes that one set of these parts joins.", default=1024, ge=1, le=1024, example=16)


class ScaleOut(Strict):
    """A family that grows by like nodes, each a controller with its own shelves."""

    nodes: Nodes = key("How many.", example={"least": 3, "most": 24})
    drives_per_node: list[Count] | None = key(
        "Drives that a node may have.",
        default=None,
        unset="shelf by shelf, up to the limit of its controller",
        min_length=1,
        max_length=100,
        example=[24],
    )
    interconnect: Interconnect = key("The interconnect of the nodes.", default=Interconnect())
    plateau_percent: float = key(
        "A curve that ends within this of its highest point, and keeps within it from some point on, has no "
        "peak: the first such point is taken.",
        default=2.0,
        gt=0,
        le=50,
        example=2,
    )


class GroupKeys(Strict):
    """Like drives of a configuration under one level."""

    drive: Name = key("The drive option.", example="sff-15k-146gb")
    count: int = key("Drives; of a scale-out family, in all nodes together.", ge=1, le=100_000, example=50)
    raid: Name = key("The level's name.", example="raid-5")


class Configuration(Strict):
    """A configuration that is always evaluated, by its name."""

    name: Name = key("Its name in results.", example="baseline")
    controller: Name = key("The controller class.", example="higher")
    group: list[GroupKeys] = key(
        "Its drives; several groups for several types of drives.", min_length=1, max_length=20
    )
    nodes: int = key("Nodes, of a scale-out family.", default=1, ge=1, le=1024, example=4)
    metrics: list[str] | None = key(
        "The metrics that are evaluated.", default=None, unset="all", min_length=1, example=["RI"]
    )
    limits: dict[str, Limit] = key(
        "Mean response times by metric, where they differ from the test's: those at which it was measured.",
        default={},
        example={"RR": "12ms", "RW": "7ms"},
    )
    outstanding: int | None = key(
        "A closed loop of so many random requests in place of the highest rate within the limit: an untuned "
        "load.",
        default=None,
        unset="the highest rate within the limit",
        ge=1,
        le=1_000_000,
        example=64,
    )
    sequential_read: SequentialLoad | None = key("The load of SR.", default=None, unset="the test's")
    sequential_write: SequentialLoad | None = key("The load of SW.", default=None, unset="the test's")
    note: str | None = key("Remarks for a reader.", default=None, unset="nothing", max_length=1000)


class FamilyFile(Strict):
    """A product family: the parts of its configurations, and their test load."""

    schema_: Literal["iowatt.family/1"] = key(
        "The version of this format.",
        default=FAMILY_SCHEMA,
        alias="schema",
        accepts=f'"{FAMILY_SCHEMA}"',
        example=FAMILY_SCHEMA,
    )
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)] = key(
        "Name of the family; part of the names of its scenarios.", example="online3"
    )
    title: str | None = key(
        "Its title in pages and messages.", default=None, unset="its name", min_length=1, max_length=200
    )
    notes: list[str] = key("Remarks for a reader of its results.", default=[])
    rules: str = key(
        "The rule profile that says which metrics there are, and their limits: a library name "
        "(`iowatt emerald rules`), or a file.",
        default="emerald-1.0.0",
        min_length=1,
        example="emerald-1.0.0",
    )
    energystar: str = key(
        "The rule profile whose range around an optimal point says which configurations its test covers.",
        default="energystar-2.0",
        min_length=1,
        example="energystar-2.0",
    )
    seed: int = key("Seed of everything drawn at random.", default=1, ge=0, le=2**31 - 1, example=1)
    test: TestLoad = key("The test load.", default=TestLoad())
    controller: list[ControllerClass] = key(
        "Controller classes, the lower first.", min_length=1, max_length=50
    )
    shelf: list[Shelf] = key("Kinds of shelves.", min_length=1, max_length=50)
    drive: list[DriveOption] = key("Drive options.", min_length=1, max_length=200)
    raid: list[RaidOption] = key("Levels of redundancy offered.", min_length=1, max_length=50)
    scale_out: ScaleOut | None = key(
        "How it grows by nodes.", default=None, unset="it scales up: one controller pair, more drives"
    )
    ras: list[RasFeature] = key(
        "Features of reliability, availability and serviceability, and their ranges; recorded, not modelled.",
        default=[],
        max_length=100,
        example=[{"feature": "spare-drives", "least": 0, "most": 8}],
    )
    com: list[ComFeature] = key(
        "Capacity optimisation methods; recorded, not modelled.",
        default=[],
        max_length=20,
        example=[{"method": "thin-provisioning", "offered": "optional"}],
    )
    configuration: list[Configuration] = key(
        "Configurations that are evaluated by name.", default=[], max_length=100
    )
    source: list[FigureSource] = key(
        "Where figures come from; key paths have names in the place of positions, such as "
        "`controller.lower.work.back_end`, or `*` for all of them.",
        default=[],
    )

"""A product family as its maker describes it: a TOML file (``iowatt.family/1``)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.base.quantity import Duration
from iowatt.base.strict import Name, Strict, key
from iowatt.emerald.family.hardware import ControllerClass, Count, DriveOption, RaidOption, Shelf
from iowatt.emerald.family.load import Sequential, Test
from iowatt.model.library.source import Source
from iowatt.model.power.keys import PartKeys, SupplyKeys

FAMILY_SCHEMA: Final = "iowatt.family/1"

Limit = Annotated[Duration, Field(gt=0, le=3600)]


class Nodes(Strict):
    """How many nodes a scale-out system has."""

    least: int = key("Fewest.", default=1, ge=1, le=1024, example=3)
    most: int = key("Most.", ge=1, le=1024, example=24)
    step: int = key("Increment.", default=1, ge=1, le=1024, example=1)


class Interconnect(Strict):
    """What joins the nodes."""

    hop: Duration = key(
        "Processor time of each request that another node holds, on top of processing; of N nodes that are "
        "(N - 1)/N of all requests.",
        default=0.0,
        unit="s",
        le=10,
        example="40us",
    )
    part: list[PartKeys] = key("Switches and the like, with watts, as of a controller.", default=[])
    supply: SupplyKeys | None = key(
        "Their power supplies.", default=None, unset="none: their watts are taken as if at the wall"
    )
    nodes: int = key("Nodes that one set of these parts joins.", default=1024, ge=1, le=1024, example=16)


class ScaleOut(Strict):
    """A family that grows by like nodes, each a controller with shelves of its own."""

    nodes: Nodes = key("How many.", example={"least": 3, "most": 24})
    drives_per_node: list[Count] | None = key(
        "Drives that a node may have.",
        default=None,
        unset="shelf by shelf, up to what its controller takes",
        min_length=1,
        max_length=100,
        example=[24],
    )
    interconnect: Interconnect = key("What joins the nodes.", default=Interconnect())
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
    """A configuration to be evaluated by name, whatever the search finds."""

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
        "A closed loop of so many random requests in place of the highest rate within the limit: a load that "
        "nobody tuned.",
        default=None,
        unset="the highest rate within the limit",
        ge=1,
        le=1_000_000,
        example=64,
    )
    sequential_read: Sequential | None = key("The load of SR.", default=None, unset="the test's")
    sequential_write: Sequential | None = key("The load of SW.", default=None, unset="the test's")
    note: str | None = key("What a reader should know.", default=None, unset="nothing", max_length=1000)


class FamilyFile(Strict):
    """A product family: what its configurations are built of, and the load that they are put under."""

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
        "What it is, as people write it.", default=None, unset="its name", min_length=1, max_length=200
    )
    notes: list[str] = key("What a reader of its results must know.", default=[])
    rules: str = key(
        "The rule profile that says which metrics there are, and their limits: a name of the library "
        "(`iowatt emerald rules`), or a file.",
        default="emerald-1.0.0",
        min_length=1,
        example="emerald-1.0.0",
    )
    seed: int = key("Seed of everything drawn at random.", default=1, ge=0, le=2**31 - 1, example=1)
    test: Test = key("The test load.", default=Test())
    controller: list[ControllerClass] = key(
        "Controller classes, the lower first.", min_length=1, max_length=50
    )
    shelf: list[Shelf] = key("Kinds of shelves.", min_length=1, max_length=50)
    drive: list[DriveOption] = key("Drive options.", min_length=1, max_length=200)
    raid: list[RaidOption] = key("Levels of redundancy offered.", min_length=1, max_length=50)
    scale_out: ScaleOut | None = key(
        "How it grows by nodes.", default=None, unset="it scales up: one controller pair, more drives"
    )
    configuration: list[Configuration] = key(
        "Configurations that are evaluated by name.", default=[], max_length=100
    )
    source: list[Source] = key(
        "Where figures come from; key paths have names in the place of positions, such as "
        "`controller.lower.work.back_end`, or `*` for all of them.",
        default=[],
    )

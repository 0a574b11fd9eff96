"""The table of verbs: panel, module and line of help. A module is imported when its verb is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

START: Final = "Start"
SIMULATE: Final = "Simulate"
MEASURE: Final = "Measure"
DECIDE: Final = "Decide"
EMERALD: Final = "Emerald"
LIBRARY: Final = "Library"


class Verb(NamedTuple):
    """One row of the table. The module's ``register(app)`` adds the command or the group of commands."""

    panel: str
    module: str
    help: str


VERBS: Final[dict[str, Verb]] = {
    "init": Verb(START, "init", "Write a commented scenario that runs as it is."),
    "check": Verb(
        START, "check", "Check a scenario without running it; exit 2 where something is wrong with it."
    ),
    "explain": Verb(
        START, "explain", "Say what a key of a scenario means, what it takes, its unit and its default."
    ),
    "devices": Verb(START, "devices", "The library of devices: their figures, and where these come from."),
    "doctor": Verb(
        START,
        "doctor",
        "Say what is installed, what is missing and for what; exit 1 if the main job cannot run.",
    ),
    "ls": Verb(
        START,
        "ls",
        "List Runs, sweeps, optimizations, studies and measurements below a directory, newest first.",
    ),
    "run": Verb(SIMULATE, "run", "Simulate a scenario and write a Run bundle: summary, tables, plan."),
    "sweep": Verb(
        SIMULATE,
        "sweep",
        "Simulate a scenario with every combination of values of some of its keys: one table, one page.",
    ),
    "curve": Verb(
        SIMULATE,
        "curve",
        "Simulate a scenario at several loads: response time, power and efficiency against load.",
    ),
    "rate": Verb(
        SIMULATE,
        "rate",
        "Find the highest rate of a workload at which the response time stays within a limit.",
    ),
    "optimize": Verb(
        SIMULATE,
        "optimize",
        "Find the best configurations: by simulating as few as it takes, screened by an analytic estimate.",
    ),
    "tier": Verb(
        SIMULATE,
        "tier",
        "Derive tiers: run on one pool, place its heat on candidates, predict, simulate, compare.",
    ),
    "cache": Verb(
        SIMULATE,
        "cache",
        "Simulate caches alone: hit ratios by requests and by bytes for many policies and sizes at once.",
    ),
    "trace": Verb(
        MEASURE,
        "trace",
        "What is in a trace, what it asks of storage; the same trace in another format.",
    ),
    "meter": Verb(MEASURE, "meter", "Power meters and thermometers: list, read, record."),
    "replay": Verb(
        MEASURE,
        "replay",
        "Replay a trace on real storage through fio, record power beside it, and write a Run bundle.",
    ),
    "import": Verb(
        MEASURE,
        "import_",
        "Make a Run of what fio, vdbench, a trace and meters recorded; every lens and report takes it.",
    ),
    "report": Verb(
        DECIDE,
        "report",
        "Write a report that a person wants to read: figures, what stands out, and every table behind them.",
    ),
    "compare": Verb(
        DECIDE,
        "compare",
        "Compare two Runs, simulated or measured: what a change did to response times, work, power and "
        "energy.",
    ),
    "cost": Verb(
        DECIDE,
        "cost",
        "What Runs cost: purchase, energy, demand, cooling, wear, failures, service, disposal, carbon.",
    ),
    "power": Verb(
        DECIDE,
        "power",
        "Calculate an array's power: idle and active W, VA, BTU/h, by component, also in failover.",
    ),
    "budget": Verb(
        DECIDE,
        "budget",
        "Show where the response time goes: waiting and service hop by hop, in the mean and in the tail.",
    ),
    "idle": Verb(
        DECIDE,
        "idle",
        "Analyse idle periods: lengths, correlation, laws, and what each power policy would save and cost.",
    ),
    "heat": Verb(
        DECIDE,
        "heat",
        "Show where I/O goes: density over extents, skew, heat over time, reads against writes.",
    ),
    "duty": Verb(
        DECIDE,
        "duty",
        "Weigh power by usage classes: nominal, medium and high use, in the manner of SPC's energy "
        "extensions.",
    ),
    "emerald": Verb(
        EMERALD,
        "emerald",
        "SNIA Emerald and ENERGY STAR storage measurements, from classification to report.",
    ),
    "fabric": Verb(
        LIBRARY,
        "fabric",
        "Links, switches, adapters and protocols of the library, and where their figures come from.",
    ),
    "tariff": Verb(
        LIBRARY, "tariff", "Electricity tariffs: energy, demand, ratchets, and the bill of a load."
    ),
    "study": Verb(LIBRARY, "study", "Published studies, remade from end to end."),
    "schema": Verb(
        LIBRARY,
        "schema",
        "Print the JSON Schema of an input file (name it in a file's first line: `#:schema FILE`).",
    ),
}
"""In the order in which ``iowatt --help`` lists them."""


def load(name: str) -> Any:
    """Import the verb's module and return its command.

    Raises ``KeyError`` where no verb is called ``name``.
    """
    app = typer.Typer(add_completion=False)
    import_module(f"iowatt.cli.{VERBS[name].module}").register(app)
    return typer.main.get_group(app).commands[name]


class VerbGroup(TyperGroup):
    """All verbs by name and help; ``resolve_command`` loads the one that is called or completed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, verb in VERBS.items():
            self.add_command(TyperCommand(name, help=verb.help, rich_help_panel=verb.panel))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that ``args`` begin with, loaded, and the words after it."""
        name, _listed, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load(name), rest

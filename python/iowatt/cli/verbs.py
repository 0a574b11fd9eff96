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
    "init": Verb(START, "init", "Write a commented scenario that is ready to run."),
    "check": Verb(START, "check", "Check a scenario without running it; exit 2 if it has errors."),
    "explain": Verb(
        START,
        "explain",
        "Explain a scenario or cost-book key: meaning, accepted values, unit, default.",
    ),
    "devices": Verb(
        START,
        "devices",
        "Disks and SSDs in the library: figures with sources; import, validate, calibrate.",
    ),
    "doctor": Verb(
        START,
        "doctor",
        "List installed components and what missing ones disable; exit 1 if no scenario can run.",
    ),
    "ls": Verb(
        START,
        "ls",
        "List Runs, sweeps, optimizations, studies and measurements under a directory, newest first.",
    ),
    "serve": Verb(
        START,
        "serve",
        "Serve a workspace to the browser: systems, what-if, what to buy, traces, jobs.",
    ),
    "run": Verb(SIMULATE, "run", "Simulate a scenario and write a Run bundle: summary, tables, plan."),
    "sweep": Verb(
        SIMULATE,
        "sweep",
        "Simulate every combination of key values, in one table and one page.",
    ),
    "curve": Verb(
        SIMULATE,
        "curve",
        "Simulate a scenario at several loads: response time, power and efficiency against load.",
    ),
    "rate": Verb(
        SIMULATE,
        "rate",
        "Find the highest request rate that keeps the response time within a limit.",
    ),
    "optimize": Verb(
        SIMULATE,
        "optimize",
        "Find the best configurations with few simulations: an analytic estimate screens candidates.",
    ),
    "tier": Verb(
        SIMULATE,
        "tier",
        "Design tiers: measure heat on one pool, place it on candidate drives, predict, simulate, compare.",
    ),
    "cache": Verb(
        SIMULATE,
        "cache",
        "Simulate only caches: hit ratios for many policies and sizes in one pass.",
    ),
    "trace": Verb(
        MEASURE,
        "trace",
        "Block traces: contents, statistics, conversion; workload profiles: fit, generate, export.",
    ),
    "meter": Verb(MEASURE, "meter", "Power meters and thermometers: list, read, record."),
    "volume": Verb(
        MEASURE,
        "volume",
        "A hybrid volume on real files or devices, over NBD: create, serve, run, status, stop, check.",
    ),
    "replay": Verb(
        MEASURE,
        "replay",
        "Replay a trace on real storage, record power, and write a Run bundle.",
    ),
    "files": Verb(
        MEASURE,
        "files",
        "Run a file workload in the style of SPECstorage on a directory, and write a Run bundle.",
    ),
    "import": Verb(
        MEASURE,
        "import_",
        "Make a Run from fio, vdbench or Iometer output, a trace with response times, or counter logs.",
    ),
    "report": Verb(
        DECIDE,
        "report",
        "Write a report on one or more Runs: verdict, charts, and the tables behind them.",
    ),
    "compare": Verb(
        DECIDE,
        "compare",
        "Compare Runs, simulated or measured: what a change did, or which of several systems is best.",
    ),
    "cost": Verb(
        DECIDE,
        "cost",
        "Price Runs: purchase, energy, demand, cooling, wear, failures, service, disposal, carbon.",
    ),
    "choose": Verb(
        DECIDE,
        "choose",
        "Find the cheapest storage that meets your needs: capacity, load, service levels, durability.",
    ),
    "durability": Verb(
        DECIDE,
        "durability",
        "Estimate data loss and downtime: probability, bytes lost, causes, hours unavailable.",
    ),
    "power": Verb(
        DECIDE,
        "power",
        "Calculate an array's power by component: idle and active W, VA, BTU/h, also with failed parts.",
    ),
    "budget": Verb(
        DECIDE,
        "budget",
        "Break down response time hop by hop: queueing and service, in the mean and in the tail.",
    ),
    "idle": Verb(
        DECIDE,
        "idle",
        "Analyse idle periods: lengths, correlation, distributions, and what each power policy would save.",
    ),
    "heat": Verb(
        DECIDE,
        "heat",
        "Show where I/O goes: density by extent, skew, heat over time, reads and writes.",
    ),
    "duty": Verb(
        DECIDE,
        "duty",
        "Weight power by usage class, as SPC's energy extensions do: nominal, medium and high use.",
    ),
    "fleet": Verb(
        DECIDE,
        "fleet",
        "Plan a fleet over several years: purchases, dollars, watts, carbon, failures, racks.",
    ),
    "emerald": Verb(
        EMERALD,
        "emerald",
        "SNIA Emerald and ENERGY STAR storage measurements, from classification to report.",
    ),
    "registry": Verb(
        EMERALD,
        "registry",
        "A public registry of results: signed submissions, reanalysed, reviewed and published.",
    ),
    "fabric": Verb(
        LIBRARY,
        "fabric",
        "Links, switches, adapters, protocols and servers in the library, with their sources.",
    ),
    "tariff": Verb(
        LIBRARY, "tariff", "Electricity tariffs: energy and demand charges, ratchets; bill a load."
    ),
    "study": Verb(LIBRARY, "study", "Reproduce published studies end to end."),
    "schema": Verb(
        LIBRARY,
        "schema",
        "Print the JSON Schema of an input file or a result.",
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

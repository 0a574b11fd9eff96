"""Options that several verbs take, each declared once; defaults belong to the verbs.

``tests/cli/test_options.py`` checks that no flag is declared again with another meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from iowatt.cli import completion

ADVANCED: Final = "Advanced"
"""Panel of the options that a first use does not need."""

Scenario = Annotated[Path, typer.Argument(help="The scenario file (TOML).", show_default=False)]
SET: Final = typer.Option(
    "--set",
    metavar="PATH=VALUE",
    help="Override a key: array.pool.disks.count=24, or stream.hot1.share=30 in a profile. May be repeated.",
    autocompletion=completion.overrides,
)
Overrides = Annotated[list[str] | None, SET]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Points to simulate in parallel.", show_default="one per processor"),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads that simulate independent parts of the run in parallel, at most one per processor; "
        "results do not change.",
        show_default="one per processor",
        rich_help_panel=ADVANCED,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run the points on a Ray cluster: HOST:PORT, or auto.",
        show_default="this machine",
        rich_help_panel=ADVANCED,
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Resume from existing output.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output.")]
Bundles = Annotated[
    bool, typer.Option("--bundles", help="Also write the Run bundle of each point.", rich_help_panel=ADVANCED)
]
StrictPoints = Annotated[
    bool,
    typer.Option(
        "--strict", help="Stop at the first point that cannot be simulated.", rich_help_panel=ADVANCED
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Notes = Annotated[bool, typer.Option("--notes", help="Print all caveats.")]


PROFILE: Final = typer.Argument(
    metavar="PROFILE",
    help="A library profile, or a file (.toml).",
    show_default=False,
    autocompletion=completion.profiles,
)
REBUILD: Final = typer.Option(
    "--rebuild",
    metavar="simulated|stated|TIME",
    help="Rebuild time of a drive: simulated under load unless the Run has a rebuild, from the stated rate "
    "(durability.rebuild_rate), or a time such as 12h.",
)
SEED: Final = typer.Option(
    "--seed", min=0, max=2**63 - 1, help="Random seed; the same seed gives the same result."
)
NAME: Final = typer.Option("--name", help="Name of the result.")
RATE: Final = typer.Option(
    "--rate",
    metavar="IOPS",
    help="Total requests per second: overrides a profile's rate, or times a trace that has no times (arc, "
    "lirs, fio-iolog without waits).",
)
SPAN: Final = typer.Option("--span", metavar="SIZE", help="Address space: 1TiB.")
DURATION: Final = typer.Option("--duration", metavar="TIME", help="End after this time, such as 10min.")
REQUESTS: Final = typer.Option(
    "--requests", "-n", min=1, metavar="N", help="End after this many requests; in a search, each run."
)
START: Final = typer.Option(
    "--start", metavar="TIME", help="Skip the trace before this time, which becomes time 0."
)
END: Final = typer.Option("--end", metavar="TIME", help="End the trace at this time.")
FIRST_RATE: Final = typer.Option("--first-rate", metavar="IOPS", help="The first rate tried.")
FIRST_DAY: Final = typer.Option(
    "--first-day", metavar="YYYY-MM-DD", help="First day of the load that is billed."
)
SPEED: Final = typer.Option(
    "--speed", metavar="FACTOR", help="Replay this many times as fast: divides all times in the trace."
)
SKIP_BAD: Final = typer.Option(
    "--skip-bad",
    min=0,
    metavar="N",
    help="Skip up to N malformed records.",
    rich_help_panel=ADVANCED,
)
UTC_OFFSET: Final = typer.Option(
    "--utc-offset", metavar="OFFSET", help="UTC offset of logs whose times state none: Z, +01:00."
)
TIME_ZONE: Final = typer.Option(
    "--time-zone",
    metavar="ZONE",
    help="Time zone of vdbench's times, if its abbreviation is ambiguous: Europe/Berlin, +02:00.",
)
RAW_CAPACITY: Final = typer.Option(
    "--raw-capacity",
    metavar="SIZE",
    help="Raw capacity of the system: 7.3TB.",
)
TOLERANCE: Final = typer.Option(
    "--tolerance", metavar="SHARE", help="Relative tolerance on the response-time limit."
)
MOST_RUNS: Final = typer.Option(
    "--most-runs",
    min=2,
    metavar="N",
    help="Maximum number of simulations; a search that needs more ends unsettled.",
)
WITHIN: Final = typer.Option(
    "--within", metavar="TIME", help="Service level: response-time limit, such as 20ms."
)
OF: Final = typer.Option(
    "--of",
    metavar="NAME",
    help="Statistic that must meet the service level: mean, p50, p90, p95, p99, p99.9 or p99.99.",
)
ASSUME: Final = typer.Option(
    "--assume",
    metavar="KEY=VALUE[:LOW..HIGH]",
    help="Override a cost assumption; a range is sampled. May be repeated.",
)
PRESET: Final = typer.Option(
    "--preset", metavar="NAME|FILE.toml", help="Cost assumptions: default, dollars2014, or a file."
)
TARIFF: Final = typer.Option(
    "--tariff",
    metavar="NAME|FILE.json|flat:USD",
    help="Electricity tariff.",
    autocompletion=completion.tariffs,
)
ALPHA: Final = typer.Option("--alpha", help="Equal work: how many times each Run's work is done.")
HORIZON: Final = typer.Option("--years", help="Years of operation; a shorter load is repeated.")


DRIVE: Final = typer.Option(
    "--drive",
    metavar="NAME|FILE",
    help="A library drive, or a device file: .toml, .diskspecs or .parv.",
    autocompletion=completion.devices,
)
DEVICE: Final = typer.Option(
    "--device", "-d", metavar="NAME", help="Only this device of the trace or log. May be repeated."
)
TRACE_FILE: Final = typer.Option(
    "--trace", metavar="FILE", help="A recorded trace; to validate a drive, one with response times."
)
PLACE: Final = typer.Option(
    "--place",
    metavar="WHERE",
    help="Map the trace's devices to volumes: end-to-end, or DEVICE=VOLUME, DEVICE=@OFFSET, "
    "DEVICE=VOLUME@OFFSET. May be repeated; a replay has one volume, the target.",
)
SCENARIO_FILE: Final = typer.Option(
    "--scenario",
    metavar="FILE",
    help="Simulate this scenario (TOML) under the same requests; in a plan, the array under test.",
)
METER: Final = typer.Option(
    "--meter",
    metavar="[NAME=]ADDRESS",
    help="A power meter, or its log: snmp://pdu1/1, csv:power.csv (`iowatt meter list`). May be repeated.",
)
THERMOMETER: Final = typer.Option(
    "--thermometer",
    metavar="[NAME=]ADDRESS",
    help="An inlet thermometer, or its log, as for --meter. May be repeated.",
)
BIND: Final = typer.Option(
    "--bind",
    metavar="ADDRESS",
    help="Address to listen on; a non-loopback address is reachable from the network.",
)
PORT: Final = typer.Option("--port", min=0, max=65535, help="TCP port to listen on; 0 picks a free port.")
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]
HOST: Final = typer.Option(
    "--host",
    metavar="[NAME=]ADDRESS",
    help="A load host: ssh://[USER@]HOST, netns:NAME, local or local?targets=PATH. May be repeated.",
)
MAP: Final = typer.Option(
    "--map",
    metavar="RD=STAGE",
    help="Stage of a vdbench run definition: SR_final=SR. May be repeated.",
)
SAMPLE_INTERVAL: Final = typer.Option(
    "--sample-interval", metavar="TIME", help="Time between samples of an instrument."
)
SIZE: Final = typer.Option("--size", metavar="SIZE", help="How much of the targets to use: 1TiB.")
BLOCK: Final = typer.Option(
    "--block",
    metavar="SIZE",
    help="Block size for counting addresses; `iowatt cache` also takes none: each request is one object.",
)
TARGET: Final = typer.Option(
    "--target",
    metavar="PATH",
    help="Block device or file to test; for `iowatt replay` also an NBD export, "
    "nbd+unix:///EXPORT?socket=PATH; for `iowatt files` a directory.",
)
OUTSTANDING: Final = typer.Option(
    "--outstanding",
    metavar="N",
    min=1,
    max=1024,
    help="Outstanding requests, in a closed loop; `iowatt curve` takes several: 1..64:x2.",
)
DEPTH: Final = typer.Option("--depth", min=1, max=1024, help="Maximum number of outstanding requests.")
ERASE: Final = typer.Option(
    "--erase",
    metavar="PATH",
    help="Repeat the target or store to confirm that all data on it may be overwritten.",
)
Over = Annotated[
    list[str],
    typer.Option(
        "--over",
        metavar="PATH=V1,V2,...",
        help="Values of a key: array.pool.disks.count=24..38:2. Several --over are combined; a,b=(1,2),(3,4) "
        "varies keys together.",
        show_default=False,
        autocompletion=completion.overrides,
    ),
]
RATES: Final = typer.Option(
    "--rates", metavar="R1,R2,...", help="Requests per second: 1000,2000..8000:1000.", show_default=False
)
WORKLOAD: Final = typer.Option(
    "--workload",
    metavar="NAME",
    help="The workload, if there are several; rate and optimize also take *, to scale all together.",
    show_default=False,
)
INTERVAL: Final = typer.Option("--interval", metavar="TIME", help="Length of an interval in the result.")
EXTENT: Final = typer.Option(
    "--extent", metavar="SIZE", help="Extent size, the unit for counting heat and moving data."
)
FORMAT: Final = typer.Option(
    "--format", "-f", metavar="NAME", help="Input format; by default detected from the content."
)
LOG_KIND: Final = typer.Option(
    "--as",
    metavar="NAME|FILE.toml",
    help="Read a counter log: iostat, sar, perfmon, or an array's log through a column mapping (powerstore, "
    "3par-vlun, ...) or one of your own.",
    autocompletion=completion.log_kinds,
)
KIND: Final = typer.Option("--kind", help="List only this kind.")
SIMULATE: Final = typer.Option("--simulate/--no-simulate", help="Also simulate the best estimates.")
NEWEST_RULES: Final = "emerald"  #: Alias of the newest profile of SNIA Emerald, given in its file.
RULES: Final = typer.Option(
    "--rules", metavar="NAME|FILE.toml", help="Rule profile.", autocompletion=completion.rules
)
PRODUCT: Final = typer.Option(
    "--product", metavar="FILE.toml", help="Product file, as for `iowatt emerald classify`."
)

FACET: Final = typer.Option(
    "--facet",
    metavar="KEY=VALUE",
    help="To submit: vendor, name, family, form, protocol, controller, drive, drives, raid; to search: "
    "family, category, vendor, form, protocol, basis, state, year, products. May be repeated.",
)
TOKEN_FILE: Final = typer.Option(
    "--token-file",
    metavar="FILE",
    help="File with an account's token, readable only by its owner; default: $IOWATT_REGISTRY_TOKEN.",
)
ACCOUNT: Final = typer.Option("--account", metavar="NAME", help="Account that acts on a registry folder.")
Registry = Annotated[
    str,
    typer.Argument(metavar="REGISTRY", help="The registry: a folder or an address.", show_default=False),
]
RegistryFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The registry.", show_default=False)]


def output(kind: str, what: str, default: str | bool | None = None) -> Any:
    """``--output``: where to write the result; ``kind`` is ``DIR``, ``FILE`` or ``PAGE``."""
    return typer.Option(
        "--output", "-o", metavar=kind, help=what, show_default=True if default is None else default
    )


Page = Annotated[Path | None, output("PAGE", "Write a page: .html, .pdf, or a workbook: .xlsx.", "none")]


def shown(option: Any, default: str | bool) -> Any:
    """``option`` with the default that one verb's help shows."""
    one = copy(option)
    one.show_default = default
    return one


def load_hosts(texts: Sequence[str]) -> list[Any]:
    """Load hosts of a plan, checked; one without a name is called host1, host2 ... by its place."""
    from iowatt.emerald.plan import PlannedHost
    from iowatt.sources.hosts import parse_host, split_name

    found = []
    for number, text in enumerate(texts, 1):
        name, address = split_name(text)
        parse_host(address)
        found.append(PlannedHost(name=name or f"host{number}", address=address))
    return found


def pairs(texts: Sequence[str], name: str, example: str) -> dict[str, str]:
    """Values by the name before ``=``; ``name`` is the argument, ``example`` one of it."""
    from iowatt.base.errors import Argument, InputError

    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise InputError("bad-syntax", Argument(name, text), f"expected NAME=VALUE, such as {example}")
        if key in found:
            raise InputError("duplicate", Argument(name), f"{key} is given twice")
        found[key] = value
    return found


def parsed(text: str | None, parse: Callable[[object], float | int], name: str) -> Any:
    """The argument ``name`` as a quantity above 0, by a function of `iowatt.base.units`; or ``None``."""
    from iowatt.base.errors import Argument, InputError

    if text is None:
        return None
    try:
        value = parse(text)
    except InputError as error:
        raise error.at(Argument(name)) from None
    if not value:
        raise InputError("out-of-range", Argument(name), "must be above 0")
    return value


def print_json(document: Any) -> None:
    """What ``--json`` of a verb prints."""
    import json

    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))

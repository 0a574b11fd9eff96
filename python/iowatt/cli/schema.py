"""``iowatt schema``: the JSON Schema of an input file or of a result.

Schemas of input files are for completion and checking in editors, those of results for programs that read
them. ``schema/`` holds them all; ``tests/contract/test_schemas.py`` compares.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from iowatt.cli.options import Force, output

INPUTS: Final[dict[str, tuple[str, str]]] = {
    "scenario": ("iowatt scenario", "iowatt.model.scenario:Scenario"),
    "profile": ("iowatt workload profile", "iowatt.model.profile:Profile"),
    "product": ("iowatt product", "iowatt.emerald.classify.product:Product"),
    "family": ("iowatt product family", "iowatt.emerald.family.file:FamilyFile"),
    "plan": ("iowatt Emerald plan", "iowatt.emerald.plan.model:Plan"),
    "about": ("iowatt Emerald report", "iowatt.emerald.report.about:About"),
    "cost-book": ("iowatt cost book", "iowatt.lenses.book.book:BookFile"),
    "cost-inventory": ("iowatt cost inventory", "iowatt.lenses.cost.systems.inventory_file:InventoryFile"),
    "array-log": ("iowatt mapping of an array's log", "iowatt.sources.array_log:ArrayLogMapping"),
    "fleet-plan": ("iowatt fleet", "iowatt.evaluate.fleet.keys:FleetPlan"),
    "question": ("iowatt question", "iowatt.evaluate.choose.question:StorageQuestion"),
    "submission": ("iowatt submission", "iowatt.registry.bundle.submission:Submission"),
    "registry": ("iowatt registry", "iowatt.registry.store.settings:RegistryKeys"),
    "duty-cycle": ("iowatt duty cycle", "iowatt.lenses.cost.year.file:HoursFile|MeasuredFile"),
}
"""Input files: title of the schema, and the model, or models, that read the file."""

RESULTS: Final[dict[str, str]] = {
    "bff": "iowatt.emerald.bff.result:BestFootForward",
    "bill": "iowatt.tariffs.result:BillDocument",
    "budget": "iowatt.lenses.budget.result:Budget",
    "cache": "iowatt.evaluate.caches.result:CacheComparison",
    "check": "iowatt.model.scenario.result:CheckedScenario|FailedCheck",
    "choose": "iowatt.evaluate.choose.result:Choose",
    "compare": "iowatt.lenses.compare.result:BeforeAfter",
    "compare-systems": "iowatt.lenses.compare.systems.result:SystemsCompared",
    "cost": "iowatt.lenses.cost.result:Cost",
    "cost-assumptions": "iowatt.lenses.book.listing:BookListing",
    "data-sheets": "iowatt.evaluate.validation.result:DataSheets",
    "description": "iowatt.trace.description:Descriptions",
    "device-calibration": "iowatt.evaluate.calibration.result:DeviceCalibration",
    "device": "iowatt.model.library.result:DeviceDescription",
    "devices": "iowatt.model.library.result:DeviceList",
    "doctor": "iowatt.sources.environment:Doctor",
    "durability": "iowatt.lenses.durability.result:Durability",
    "duty": "iowatt.lenses.duty.result:Duty",
    "emerald": "iowatt.emerald.analyze.result:Analysis",
    "emerald-calibration": "iowatt.emerald.calibrate.result:Calibration",
    "emerald-class": "iowatt.emerald.classify.result:ProductClass",
    "emerald-com": "iowatt.emerald.com.result:ComTests",
    "emerald-planned": "iowatt.emerald.plan.result:Planned",
    "emerald-report": "iowatt.emerald.report.result:ReportResult",
    "emerald-run": "iowatt.emerald.conduct.result:MeasurementResult",
    "energystar-export": "iowatt.emerald.report.result:Export",
    "fabric": "iowatt.model.library.fabric.result:PathPartList",
    "fabric-part": "iowatt.model.library.fabric.result:PathPartDescription",
    "explain": "iowatt.model.scenario.result:Explanation",
    "file-workloads": "iowatt.sources.files.result:FileWorkloadList",
    "files": "iowatt.sources.files.result:FilesDocument",
    "fit": "iowatt.evaluate.fit.fidelity:FitDocument",
    "fleet": "iowatt.evaluate.fleet.result:Fleet",
    "grid-carbon": "iowatt.lenses.grid_carbon.result:GridCarbon",
    "heat": "iowatt.lenses.heat.result:HeatResult",
    "idle": "iowatt.lenses.idle.result:IdlePeriods",
    "kv-cache": "iowatt.trace.kv_cache.result:KvCacheTrace",
    "measured": "iowatt.evaluate.measured.result:MeasuredDevices",
    "meter-list": "iowatt.sources.meters.result:MeterList",
    "meter-read": "iowatt.sources.meters.result:MeterReadings",
    "meter-record": "iowatt.sources.meters.result:MeterRecordings",
    "optimize": "iowatt.evaluate.search.optimize.result:Optimization",
    "power": "iowatt.model.power.result:CalculatedPower",
    "profile-show": "iowatt.model.profile.result:ShownProfile",
    "profiles": "iowatt.model.profile.result:ProfileListing",
    "rate": "iowatt.evaluate.search.rate.result:HighestRate",
    "reanalysis": "iowatt.registry.reanalysis.result:Reanalysis",
    "registry-accounts": "iowatt.registry.result:RegistryAccounts",
    "registry-bundle": "iowatt.registry.result:CheckedBundle",
    "registry-created": "iowatt.registry.result:RegistryCreated",
    "registry-entry": "iowatt.registry.store.records:RegistryEntry",
    "registry-export": "iowatt.registry.publish.site:RegistryExport",
    "registry-families": "iowatt.registry.publish.families:ProductFamilies",
    "registry-key": "iowatt.registry.result:RegistryKeyPair",
    "registry-search": "iowatt.registry.publish.searching:RegistrySearch",
    "registry-verification": "iowatt.registry.store.verification:RegistryVerification",
    "replay": "iowatt.evaluate.replay.result:ReplayDocument",
    "volume-check": "iowatt.sources.volume.result:VolumeCheck",
    "volume-create": "iowatt.sources.volume.result:MadeVolume",
    "volume-status": "iowatt.sources.volume.result:VolumeStatus",
    "rule-list": "iowatt.emerald.rules.result:RuleList",
    "rule-profiles": "iowatt.emerald.rules.result:ProfileList",
    "run": "iowatt.run.summary_schema:RunSummary",
    "studies": "iowatt.studies.result:StudyList",
    "study": "iowatt.studies.result:StudyResult",
    "sweep": "iowatt.evaluate.search.sweep:SweepDocument",
    "tariff": "iowatt.tariffs.result:TariffDocument",
    "tariffs": "iowatt.tariffs.result:TariffList",
    "tier": "iowatt.evaluate.tiers.result:DerivedTiers",
    "trace-convert": "iowatt.trace.result:ConvertedTrace",
    "trace-counters": "iowatt.counters.summary:CountersSummary",
    "trace-export": "iowatt.sources.export.result:ProfileExport",
    "trace-generate": "iowatt.trace.result:GeneratedTrace",
    "trace-info": "iowatt.trace.result:TraceInfos",
    "upload": "iowatt.web.jobs.result:UploadDescription",
    "validation": "iowatt.evaluate.validation.result:Validations",
    "workspace": "iowatt.run.workspace:Workspace",
}
"""Results, by the name in their key ``schema``, and the model that makes them."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("schema")(schema)


def names(incomplete: str) -> list[str]:
    """Complete the name of a schema."""
    return [name for name in (*INPUTS, *RESULTS) if name.startswith(incomplete)]


def schema(
    of: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Input file (scenario, profile, product, family, plan, about, cost-book, cost-inventory, "
            "array-log, duty-cycle, fleet-plan, question, submission, registry) or a result, by its schema "
            "name: rate for iowatt.rate/1.",
            autocompletion=names,
        ),
    ] = "scenario",
    *,
    output: Annotated[Path | None, output("FILE", "File to write.", "standard output")] = None,
    force: Force = False,
) -> None:
    """Print the JSON Schema of an input file or a result."""
    from iowatt.base.atomic_path import write_text
    from iowatt.base.errors import Argument, InputError

    if of not in INPUTS and of not in RESULTS:
        known = ", ".join((*INPUTS, *RESULTS))
        raise InputError("unknown-name", Argument("of"), f"{of!r} has no schema; expected one of {known}")
    text = schema_text(of)
    if output is None:
        typer.echo(text, nl=False)
        return
    write_text(output, text, force=force)
    typer.echo(f"schema: {output}", err=True)


def schema_text(name: str) -> str:
    """The schema called ``name`` as the file under ``schema/`` has it; ``KeyError`` where there is none."""
    from iowatt.base import json_schema

    if name in INPUTS:
        title, model = INPUTS[name]
        return json_schema.input_text(_loaded(model), title)
    return json_schema.result_text(_loaded(RESULTS[name]), f"iowatt.{name}/1", sparse=name == "run")


def _loaded(place: str) -> Any:
    module, _, classes = place.partition(":")
    found = [getattr(import_module(module), name) for name in classes.split("|")]
    return found[0] if len(found) == 1 else found[0] | found[1]

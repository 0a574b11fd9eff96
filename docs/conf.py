"""Sphinx configuration: MyST Markdown, Furo, warnings are errors (``make docs``)."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import verb_options

project = "iowatt"
copyright = "2026, the iowatt maintainers"  # noqa: A001 - Sphinx's name
version = release = importlib.metadata.version("iowatt")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "reference/_*.md", "reference/verbs/_*.md"]
# Nothing is loaded from elsewhere when a page is read: formulas are plain text, so that they show offline.
html_theme = "furo"
html_title = "iowatt"
autodoc_typehints = "description"
nitpicky = False


# How a list of figures of a profile is headed, and its key in the listing.
_MARKS = (("unverified", "unverified"), ("assumed", "assumed"), ("asked for or not known", "missing"))


def _write_catalogues(_app: object) -> None:
    """Key and device tables come from the code, so that they cannot fall behind it."""
    from iowatt.base.keys import catalogue
    from iowatt.emerald.classify.product import Product
    from iowatt.emerald.family.file import FamilyFile
    from iowatt.emerald.rules import describe as rules
    from iowatt.lenses.book import listing as book
    from iowatt.lenses.cost.systems.inventory_file import InventoryFile
    from iowatt.model.library import derive
    from iowatt.model.library.device import DeviceFile
    from iowatt.model.power.part import PartFile, certificates, find_part, part_names
    from iowatt.model.profile import Profile, profile_list
    from iowatt.model.scenario import Scenario

    folder = Path(__file__).parent / "reference"
    verb_options.write(folder / "verbs")
    _write_errors(folder)
    for name, model in (
        ("_keys.md", Scenario),
        ("_device_keys.md", DeviceFile),
        ("_family_keys.md", FamilyFile),
        ("_inventory_keys.md", InventoryFile),
        ("_part_keys.md", PartFile),
        ("_product_keys.md", Product),
        ("_profile_keys.md", Profile),
    ):
        entries = [
            f"`{key.path}`\n: {key.description}\n\n"
            f"  *Accepts* {key.accepts}. *Default*: {key.default_text}.\n"
            for key in catalogue(model).values()
        ]
        (folder / name).write_text("\n".join(entries))
    _write_devices(folder)
    _write_measured(folder)
    rows = ["| name | what | idle W | active W | law |", "|---|---|---|---|---|"]
    for part in (find_part(name, Path()) for name in part_names()):
        watts = ["" if figure is None else f"{figure:g}" for figure in (part.idle, part.active)]
        rows.append(f"| `{part.name}` | {part.title} | {' | '.join(watts)} | {part.law or 'constant'} |")
    (folder / "_parts.md").write_text("\n".join(rows) + "\n")
    _write_fabric(folder)
    rows = ["| name | input | efficiency at load | what |", "|---|---|---|---|"]
    for certificate in certificates().values():
        for place, points in certificate.tables.items():
            shown = ", ".join(f"{eta:.0%} at {load:.0%}" for load, eta in points)
            rows.append(f"| `{certificate.name}` | {place} | {shown} | {certificate.title} |")
    (folder / "_certificates.md").write_text("\n".join(rows) + "\n")

    rows = ["| name | what | marks |", "|---|---|---|"]
    for profile in profile_list().profiles:
        listed = {word: getattr(profile, key) for word, key in _MARKS}
        marks = [f"{word}: {', '.join(figures)}" for word, figures in listed.items() if figures]
        rows.append(f"| `{profile.name}` | {profile.title} | {'; '.join(marks)} |")
    (folder / "_profiles.md").write_text("\n".join(rows) + "\n")

    (folder / "_cost_keys.md").write_text(book.key_table())
    (folder / "_cost_classes.md").write_text(book.class_table())
    (folder / "_cost_presets.md").write_text(book.preset_tables())
    _write_tariffs(folder)
    (folder / "_emerald_rules.md").write_text(rules.markdown() + "\n")
    (folder / "_emerald_taxonomy.md").write_text(rules.taxonomy_markdown("emerald-1.0.0"))

    # What the sparest data sheet that will do leaves to derive: no table of it can fall behind.
    tables = {"seek": {"average": "10ms"}, "performance": {"sequential_read": "100MB/s"}, "rpm": 7200}
    spare = {"name": "a", "kind": "hdd", "title": "A", "capacity": "1TB", "power": {"active": "8W"}, **tables}
    steps = derive.Steps()
    derive.mechanics(DeviceFile.model_validate(spare), steps)
    derive.state_watts(DeviceFile.model_validate(spare), steps)
    rows = ["| figure | of the example | | rule |", "|---|---|---|---|"]
    rows += [f"| `{step.figure}` | {step.text} | {step.quality} | {step.rule} |" for step in steps.taken]
    (folder / "_device_rules.md").write_text("\n".join(rows) + "\n")
    _write_library(folder)


def _write_library(folder: Path) -> None:
    """How many devices can be simulated, and the rules of classes."""
    import tomllib

    from iowatt.model.library.class_rules import RULES
    from iowatt.model.library.describe import ON_SALE_SINCE, list_devices

    everything = list_devices().devices
    times, energy = (sum(purpose in d.simulated_for for d in everything) for purpose in ("time", "energy"))
    today = list_devices(needs=["simulation"], since=2020, buyable=True).devices
    priced = sum(device.price_usd is not None for device in today)
    (folder / "_device_counts.md").write_text(
        f"Of the {len(everything)} devices, {times} can be simulated for time, {energy} of them for energy, "
        f"too. {len(today)} of these came out in 2020 or later and can be bought, {priced} of them with a "
        "price of their own. "
        f"(What came out before {ON_SALE_SINCE} is not counted as on sale.)\n"
    )
    rows = ["| class | figure | rule (SI units) | model lines | band |", "|---|---|---|---|---|"]
    for name, rules in tomllib.loads(RULES.read_text("utf-8")).items():
        for rule in rules:
            law = f"{rule['factor']:.4g}" + (f" x {rule['basis']}" if rule["basis"] else "")
            law += f"^{rule['power']:g}" if rule["basis"] and rule["power"] != 1 else ""
            band = f"{rule['low'] - 1:+.0%} to {rule['high'] - 1:+.0%}"
            rows.append(f"| {name} | `{rule['figure']}` | {law} | {rule['models']} | {band} |")
    (folder / "_class_rules.md").write_text("\n".join(rows) + "\n")


def _write_errors(folder: Path) -> None:
    from iowatt.base.errors import CODES

    rows = ["| code | meaning |", "|---|---|", *(f"| `{code}` | {text} |" for code, text in CODES.items())]
    (folder / "_errors.md").write_text("\n".join(rows) + "\n")


def _write_devices(folder: Path) -> None:
    from iowatt.model.library import describe, device_evidence

    rows = ["| name | what | power | good for | evidence |", "|---|---|---|---|---|"]
    for device in describe.list_devices().devices:
        uses = ", ".join(device.good_for) or "its figures only"
        shown = device_evidence(device.name).in_short
        rows.append(f"| `{device.name}` | {device.title} | {device.power_grade} | {uses} | {shown} |")
    (folder / "_devices.md").write_text("\n".join(rows) + "\n")


def _write_measured(folder: Path) -> None:
    """The shipped sets of measured cells, and the errors of all devices that were measured."""
    from iowatt.model.library import BARS, device_evidence, replayed_devices, shipped_cells

    rows = ["| device | what | source |", "|---|---|---|"]
    for device, about in shipped_cells().items():
        rows.append(f"| `{device}` | {about['tool']}: {about['how']} | {about['source']} |")
    (folder / "_measured_sets.md").write_text("\n".join(rows) + "\n")
    rows = [
        "| device | grade | figure | bar | within | median error | largest error | trusted for |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for device in (*shipped_cells(), *sorted(replayed_devices())):
        found = device_evidence(device)
        for figure, one in found.errors.items():
            within = f"{BARS[figure]:.0%} | {one.within} of {one.cells}"
            errors = f"{one.median:.1%} | {one.worst:+.1%} | {', '.join(found.trusted_for)}"
            rows.append(f"| `{device}` | {found.grade} | {figure} | {within} | {errors} |")
    (folder / "_measured_errors.md").write_text("\n".join(rows) + "\n")


def _write_fabric(folder: Path) -> None:
    from iowatt.model.library.fabric import list_parts

    rows = ["| name | kind | what | in short | unverified |", "|---|---|---|---|---|"]
    for part in list_parts().parts:
        weak = ", ".join(part.unverified)
        rows.append(f"| `{part.name}` | {part.kind} | {part.title} | {part.in_short} | {weak} |")
    (folder / "_fabric.md").write_text("\n".join(rows) + "\n")


def _write_tariffs(folder: Path) -> None:
    from iowatt.tariffs.find import find_tariff, tariff_names

    rows = ["| name | what | charges for | source | verified |", "|---|---|---|---|---|"]
    for tariff in map(find_tariff, tariff_names()):
        what = f"{tariff.name}, {tariff.utility}"
        marks = f"{', '.join(tariff.charges)} | {tariff.source} | {'yes' if tariff.verified else 'no'}"
        rows.append(f"| `{tariff.key}` | {what} | {marks} |")
    (folder / "_tariffs.md").write_text("\n".join(rows) + "\n")


def setup(app: Any) -> None:
    """Sphinx's hook."""
    app.connect("builder-inited", _write_catalogues)

"""Sphinx configuration: MyST Markdown, Furo, warnings are errors (``make docs``)."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

project = "iowatt"
copyright = "2026, the iowatt maintainers"  # noqa: A001 - Sphinx's name
version = release = importlib.metadata.version("iowatt")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "reference/_*.md"]
# Nothing is loaded from elsewhere when a page is read: formulas are plain text, so that they show offline.
html_theme = "furo"
html_title = "iowatt"
autodoc_typehints = "description"
nitpicky = False


# How a list of figures of a profile is headed, and its key in the listing.
_MARKS = (("unverified", "unverified"), ("assumed", "assumed"), ("asked for or not known", "missing"))


def _write_catalogues(_app: object) -> None:
    """Key and device tables come from the code, so that they cannot fall behind it."""
    from iowatt.library import derive, describe
    from iowatt.library.device import DeviceFile
    from iowatt.scenario.keys import catalogue
    from iowatt.scenario.model import Scenario
    from iowatt.workload import describe as workloads
    from iowatt.workload.profile import Profile

    folder = Path(__file__).parent / "reference"
    for name, model in (
        ("_keys.md", Scenario),
        ("_device_keys.md", DeviceFile),
        ("_profile_keys.md", Profile),
    ):
        entries = [
            f"`{key.path}`\n: {key.description}\n\n"
            f"  *Accepts* {key.accepts}. *Default*: {key.default_text}.\n"
            for key in catalogue(model).values()
        ]
        (folder / name).write_text("\n".join(entries))
    rows = ["| name | what | power | good for |", "|---|---|---|---|"]
    for device in describe.devices():
        uses = ", ".join(device["good_for"]) or "its figures only"
        rows.append(f"| `{device['name']}` | {device['title']} | {device['power_grade']} | {uses} |")
    (folder / "_devices.md").write_text("\n".join(rows) + "\n")

    rows = ["| name | what | marks |", "|---|---|---|"]
    for profile in workloads.listing():
        marks = [f"{word}: {', '.join(profile[key])}" for word, key in _MARKS if profile[key]]
        rows.append(f"| `{profile['name']}` | {profile['title']} | {'; '.join(marks)} |")
    (folder / "_profiles.md").write_text("\n".join(rows) + "\n")

    # What the sparest data sheet that will do leaves to derive: no table of it can fall behind.
    tables = {"seek": {"average": "10ms"}, "performance": {"sequential_read": "100MB/s"}, "rpm": 7200}
    spare = {"name": "a", "kind": "hdd", "title": "A", "capacity": "1TB", "power": {"active": "8W"}, **tables}
    steps = derive.Steps()
    derive.mechanics(DeviceFile.model_validate(spare), steps)
    derive.power(DeviceFile.model_validate(spare), steps)
    rows = ["| figure | of the example | | rule |", "|---|---|---|---|"]
    rows += [f"| `{step.figure}` | {step.text} | {step.quality} | {step.rule} |" for step in steps.taken]
    (folder / "_device_rules.md").write_text("\n".join(rows) + "\n")


def setup(app: Any) -> None:
    """Sphinx's hook."""
    app.connect("builder-inited", _write_catalogues)

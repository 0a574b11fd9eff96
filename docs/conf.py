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


def _write_catalogues(_app: object) -> None:
    """Key and device tables come from the code, so that they cannot fall behind it."""
    from iowatt.library import device_names, find_drive
    from iowatt.library.device import DeviceFile
    from iowatt.scenario.keys import catalogue
    from iowatt.scenario.model import Scenario

    folder = Path(__file__).parent / "reference"
    for name, model in (("_keys.md", Scenario), ("_device_keys.md", DeviceFile)):
        entries = [
            f"`{key.path}`\n: {key.description}\n\n"
            f"  *Accepts* {key.accepts}. *Default*: {key.default_text}.\n"
            for key in catalogue(model).values()
        ]
        (folder / name).write_text("\n".join(entries))
    rows = ["| name | what |", "|---|---|"]
    rows += [f"| `{name}` | {find_drive(name).title} |" for name in device_names()]
    (folder / "_devices.md").write_text("\n".join(rows) + "\n")


def setup(app: Any) -> None:
    """Sphinx's hook."""
    app.connect("builder-inited", _write_catalogues)

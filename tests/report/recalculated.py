"""A workbook with other values in named cells, computed anew by LibreOffice."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from xml.etree import ElementTree

import needs

OFFICE = shutil.which("soffice")
NEEDS_OFFICE = needs.mark("soffice", "libreoffice-calc-nogui")
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
#: Compute whenever a file is opened: LibreOffice otherwise believes what the file says.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item>
</oor:items>
"""


class Values:
    """Cells of a workbook by sheet and address, with names of cells and formulas."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name).decode() for name in archive.namelist() if "xml" in name}
        root = ElementTree.fromstring(parts["xl/workbook.xml"])
        targets = {
            one.get("Id"): one.get("Target").removeprefix("/xl/")
            for one in ElementTree.fromstring(parts["xl/_rels/workbook.xml.rels"])
        }
        shared = [
            "".join(text.text or "" for text in item.iter(f"{MAIN}t"))
            for item in ElementTree.fromstring(parts["xl/sharedStrings.xml"])
        ]
        self.parts = {s.get("name"): f"xl/{targets[s.get(RELATION)]}" for s in root.iter(f"{MAIN}sheet")}
        self.names = {one.get("name"): one.text.replace("$", "") for one in root.iter(f"{MAIN}definedName")}
        self.formulas = {}
        self.cells = {}
        for sheet, part in self.parts.items():
            for cell in ElementTree.fromstring(parts[part]).iter(f"{MAIN}c"):
                value, formula = cell.find(f"{MAIN}v"), cell.find(f"{MAIN}f")
                if formula is not None:
                    self.formulas[sheet, cell.get("r")] = formula.text
                if value is not None:
                    text = cell.get("t")
                    self.cells[sheet, cell.get("r")] = (
                        shared[int(value.text)] if text == "s"
                        else value.text if text in ("str", "e") else float(value.text)
                    )  # fmt: skip

    def named(self, name):
        """The value of a named cell."""
        return self.cells[tuple(self.names[name].replace("'", "").rsplit("!", 1))]

    def column(self, sheet, title, header=12, key="A"):
        """Values below a heading, by the text of another column."""
        row = {a: v for (s, a), v in self.cells.items() if s == sheet and re.fullmatch(f"[A-Z]+{header}", a)}
        letter = next(re.match("[A-Z]+", address)[0] for address, text in row.items() if text == title)
        return {
            self.cells[sheet, f"{key}{at}"]: self.cells.get((sheet, f"{letter}{at}"))
            for at in range(header + 1, 2000)
            if (sheet, f"{key}{at}") in self.cells
        }


def recalculated(folder, variants):
    """Values of workbooks once LibreOffice has computed them, all in one go.

    ``variants`` are a workbook and other values for its named cells, by name.
    """
    given = []
    for name, (path, changes) in variants.items():
        given.append(folder / f"{name}.xlsx")
        _change(path, given[-1], changes)
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(SETTINGS)
    out = folder / "out"
    subprocess.run(
        [OFFICE, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--convert-to",
         "xlsx", "--outdir", str(out), *map(str, given)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return {name: Values(out / f"{name}.xlsx") for name in variants}


def _change(path, target, changes):
    values = Values(path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            content = source.read(name).decode("utf-8") if name.endswith("xml") else source.read(name)
            for key, value in changes.items():
                sheet, address = values.names[key].replace("'", "").rsplit("!", 1)
                if name == values.parts[sheet]:
                    content = _with(content, address, value)
            made.writestr(name, content)


def _with(content, address, value):
    found, count = re.subn(
        rf'<c r="{address}"( s="\d+")?[^>]*><v>[^<]*</v></c>',
        lambda m: f'<c r="{address}"{m[1] or ""} t="inlineStr"><is><t>{value}</t></is></c>'
        if isinstance(value, str) else f'<c r="{address}"{m[1] or ""}><v>{value!r}</v></c>',
        content,
    )  # fmt: skip
    assert count == 1, address
    return found

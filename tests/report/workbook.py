"""A workbook read back from its XML."""

from __future__ import annotations

import re
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Book:
    """A workbook as lists of rows of cells."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            self.parts = {name: archive.read(name).decode() for name in archive.namelist() if "xml" in name}
        root = ElementTree.fromstring(self.parts["xl/workbook.xml"])
        self.names = [sheet.get("name") for sheet in root.iter(f"{MAIN}sheet")]
        shared = ElementTree.fromstring(self.parts["xl/sharedStrings.xml"])
        self.texts = ["".join(t.text or "" for t in si.iter(f"{MAIN}t")) for si in shared]

    def xml(self, name):
        return self.parts[f"xl/worksheets/sheet{self.names.index(name) + 1}.xml"]

    def rows(self, name):
        found = []
        for row in ElementTree.fromstring(self.xml(name)).iter(f"{MAIN}row"):
            cells = {}
            for cell in row:
                value = cell.find(f"{MAIN}v")
                if value is not None:
                    column = re.match("[A-Z]+", cell.get("r"))[0]
                    text = cell.get("t") == "s"
                    cells[column] = self.texts[int(value.text)] if text else float(value.text)
            found.append(cells)
        return found

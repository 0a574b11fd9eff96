"""``iowatt fabric list`` and ``show`` as typed."""

from __future__ import annotations

import json
import re

from typer.testing import CliRunner

from iowatt.cli import main
from iowatt.model.library.fabric import describe_part, list_parts, names
from iowatt.pages.library import path_part, path_parts
from refused import check


def invoke(*words):
    return CliRunner().invoke(main.app, ["fabric", *words])


def test_list():
    document = json.loads(invoke("list", "--json").stdout)
    assert document == list_parts().as_dict()
    assert document["schema"] == "iowatt.fabric/1"
    assert tuple(part["name"] for part in document["parts"]) == names()
    adapters = list_parts("adapter")
    assert {part.kind for part in adapters.parts} == {"adapter"}
    (figure,) = path_parts(adapters).figures()
    assert figure.table.column("Part") == [part.name for part in adapters.parts]
    in_short = [part.in_short for part in adapters.parts]
    assert figure.table.column("In short") == in_short
    assert re.findall(r"[\d,]*\d", in_short[0]) == ["200,000", "789", "30"]
    printed = invoke("list", "--kind", "adapter").stdout
    assert all(part.name in printed for part in adapters.parts)


def test_parts_of_nodes():
    (kinds,) = {tuple({part.kind for part in list_parts(kind).parts}) for kind in ("server",)}
    assert kinds == ("server",)
    assert "dell-poweredge-r6515" in invoke("list", "--kind", "server").stdout
    found = json.loads(invoke("show", "dell-poweredge-r6515", "--json").stdout)
    figures = {figure["figure"]: figure for figure in found["figures"]}
    assert (figures["idle"]["value"], figures["idle"]["quality"]) == (54.5, "measured")
    assert "supply_efficiency" in found["unverified"]


def test_show(tmp_path):
    stack = next(figure for figure in describe_part("nvme-tcp").figures if figure.figure == "stack")
    assert (stack.text, stack.quality) == ("37.5 us", "assumed")
    found = json.loads(invoke("show", "fc-8g", "--json").stdout)
    rate = next(figure for figure in found["figures"] if figure["figure"] == "rate")
    assert (rate["value"], rate["unit"], rate["quality"]) == (850e6, "bytes/s", "derived")
    assert rate["date"] == "2011-10"
    figures = path_part(describe_part("fc-8g")).ids()
    assert len(figures["fabric-figures"].table.rows) == len(found["figures"])
    page = tmp_path / "link.html"
    assert invoke("show", "fc-8g", "-o", str(page)).exit_code == 0
    assert 'id="fabric-figures"' in page.read_text()
    check(invoke("show", "fc-9g").exception, "unknown-name", None)

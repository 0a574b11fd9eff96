"""``iowatt fabric list`` and ``show`` as typed."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli import main
from iowatt.model.library import fabric_parts


def invoke(*words):
    return CliRunner().invoke(main.app, ["fabric", *words])


def test_list():
    document = json.loads(invoke("list", "--json").stdout)
    assert document["schema"] == "iowatt.fabric/1"
    assert tuple(part["name"] for part in document["parts"]) == fabric_parts.names()
    lines = invoke("list", "--kind", "adapter").stdout.splitlines()
    assert lines[0].split()[:2] == ["name", "kind"]
    assert "200,000 commands a second, 789 MB/s, 30 outstanding" in lines[1]
    assert all(" adapter " in line for line in lines[1:])


def test_show():
    text = invoke("show", "nvme-tcp").stdout
    assert "nvme-tcp (protocol): NVMe over TCP" in text
    assert "stack           37.5 us  assumed" in text
    found = json.loads(invoke("show", "fc-8g", "--json").stdout)
    rate = next(one for one in found["figures"] if one["figure"] == "rate")
    assert (rate["value"], rate["unit"], rate["quality"]) == (850e6, "bytes/s", "derived")
    assert rate["date"] == "2011-10"
    assert isinstance(invoke("show", "fc-9g").exception, InputError)

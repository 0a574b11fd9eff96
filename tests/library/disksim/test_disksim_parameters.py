"""The tables: each field of the dataclasses comes from one parameter; the documentation has them all."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from iowatt.model.library.disksim import components, drives, electronics, layout, mechanics
from iowatt.model.library.disksim.parameter import Parameter, Table

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "disksim.md"
TABLES = {
    name: table
    for module in (components, drives, electronics, layout, mechanics)
    for name, table in vars(module).items()
    if name.isupper() and isinstance(table, dict)
    if all(isinstance(value, Parameter) for value in table.values())
}


@pytest.mark.parametrize(
    ("table", "record", "others"),
    [
        (electronics.DISK, electronics.DiskSimInterface, {"overhead_scale"}),
        (electronics.OVERHEADS, electronics.Overheads, set()),
        (electronics.BUFFER, electronics.DiskSimBuffer, set()),
        (components.SCHEDULER, components.Scheduler, set()),
        (components.BUS, components.DiskSimBus, set()),
        (components.CACHE_DEVICE, components.CacheDevice, set()),
    ],
)
def test_every_field_comes_from_one_parameter(table, record, others):
    carried = [parameter.field for parameter in table.values() if parameter.field]
    assert len(carried) == len(set(carried))
    assert set(carried) - others == {field.name for field in fields(record)}


def test_a_disk_has_the_parameters_that_disksim_declares():
    assert len(electronics.DISKS_OWN) == 65
    assert len(components.SCHEDULER) == 13


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_page_names_every_parameter(name):
    table: Table = TABLES[name]
    page = PAGE.read_text()
    assert [key for key, parameter in table.items() if f"| `{key}` | {parameter.use} |" not in page] == []

"""The library's parts of paths: all load, every figure has a source, and what can be derived is."""

from __future__ import annotations

import pytest

from iowatt.model.library.fabric import LinkFile, SwitchFile, describe_part, parts
from refused import refused

NAMES = parts.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_part_is_whole_and_says_where_its_figures_are_from(name):
    part = parts.part(name)
    assert part.name == name
    found = describe_part(name)
    assert found.figures
    for figure in found.figures:
        assert figure.quality is not None, figure.figure
        assert figure.date is not None
    named = {figure for source in part.source for figure in source.figures}
    assert named <= set(type(part).model_fields)


def test_kinds():
    kinds = {kind: parts.names(kind) for kind in parts.KINDS}
    assert sorted(name for names in kinds.values() for name in names) == sorted(NAMES)
    assert set(kinds["protocol"]) == {"fcp", "nvme-fc", "nvme-tcp", "nvme-rdma", "iscsi", "nvme-pcie"}
    media = {parts.part(name).medium for name in kinds["link"]}
    assert media == {"fibre-channel", "ethernet", "pcie"}


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("fc-2g", 2.125e9 * 8 / 10 / 8),
        ("fc-4g", 4.25e9 * 8 / 10 / 8),
        ("fc-8g", 8.5e9 * 8 / 10 / 8),
        ("fc-16g", 14.025e9 * 64 / 66 / 8),
        ("fc-32g", 28.05e9 * 256 / 257 * 514 / 528 / 8),
        ("fc-64g", 57.8e9 * 256 / 257 * 514 / 544 / 8),
        ("eth-25g", 25e9 / 8),
        ("pcie3-x4", 8e9 * 128 / 130 / 8 * 4),
        ("pcie4-x8", 16e9 * 128 / 130 / 8 * 8),
        ("pcie5-x16", 32e9 * 128 / 130 / 8 * 16),
    ],
)
def test_rates_are_line_rate_times_coding(name, rate):
    link = parts.part_of(LinkFile, name)
    assert link.rate == pytest.approx(rate, rel=1e-8)


def test_a_wrong_name_is_told_the_nearest():
    with refused("unknown-name", None) as caught:
        parts.part_of(LinkFile, "fc-9g")
    assert "'fc-8g'" in str(caught.value.hint)
    with refused("not-accepted", None):
        parts.part_of(SwitchFile, "fc-8g")

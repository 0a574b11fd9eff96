"""What the shell is offered, through the protocol that its completion script speaks."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.model.library.find import device_names


def offered(*words):
    environment = {
        "_IOWATT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("iowatt", *words)),
        "COMP_CWORD": str(len(words)),
    }
    found = CliRunner().invoke(app, [], prog_name="iowatt", env=environment)
    return found.stdout.split()


def test_devices_are_offered():
    assert offered("devices", "show", "toshiba") == [n for n in device_names() if n.startswith("toshiba")]
    assert "toshiba-mg04sca500e" in offered("devices", "validate", "--drive", "toshiba")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("explain", "array.pool.raid.la"), {"array.pool.raid.layout"}),
        (("run", "s.toml", "--set", "array.pool.disks.cou"), {"array.pool.disks.count="}),
        (("sweep", "s.toml", "--over", "array.pool.cou"), {"array.pool.count="}),
        (("study", "run", "hot"), {"hotband2013"}),
        (("optimize", "s.toml", "--maximize", "efficiency.iops"), {"efficiency.iops_per_w"}),
        (("optimize", "s.toml", "--minimize", "cost.total"), {"cost.total_usd"}),
        (("explain", "no.such.key"), set()),
        (("trace", "generate", "hot-b"), {"hot-band"}),
        (("tariff", "show", "lipa-285-2026"), {"lipa-285-2026"}),
        (("cost", "run", "--tariff", "smud-ci-tod3-20"), {"smud-ci-tod3-2025"}),
        (("emerald", "plan", "--rules", "emerald-4.0.0"), {"emerald-4.0.0", "emerald-4.0.0-file"}),
    ],
)
def test_names_are_offered(words, wanted):
    assert set(offered(*words)) == wanted


def test_behind_a_device_key_the_devices_are_offered():
    word = "array.pool.disks.device=toshiba"
    from iowatt.cli.completion import overrides  # a shell's own word breaks decide how much of it comes

    assert "array.pool.disks.device=toshiba-mg04sca500e" in overrides(word)
    assert overrides("array.pool.disks.count=2") == []

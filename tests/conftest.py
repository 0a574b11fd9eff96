"""Fixtures for every test. That this file exists also puts ``tests/`` on the path, for ``handmade``."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import handmade
import needs
from iowatt.lenses.summary import summarise
from iowatt.run.bundle import Run
from iowatt.run.record import SimulationCost
from iowatt.run.summary_schema import HostMachine, Input, Provenance
from iowatt.sources.simulation.record import build_record

# A shell that runs the tests in the background ignores these, and so would the commands under test.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) == signal.SIG_IGN:
        with contextlib.suppress(ValueError):  # not in the main thread
            signal.signal(_number, _handler)

# Whatever profile holds here (CI's has examples of its own), how long an example takes is nobody's failure.
settings.register_profile("untimed", parent=settings(), deadline=None)
settings.load_profile("untimed")


TESTS = Path(__file__).parent
SLOW = [line for line in (TESTS / "slow.txt").read_text("utf-8").splitlines() if not line.startswith("#")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of slow.txt first; they and those of browsers are slow, for `make test-fast`."""
    gone = [name for name in SLOW if not (TESTS / name).is_file()]
    assert not gone, f"slow.txt names files that are not there: {', '.join(gone)}"
    rank = {name: number for number, name in enumerate(SLOW)}
    for item in items:
        file = item.path.relative_to(TESTS)
        if file.parts[0] == "e2e" or file.as_posix() in rank:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: rank.get(item.path.relative_to(TESTS).as_posix(), len(rank)))


@pytest.fixture(autouse=True)
def signals_as_before() -> Any:
    """The command, called in this process, ignores signals at its end; programs of later tests would, too."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        if signal.getsignal(number) != handler:
            signal.signal(number, handler)


@pytest.fixture
def record() -> Any:
    """The record of the run worked out in ``handmade``."""
    cost = SimulationCost(wall_s=2.0, cpu_s=4.0, requests=8, peak_rss_mib=100.0)
    return build_record(handmade.plan(), handmade.decoded(), [], 'name = "handmade"\n', cost)


@pytest.fixture
def provenance() -> Any:
    """Provenance that never changes."""
    return Provenance(
        version="0.0.0",
        seed=7,
        inputs=[Input(path="trace.csv", size=3, sha256="ab" * 32)],
        scenario_sha256="cd" * 32,
        host=HostMachine(name="here", system="Test 1", machine="x", cpus=2),
        started_at="2026-01-02T03:04:05Z",
        python="3.11.0",
        command="iowatt run scenario.toml",
    )


@pytest.fixture
def run(record: Any, provenance: Any) -> Any:
    """The same as a Run in memory."""
    return Run(
        summary=summarise(record, provenance).as_dict(),
        plan=dict(record.plan),
        scenario_text=record.scenario_text,
        tables=vars(record.tables),
    )


@pytest.fixture
def disk_folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An empty folder on a block device: below /tmp, else, where that is a tmpfs, in the repository."""
    folder = tmp_path_factory.mktemp("disk")
    if needs.on_block_device(folder):
        yield folder
        return
    folder = Path(tempfile.mkdtemp(prefix=".disk-folder-", dir=needs.REPOSITORY))
    try:
        if not needs.on_block_device(folder):
            pytest.skip("neither /tmp nor the repository is on a block device")
        yield folder
    finally:
        shutil.rmtree(folder)


def _absent(config: pytest.Config) -> Any:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return needs.absent(reporter.stats.get("skipped", []) if reporter is not None else [])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name the tools that were absent."""
    for tool, tests in _absent(terminalreporter.config).most_common():
        terminalreporter.write_line(f"{tests} tests skipped without {tool}", yellow=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that has to have all tools fails without one."""
    if os.environ.get(needs.ALL_TOOLS) and _absent(session.config) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

"""No process that a load generator started outlives it, its guard or iowatt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from iowatt.sources.process import child, guard

# A program like fio: its children have sessions of their own. It writes their ids and its own.
FORKING = """
import os, subprocess, sys, time
below = [subprocess.Popen(["sleep", "300"], start_new_session=True).pid for _ in range(2)]
with open("pids", "w") as file:
    file.write(" ".join(map(str, [os.getpid(), *below])))
os.rename("pids", "ready")
time.sleep(300)
"""


def wait_until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def gone(pid):
    try:
        return b") Z" in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True


def in_background(folder, command, **options):
    """Run a program in a thread; the thread and where its end will be."""
    ended = []
    stop = threading.Event()
    thread = threading.Thread(
        target=lambda: ended.append(child.run(command, folder=folder, stop=stop, **options))
    )
    thread.start()
    return thread, ended, stop


def ids(folder):
    wait_until((folder / "ready").exists)
    return [int(word) for word in (folder / "ready").read_text().split()]


def test_the_status_and_the_output_are_those_of_the_program(tmp_path):
    ended = child.run(
        ["sh", "-c", "echo said; echo complained >&2; exit 7"], folder=tmp_path, stop=threading.Event()
    )
    assert (ended.status, ended.stopped, ended.overdue) == (7, False, False)
    assert "7" in ended.words
    assert (tmp_path / "stdout.txt").read_text() == "said\n"
    assert (tmp_path / "stderr.txt").read_text() == "complained\n"


def test_a_program_that_is_not_there_is_named(tmp_path):
    ended = child.run(["no-such-program-7"], folder=tmp_path, stop=threading.Event())
    assert (ended.status, ended.stopped) == (guard.NOT_STARTED, False)
    assert "no-such-program-7" in (tmp_path / "stderr.txt").read_text()


def test_children_of_a_killed_program_are_ended(tmp_path):
    thread, ended, _ = in_background(tmp_path, [sys.executable, "-c", FORKING])
    program, *below = ids(tmp_path)
    os.kill(program, signal.SIGKILL)
    thread.join(30)
    assert ended[0].status == 128 + signal.SIGKILL and "SIGKILL" in ended[0].words
    assert all(gone(pid) for pid in below)


def test_a_stop_lets_the_program_write_its_results(tmp_path):
    script = "trap 'echo results > kept; exit 3' TERM; echo > begun; while :; do sleep 0.05; done"
    thread, ended, stop = in_background(tmp_path, ["sh", "-c", script])
    wait_until((tmp_path / "begun").exists)
    stop.set()
    thread.join(30)
    assert (ended[0].status, ended[0].stopped) == (3, True)
    assert (tmp_path / "kept").read_text() == "results\n"


def test_a_program_that_heeds_no_signal_is_killed_with_its_children(tmp_path):
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FORKING
    thread, ended, stop = in_background(tmp_path, [sys.executable, "-c", deaf], grace_s=0.3)
    found = ids(tmp_path)
    stop.set()
    thread.join(30)
    assert ended[0].status == 128 + signal.SIGKILL
    assert all(gone(pid) for pid in found)


def test_a_program_whose_time_is_over_is_ended(tmp_path):
    ended = child.run(["sleep", "300"], folder=tmp_path, stop=threading.Event(), limit_s=0.2)
    assert ended.overdue
    assert not ended.stopped and str(ended.status) not in ended.words


@pytest.mark.parametrize("victim", ["iowatt", "guard"])
def test_nothing_is_left_where_iowatt_or_the_guard_is_killed(tmp_path, victim):
    outer = (
        "import threading; from pathlib import Path; from iowatt.sources.process import child;"
        f"print(child.run([{sys.executable!r}, '-c', {FORKING!r}], folder=Path({str(tmp_path)!r}),"
        "stop=threading.Event(), mark='guarded-by-a-test', grace_s=1).status)"
    )
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, text=True) as process:
        program, *below = ids(tmp_path)
        guard = int(Path(f"/proc/{program}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(process.pid if victim == "iowatt" else guard, signal.SIGKILL)
        said = process.stdout.read()
    wait_until(lambda: all(gone(pid) for pid in (guard, program, *below)))
    assert said == ("" if victim == "iowatt" else f"{128 + signal.SIGKILL}\n")


def test_what_an_earlier_command_left_is_found_by_its_mark_and_ended(tmp_path):
    with subprocess.Popen(["sleep", "300"], env={**os.environ, child.MARK: "left-by-a-test"}) as process:
        wait_until(lambda: child.left_over("left-by-a-test") == [process.pid])
        child.end([process.pid])
        assert process.wait(10) == -signal.SIGTERM
    assert child.left_over("left-by-a-test") == []
    assert child.left_over("") == []


def test_a_second_ctrl_c_does_not_wait_for_results(tmp_path):
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FORKING
    outer = (
        "import threading; from pathlib import Path; from iowatt.sources.process import child;"
        "from iowatt.emerald.conduct.interrupts import Interrupts\n"
        "stop = threading.Event()\n"
        "with Interrupts(stop):\n"
        f"    child.run([{sys.executable!r}, '-c', {deaf!r}], folder=Path({str(tmp_path)!r}),"
        "stop=stop, mark='impatient-test', grace_s=600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", outer], stderr=subprocess.PIPE, text=True) as process:
        found = ids(tmp_path)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)  # so that the two are not one
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    wait_until(lambda: all(gone(pid) for pid in found))


def test_a_signal_that_was_ignored_stays_so(tmp_path):
    from iowatt.emerald.conduct.interrupts import Interrupts

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop = threading.Event()
        with Interrupts(stop) as interrupts:
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)
            assert stop.wait(10)
        assert interrupts.number == signal.SIGTERM
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)

"""What a page prints: its fenced blocks, and how each kind of command runs where the tests are."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import answers
from typer.testing import CliRunner

import needs
from iowatt.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
IOWATT = Path(sys.executable).with_name("iowatt")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^ {4,}(?:\$ )?(?:\.venv/bin/)?(?:iowatt|make|sqlite3) ", re.MULTILINE)


#: What writes files and prints no document.
WITHOUT_DOCUMENT = (["devices", "import"], ["devices", "calibrate"])


def blocks(page: Path) -> list[tuple[str, str]]:
    """Kind and text of each fenced block. Commands stand in fenced blocks only: others would not be tried."""
    text = page.read_text("utf-8")
    found = _BLOCK.findall(text)
    outside = _BLOCK.sub("", text)
    assert not _INDENTED.search(outside), f"{page.name}: commands outside a console block"
    return found


def commands(body: str) -> list[tuple[list[str], list[str]]]:
    """The words of each command of a console block, and the output that is printed below it."""
    assert body.startswith("$ "), body
    found: list[tuple[list[str], list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((shlex.split(line.removeprefix("$ "), comments=True), []))
        else:
            found[-1][1].append(line)
    return found


def compare(words: list[str], expected: Sequence[str], output: str) -> None:
    """The lines that a page shows are lines of the output, in this order; ``...`` stands for any lines."""
    left = iter(_plain(line) for line in output.splitlines())
    for line in expected:
        assert line.strip() == "..." or _plain(line) in left, f"{shlex.join(words)}\nno {line!r} in\n{output}"


def _plain(line: str) -> str:
    """A line without the width of its spaces, which a terminal decides."""
    return " ".join(line.split())


def _named(word: str) -> list[str]:
    """What a pattern with a folder in it stands for."""
    return sorted(map(str, Path().glob(word))) if "/" in word and "*" in word and word[0] != "/" else []


def run(words: list[str], expected: Sequence[str] = ()) -> None:
    """Run a command as printed and look at what it answers.

    ``expected`` is the output that the page shows; without it the command is asked for its document, whose
    answer is checked. Of ``make`` only that there is such a target can be tried here.
    """
    program, *rest = words
    # As a shell would: names in folders only, since a lone * is an option's value on several pages.
    rest = [name for word in rest for name in (_named(word) or [word])]
    if "--check" in rest or rest[:2] == ["emerald", "run"] or rest[:1] == ["replay"]:
        needs.program("fio")  # the page is tried up to here
    if program in ("iowatt", ".venv/bin/iowatt"):
        as_document = not expected and "--json" not in rest and rest[:2] not in WITHOUT_DOCUMENT
        asked = [*rest, "--json"] if as_document else rest
        code, output, errors = _in_a_process(asked) if _guards(rest) else _here(asked)
        assert code == 0, f"{shlex.join(words)}\n{errors}"
        if expected:
            compare(words, expected, output)
        elif rest[:2] not in WITHOUT_DOCUMENT:
            answers.check(json.loads(output))
    elif program == "sqlite3":
        database, query = rest
        assert Path(database).is_file()
        connection = sqlite3.connect(database)
        assert connection.execute(query).fetchall()
        connection.close()
    else:
        assert program == "make", words
        assert re.search(rf"^{re.escape(rest[0])}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def _guards(rest: list[str]) -> bool:
    """Whether the command drives other programs, whose guard watches the process that it runs in."""
    drives = (["emerald", "run"], ["emerald", "calibrate"], ["emerald", "com"])
    return "--check" in rest or rest[:1] == ["replay"] or rest[:2] in drives


def _in_a_process(words: list[str]) -> tuple[int, str, str]:
    done = subprocess.run([IOWATT, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _here(words: list[str]) -> tuple[int, str, str]:
    """Run a command in this process, which spares the start of one."""
    argv, sys.argv = sys.argv, ["iowatt", *words]
    try:
        done = CliRunner().invoke(app, words)
    finally:
        sys.argv = argv
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def workplace(folder: Path) -> None:
    """The examples, and the files of one's own that the pages speak of."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    week = Path("python/iowatt/model/library/validation/ajw.1week.srt.gz")
    (folder / week.parent).mkdir(parents=True)
    shutil.copy(ROOT / week, folder / week)
    rows = [f"{i * 10_000},{'W' if i % 3 == 0 else 'R'},{i * 7919 % 100_000 * 4096},4096" for i in range(500)]
    known, unknown = "time_us,op,offset,size", "ts,rw,off,len"
    with gzip.open(folder / "mytrace.csv.gz", "wt") as file:
        file.write("\n".join([known, *rows]) + "\n")
    _recorded(folder)
    (folder / "mytrace.csv").write_text("\n".join([unknown, *rows]) + "\n")
    bare = [f"{i / 100},{'W' if i % 3 == 0 else 'R'},{i * 7919 % 100_000 * 8},8" for i in range(500)]
    (folder / "noheader.csv").write_text("\n".join(bare) + "\n")
    for file in (ROOT / "tests" / "data" / "disksim").iterdir():
        shutil.copy(file, folder)
    for tool in ("fio", "fio-hist", "vdbench"):
        shutil.copytree(ROOT / "tests" / "data" / tool, folder / f"{tool}-out")
    shutil.copytree(ROOT / "tests" / "data" / "fio-runs" / "groups", folder / "fio-groups")
    stamps = range(1795189520, 1795189528)
    (folder / "meter.csv").write_text("when,P\n" + "".join(f"{at},{118 + at % 3}\n" for at in stamps))
    counters = ROOT / "tests" / "data" / "counters"
    shutil.copy(counters / "iostat-12.6-xtd.txt", folder / "iostat.txt")
    shutil.copy(counters / "perfmon-relog.csv", folder / "disks.csv")
    measured = [
        f"{'RW'[i % 2]} Hit {i * 7919 % 1_000_000} 8 {9000 + i % 7}.0 {5000 + i % 11}.0" for i in range(200)
    ]
    (folder / "mydrive.trace").write_text("\n".join(measured) + "\n")
    (folder / "mydrive.toml").write_text(
        'name = "my-drive"\ntitle = "My drive"\nbased_on = "arrays2002-disk"\n[power]\nidle = "18W"\n'
    )


def _recorded(folder: Path) -> None:
    """Small traces of other people's formats: two servers on one clock, whole seconds, an order, a log."""
    tick, hour = 10_000_000, 128_166_372_003_061_629

    def msr(host: str, disks: int) -> str:
        lines = [
            f"{hour + i * tick},{host},{i % disks},{'Write' if i % 3 else 'Read'},{i * 8192},262144,1000"
            for i in range(40)
        ]
        return "\n".join(lines) + "\n"

    (folder / "server.csv").write_text(msr("hm", 2))
    (folder / "other.csv").write_text(msr("usr", 1))
    seconds = [f"{1_538_323_200 + i // 50},{i * 8},8,{i % 2},1058" for i in range(200)]
    (folder / "cloud.csv").write_text("\n".join(seconds) + "\n")
    (folder / "order.lis").write_text("".join(f"{i * 7919 % 1000} 8 0 {i}\n" for i in range(100)))
    issue = "fio 42 [000] {}.5: block:block_rq_issue: 7,0 R 4096 () {} + 8 [fio]\n"
    complete = "fio 42 [000] {}.6: block:block_rq_complete: 7,0 R () {} + 8 [0]\n"
    events = [line.format(i, i * 7919 % 100_000) for i in range(100) for line in (issue, complete)]
    (folder / "oltp.perf.txt").write_text("".join(events))
    _recorded_by_the_kernel(folder / "sda.blktrace.0")
    call = '42 {}.5 pwrite64(7</srv/db/data>, ""..., 8192, {}) = 8192 <0.0002>\n'
    other = '42 {}.6 pread64(3</lib/libc.so.6>, ""..., 784, {}) = 784 <0.0001>\n'
    calls = [line.format(1_700_000_000 + i, i * 8192) for i in range(50) for line in (call, other)]
    (folder / "db.strace").write_text("".join(calls))
    reads = [f"{i * 1000} /srv/test.dat read {i * 7919 % 1000 * 4096} 4096" for i in range(100)]
    (folder / "job.fiolog").write_text(
        "\n".join(["fio version 3 iolog", "0 /srv/test.dat add", *reads]) + "\n"
    )
    (folder / "app.log").write_text("started\n" + "".join(f"t={i}.5ms read {i * 8}+8\n" for i in range(20)))


def _recorded_by_the_kernel(file: Path) -> None:
    """A recording of blktrace: reads each 5 ms, issued 0.1 ms and completed 2 ms later."""
    queued, issued, completed = 1 << 16 | 1 << 20 | 1, 1 << 16 | 1 << 22 | 7, 1 << 16 | 1 << 23 | 8
    events = [
        (5_000_000 * i + after + 1000 * (i % 7), 64 * i, action)
        for i in range(200)
        for after, action in ((0, queued), (100_000, issued), (2_000_000, completed))
    ]
    file.write_bytes(
        b"".join(
            struct.pack("<IIQQIIIIIHH", 0x65617407, n, at, sector, 4096, action, 42, 8 << 20, 0, 0, 0)
            for n, (at, sector, action) in enumerate(events, 1)
        )
    )

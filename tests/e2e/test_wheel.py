"""The wheel: what ``make wheel`` builds works in an empty environment, without Rust and the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this tree; the extension is the one that the build of the tests compiled."""
    out = tmp_path_factory.mktemp("dist")
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "build", "--release", "--locked", "--quiet", "--out", out], cwd=ROOT, check=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of programs of an environment that has the wheel and its dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pins = ROOT / "requirements" / "run.txt"
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", pins, wheel], check=True)
    return folder / "bin"


def test_it_is_one_wheel_for_all_pythons_with_library_and_examples(wheel):
    assert re.fullmatch(r"iowatt-[\d.]+-cp311-abi3-\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "examples", "python/iowatt"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    examples = {f"iowatt/{name}" for name in tracked if name.startswith("examples/")}
    package = {name.removeprefix("python/") for name in tracked if name.startswith("python/")}
    assert examples
    assert examples | package - {"iowatt/examples"} <= names
    assert not [name for name in names if name.startswith("tests/") or "__pycache__" in name]


def test_the_demo_runs_from_it(installed, tmp_path):
    environment = {
        "PATH": f"{installed}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
    }
    commands = re.findall(r"^\t\$\(BIN\)/(iowatt .*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    demo = [line.replace("$(DEMO)", "demo").split() for line in commands]
    assert len(demo) >= 4
    for words in (["iowatt", "init", "--examples"], *demo):
        done = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr)
    pages = {page.name for page in (tmp_path / "demo").glob("*.html")}
    assert pages == {"designs.html", "cost.html"}
    assert (tmp_path / "examples" / "oltp-raid5.toml").is_file()


def test_the_starter_needs_no_repository(installed, tmp_path):
    iowatt = installed / "iowatt"
    for words in (["init", "s.toml"], ["check", "s.toml"]):
        done = subprocess.run([iowatt, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "../" not in (tmp_path / "s.toml").read_text("utf-8")

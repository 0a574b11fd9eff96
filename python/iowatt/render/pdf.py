"""The report as PDF: the HTML page, printed by the Chromium that is installed.

The page lays itself out for paper when its address ends in ``#print``: light colours, charts as wide as
the sheet, long tables left out (they are in the HTML and XLSX reports).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from iowatt.base.errors import InputError, IowattError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Commands that can print a page, in order of preference."""

_PATIENCE_S = 180
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pdf-header-footer",
    "--run-all-compositor-stages-before-draw",
    "--virtual-time-budget=60000",
)


def browser() -> str | None:
    """The path of a browser that can print, or ``None``."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def write(page: str, path: Path) -> None:
    """Print the HTML text ``page`` to ``path``.

    Raises ``InputError`` where no Chromium is installed, ``IowattError`` where it fails.
    """
    command = browser()
    if command is None:
        raise InputError(
            "tool-missing",
            None,
            f"a PDF report is printed by Chromium, and none of {', '.join(BROWSERS)} is installed",
            hint="apt-get install chromium (Debian's package), or write .html or .xlsx instead",
        )
    with tempfile.TemporaryDirectory(prefix="iowatt-pdf-", ignore_cleanup_errors=True) as directory:
        source, printed = Path(directory) / "report.html", Path(directory) / "report.pdf"
        source.write_text(page, encoding="utf-8", newline="\n")
        flags = [*_FLAGS, f"--user-data-dir={directory}/profile", f"--print-to-pdf={printed}"]
        output = _run([command, *flags, f"{source.as_uri()}#print"])
        if not printed.is_file() or not printed.read_bytes().startswith(b"%PDF"):
            raise IowattError(
                "tool-failed",
                None,
                f"{command} printed no PDF; its output: {output.strip()[-500:] or 'nothing'}",
            )
        shutil.copyfile(printed, path)


def _run(command: list[str]) -> str:
    """Run the browser in a group of its own, so that none of its processes outlives a time-out."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            _, output = process.communicate(timeout=_PATIENCE_S)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise IowattError(
                    "tool-failed", None, f"{command[0]} did not finish printing within {_PATIENCE_S} s"
                ) from None
            raise
    return output

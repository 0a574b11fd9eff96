"""Take the documentation's pictures: run the commands of docs/images/pictures.toml, photograph their pages.

    python scripts/pictures.py [NAME ...]

Each ``[[picture]]`` has a ``name`` (the file ``docs/images/NAME.png``), the commands ``run``, in order, in an
empty folder that has ``examples`` and ``recordings`` (the tests' data), and the ``page`` they write. The
picture shows the page from its title to its decisive chart, or the element that ``select`` names, or, where
``serve`` names a workspace, the first page of `iowatt serve`. Needs Chromium and the tests' requirements.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTH = 1000
MOST_HEIGHT = 1250
SERVER_WIDTH, SERVER_HEIGHT = 1440, 900


def main(names: list[str]) -> None:
    """Take the pictures called ``names``, or all."""
    from playwright.sync_api import sync_playwright

    pictures = tomllib.loads((IMAGES / "pictures.toml").read_text("utf-8"))["picture"]
    unknown = set(names) - {one["name"] for one in pictures}
    if unknown:
        sys.exit(f"no such picture: {', '.join(sorted(unknown))}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for one in pictures:
            if not names or one["name"] in names:
                take(one, browser)


def take(picture: dict[str, Any], browser: Any) -> None:
    """Run the commands of a picture and write it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "recordings").symlink_to(ROOT / "tests" / "data")
        (folder / "python").symlink_to(ROOT / "python")
        for command in picture["run"]:
            subprocess.run(
                command.replace("iowatt ", f"{Path(sys.executable).with_name('iowatt')} ", 1),
                shell=True,
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
            )
        target = IMAGES / f"{picture['name']}.png"
        if workspace := picture.get("serve"):
            of_server(folder / workspace, target, browser)
            return
        page = browser.new_page(viewport={"width": WIDTH, "height": MOST_HEIGHT})
        page.goto((folder / picture["page"]).as_uri())
        page.wait_for_load_state("networkidle")
        if select := picture.get("select"):
            page.locator("details.folded").evaluate_all("all => all.forEach(one => (one.open = true))")
            page.add_style_tag(content="nav { position: static !important; }")
            page.wait_for_timeout(500)
            page.locator(select).first.screenshot(path=target)
        else:
            chart = page.locator("main figure, main .card").first.bounding_box()
            height = min(chart["y"] + chart["height"] + 12, MOST_HEIGHT)
            page.screenshot(path=target, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
        page.close()
    print(f"{target.relative_to(ROOT)}  {target.stat().st_size >> 10} KiB")


def of_server(workspace: Path, target: Path, browser: Any) -> None:
    """The first page of a server, once all Runs are priced."""
    command = [str(Path(sys.executable).with_name("iowatt")), "serve", str(workspace), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = server.stderr.readline().partition("http://")[2].split()[0]
        page = browser.new_page(viewport={"width": SERVER_WIDTH, "height": SERVER_HEIGHT})
        page.goto(f"http://{address}")
        page.wait_for_selector("#figures a")
        page.wait_for_timeout(8000)  # until all Runs are priced
        page.screenshot(path=target)
        page.close()
        server.terminate()
    print(f"{target.relative_to(ROOT)}  {target.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main(sys.argv[1:])

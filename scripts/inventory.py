"""List what iowatt offers, and compare the list with the recorded one: nothing may get lost unnoticed.

    python scripts/inventory.py compare     print what is missing or new; exit 1 if anything is missing
    python scripts/inventory.py record      replace tests/corpus/inventory.json

The lists come from what users see (completion, help, schemas, lists of the library, pages), from the keys of
the recorded corpus, and from the ids of documents in the source; nothing is imported from iowatt. What was
renamed or given up on purpose stands in ``tests/corpus/renamed.toml``, as ``inventory/LIST#item``.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import corpus
from figures import Document

INVENTORY: Final = corpus.CORPUS / "inventory.json"

#: Lists printed as JSON: name here, command, key of the list, key of an item, and the key that groups them.
LISTED: Final = (
    ("devices", "devices list", "devices", "name", "kind"),
    ("fabric", "fabric list", "parts", "name", "kind"),
    ("tariffs", "tariff list", "tariffs", "key", ""),
    ("profiles", "trace profiles", "profiles", "name", ""),
    ("studies", "study list", "studies", "name", ""),
    ("rule profiles", "emerald rules", "profiles", "name", ""),
    ("meters", "meter list", "kinds", "scheme", ""),
    ("scenario keys", "explain", "keys", "path", ""),
    ("cost assumptions", "cost --list-assumptions", "assumptions", "key", ""),
)

#: What the pages are made of, in order, in one folder.
PAGES: Final = """\
iowatt run examples/oltp-raid5.toml --set workload.oltp.trace.end=20s -o raid5
iowatt run examples/oltp-ssd-cache.toml --set workload.oltp.trace.end=20s -o cached
iowatt run examples/array-power.toml --set workload.oltp.trace.end=20s -o wall
iowatt run examples/ssd.toml --set workload.oltp.profile.duration=200ms --set observe.warmup=0s -o ssd
iowatt run examples/path.toml --set workload.oltp.profile.requests=2000 --set observe.warmup=0s -o san
iowatt run examples/power-policies.toml --set workload.archive.profile.duration=1h -o quiet
iowatt report raid5 -o report.html
iowatt report cached -o report-cached.html
iowatt report wall -o report-wall.html
iowatt report ssd -o report-ssd.html
iowatt report san -o report-path.html
iowatt report quiet -o report-policies.html
iowatt report raid5 cached -o report-two.html
iowatt compare raid5 cached -o compare.html
iowatt heat raid5 -o heat.html
iowatt heat examples/traces/own-trace.csv --columns time=when,op=kind,offset=address,size=length --time-unit ms -o heat-trace.html
iowatt idle quiet -o idle.html
iowatt cost raid5 cached --samples 20 -o cost.html
iowatt budget san --within 300us -o budget.html
iowatt power examples/array-power.toml -o power.html
iowatt tariff bill smud-ci-tod3-2025 5kW --months 3 -o bill.html
iowatt cache zipf -n 5000 --span 1GB --policy lru,arc -o cache.html
iowatt trace profile examples/traces/own-trace.csv --columns time=when,op=kind,offset=address,size=length --time-unit ms -o profile.html
iowatt rate examples/emerald-small.toml --within 20ms --requests 2000 --tolerance 0.1 -o rate.html
iowatt sweep examples/oltp-raid5.toml --over array.pool.disks.count=5,7 --set workload.oltp.trace.end=10s -o sweep
iowatt curve examples/duty.toml --rates 150,700 --bundles --set workload.oltp.profile.duration=1s -o curve
iowatt run examples/duty.toml --set 'workload=[]' --set observe.duration=1min -o nothing
iowatt duty nothing curve/runs/rate* -o duty.html
iowatt cost nothing curve/runs/rate* --duty examples/cost/retail-year.toml --samples 0 -o cost-year.html
iowatt optimize examples/oltp-choice.toml --over array.pool.disks.count=8,16 --minimize cost.total_usd --maximize efficiency.iops_per_w --set workload.oltp.profile.requests=2000 --set observe.warmup=0.2s -o best
iowatt devices validate --drive dec-rz26 -o validate.html
iowatt emerald bff examples/emerald/scale-out.toml --metric RI --raid mirrors --no-simulate --set scale_out.nodes.most=4 -o bff
iowatt emerald plan --category online --class 2 --driver simulation --scenario examples/emerald-small.toml --time-scale 0.002 --phase-rate HB=100 --phase-rate RR=300 --phase-rate RW=50 -o plan
iowatt emerald run plan -o measured
iowatt emerald analyze measured
iowatt emerald report measured --about examples/emerald/about.toml -o emerald-report.html
"""  # noqa: E501 - a command a line


@dataclass(frozen=True)
class Iowatt:
    """The command to ask."""

    path: Path

    def says(self, *words: str, **environment: str) -> str:
        """Return what the command prints."""
        given = {**os.environ, "COLUMNS": "300", "TERMINAL_WIDTH": "300", "NO_COLOR": "1", **environment}
        return subprocess.run(
            [self.path, *words],
            env=given,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        ).stdout

    def completes(self, line: str) -> list[str]:
        """Return what the shell would offer to complete a line."""
        return self.says(
            _IOWATT_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(line.count(" "))
        ).split()

    def json(self, command: str) -> Any:
        """Return what a command prints with ``--json``."""
        return json.loads(self.says(*command.split(), "--json"))


def verbs(iowatt: Iowatt, words: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each verb with its options and the choices that its help names (``fio|vdbench``)."""
    line = " ".join(("iowatt", *words))
    text = iowatt.says(*words, "--help")
    choices = {re.sub(r"[<>{}\[\]]", "", one) for one in re.findall(r"[\w.+*<\[{-]+(?:\|[\w.+*-]+)+", text)}
    yield line, sorted(iowatt.completes(f"{line} -")), sorted(choices)
    if "COMMAND [ARGS]" in text:
        with ThreadPoolExecutor() as pool:
            below = pool.map(lambda one: list(verbs(iowatt, (*words, one))), iowatt.completes(f"{line} "))
        for found in below:
            yield from found


def enumerated(schema: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values that a JSON Schema allows, each with the property it belongs to."""
    if isinstance(schema, dict):
        for value in [*schema.get("enum", []), *([schema["const"]] if "const" in schema else [])]:
            yield key, str(value)
        for name, one in schema.items():
            if name == "properties":
                for inner, value in one.items():
                    yield from enumerated(value, inner)
            else:
                yield from enumerated(one, key)
    elif isinstance(schema, list):
        for one in schema:
            yield from enumerated(one, key)


def pages(iowatt: Iowatt) -> Iterator[tuple[str, list[str]]]:
    """Yield each page by its path, with the headings of its figures and sections, folded ones too."""
    with tempfile.TemporaryDirectory(prefix="inventory-") as folder:
        place = Path(folder)
        (place / "examples").symlink_to(corpus.ROOT / "examples")
        for command in PAGES.splitlines():
            corpus.execute(command, iowatt.path, place)
        for path in sorted(one for one in place.rglob("*.html") if "examples" not in one.parts):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
            headings = re.findall(r"<h([2-4])\b[^>]*>(.*?)</h\1>", text, flags=re.DOTALL)
            headings += re.findall(r"<(summary)\b[^>]*>(.*?)</summary>", text, flags=re.DOTALL)
            titles = {html.unescape(re.sub(r"<[^>]+>", "", one)).strip() for _, one in headings}
            yield (
                path.relative_to(place).as_posix(),
                sorted(one for one in titles if not one.startswith("Table ")),
            )


def recorded() -> Iterator[tuple[str, str]]:
    """Yield what the recorded corpus names: metrics (columns of tables), components of cost, documents."""
    for name, document in corpus.load_recording().items():
        for key, value in document.figures.items():
            if name.endswith("table.parquet"):
                yield "metrics", key.rpartition(".")[0]
            elif ".by_group." in key:
                yield "cost components", key.rpartition(".")[2]
            elif re.search(r"\.components\.\d+\.key$", key):
                yield "cost components", str(value)
            elif key == "schema":
                yield "documents", str(value)


def collect(iowatt: Iowatt) -> dict[str, list[str]]:
    """Return all lists, by name."""
    found: dict[str, set[str]] = defaultdict(set)
    for line, options, choices in verbs(iowatt):
        found["verbs"].add(line)
        found[f"options of {line}"].update(options)
        found[f"choices of {line}"].update(choices)
    for name, command, key, item, group in LISTED:
        for one in iowatt.json(command)[key]:
            found[f"{name} {one[group]}" if group else name].add(str(one[item]))
    names = re.search(r"\((scenario, .*?)\)", iowatt.says("schema", "--help"))
    assert names is not None, "the help of iowatt schema names no input files"
    for schema in names[1].split(", "):
        for key, value in enumerated(json.loads(iowatt.says("schema", schema))):
            found[f"{schema} {key}"].add(value)
    for name, titles in pages(iowatt):
        found[f"page {name}"].update(titles)
    for name, item in recorded():
        found[name].add(item)
    for path in (corpus.ROOT / "python").rglob("*.py"):
        found["documents"].update(re.findall(r'"(iowatt\.[a-z-]+/\d+)"', path.read_text(encoding="utf-8")))
    return {name: sorted(items) for name, items in sorted(found.items()) if items}


def figures(lists: dict[str, list[str]]) -> dict[str, Document]:
    """Return the lists as documents of the corpus, so that one way of renaming and comparing serves both."""
    return {f"inventory/{name}": Document(dict.fromkeys(items, True)) for name, items in lists.items()}


def main() -> int:
    """Record or compare; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("--iowatt", type=Path, default=Path(sys.executable).parent / "iowatt")
    asked = parser.parse_args()
    present = collect(Iowatt(asked.iowatt.absolute()))
    print(f"{len(present)} lists, {sum(map(len, present.values())):,} items")
    if asked.what == "record":
        INVENTORY.write_text(json.dumps(present, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return 0
    old = corpus.addressed(figures(json.loads(INVENTORY.read_text(encoding="utf-8"))), corpus.load_renamed())
    new = corpus.addressed(figures(present))
    missing, added = [one for one in old if one not in new], [one for one in new if one not in old]
    print(
        "\n".join([*(f"missing: {one}" for one in missing), *(f"new: {one}" for one in added)]) or "identical"
    )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

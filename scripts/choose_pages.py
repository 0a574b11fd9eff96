"""Answer the questions of ``examples/questions`` and write their pages in ``docs/questions``.

    python scripts/choose_pages.py [NAME...]

A page has the question, the date, and the first screen as ``iowatt choose`` prints it. Answers are kept in
``choices`` (ignored by git),
so that an interrupted one goes on.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = ROOT / "examples" / "questions"
PAGES = ROOT / "docs" / "questions"
PROGRAM = "from iowatt.cli.main import main; main()"
PAGE = """# {title}

{intro}

The answer of {day}, with the drives and prices in the library on that day. Prices change: before you buy, ask
again with your quotes in `prices`.

```text
$ {command}
{answer}
```

For how to read it and how far to trust it, see {{doc}}`../howto/choose`. The question:

```{{literalinclude}} ../../examples/questions/{name}.toml
:language: toml
```
"""


def main(names: list[str]) -> None:
    """Write the pages of ``names``, or of all questions."""
    PAGES.mkdir(exist_ok=True)
    for path in sorted(QUESTIONS.glob("*.toml")):
        if names and path.stem not in names:
            continue
        command = f"iowatt choose examples/questions/{path.name}"
        again = "--resume" if (ROOT / "choices" / path.stem).exists() else ""
        made = subprocess.run(
            [sys.executable, "-c", PROGRAM, *command.split()[1:], *again.split()],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if made.returncode not in (0, 1):
            sys.exit(f"{command}: exit {made.returncode}")
        head = path.read_text("utf-8").splitlines()[0].removeprefix("# ")
        title, _, intro = head.partition(": ")
        text = PAGE.format(
            title=title, intro=intro[:1].upper() + intro[1:], name=path.stem, command=command,
            day=f"{datetime.now(UTC):%d %B %Y}".lstrip("0"), answer=made.stdout.strip(),
        )  # fmt: skip
        (PAGES / f"{path.stem}.md").write_text(text, "utf-8", newline="\n")
        print(f"docs/questions/{path.stem}.md", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

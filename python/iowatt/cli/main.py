"""The command line: collects the verbs, turns errors into messages and exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from iowatt.base import atomic_path, signals
from iowatt.base.errors import InputError, IowattError
from iowatt.cli import streams, verbs
from iowatt.cli.error_text import error_text, options_of

DEBUG: Final = "IOWATT_DEBUG"
"""Environment variable that adds the traceback to a fault of ours."""

_ENDED: Final[dict[int, str]] = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "the terminal was lost",
}
GARBAGE_THRESHOLD: Final = 200_000
"""New objects that start a search for garbage: more than a verb loads (130,000), where Python has 700."""
NOTHING_LEFT: Final = "nothing half-written was left"
"""Ends the message of a command that a signal stopped."""
app = typer.Typer(
    name="iowatt",
    cls=verbs.VerbGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"iowatt {_version()}")
        raise typer.Exit


def _version() -> str:
    from importlib.metadata import version

    return version("iowatt")


@app.callback()
def iowatt(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """What a storage system costs in watts, milliseconds and dollars, and what would do better."""


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 a check failed, 2 wrong input or output that cannot be written, 3 a fault of ours;
    128 and the number of the signal where one ended it: 129 the terminal was lost, 130 Ctrl-C, 141 who read
    standard output has closed it, 143 terminated. All take the same way out: what was begun is cleared away.
    """
    signals.hold()
    # What a verb loads lives to its end: searching it again and again is a tenth of a short run.
    gc.set_threshold(GARBAGE_THRESHOLD)
    # Looking for plugins of pydantic reads the metadata of every installed package; no input file has any.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    # NumPy's linear algebra starts a thread on every processor when loaded; iowatt's matrices are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    streams.prepare()
    code = _code()
    signals.ignore()
    gc.freeze()  # the interpreter searches again as it ends
    sys.exit(code)


def _code() -> int:
    """Run the command; everything that leaves it becomes a message and an exit code here."""
    try:
        signals.let_through()
        _refuse_unnameable(sys.argv)
        try:
            app()
        finally:
            sys.stdout.flush()
    except BaseException as left:
        return _ended(left)
    return 0


def _ended(left: BaseException) -> int:
    code, text = 0, ""
    # Typer makes an exit with code 130 of a KeyboardInterrupt that it sees.
    if isinstance(left, SystemExit) and left.code != 128 + signal.SIGINT:
        code = left.code if isinstance(left.code, int) else 0
    elif isinstance(left, IowattError):
        code, text = left.exit_code, error_text(left, options_of(app, sys.argv[1:]))
    elif isinstance(left, streams.ReaderGoneError):
        code = 128 + signal.SIGPIPE
    elif signals.received() or isinstance(left, KeyboardInterrupt | SystemExit):
        number = signals.received() or signal.SIGINT
        code, text = 128 + number, f"{_ENDED[number]}; {NOTHING_LEFT}"
    elif (reason := _unwritable(left)) is not None:
        place = f"{os.fsdecode(name)}: " if (name := getattr(left, "filename", None)) else ""
        code, text = (
            InputError.exit_code,
            f"error[unwritable]: {place}cannot be written: {os.strerror(reason)}",
        )
    else:
        code, text = IowattError.exit_code, _fault(left)
    if text:
        # The result may be complete before all is said of it.
        complete = "".join(f"\n  complete: {path}" for path in atomic_path.completed() if path.exists())
        typer.echo(f"iowatt: {text}{complete}", err=True)
    return code


def _unwritable(error: BaseException) -> int | None:
    """The number of an error of the place that is written to: no fault of ours, wherever it comes up."""
    if isinstance(error, OSError) and error.errno in (errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM):
        return error.errno
    return atomic_path.no_room(error)


def _fault(error: BaseException) -> str:
    """What to report of a fault of ours; prints the traceback for who asks for it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}iowatt{os.sep}" in frame.filename] or frames
    at = f" ({Path(ours[-1].filename).name}:{ours[-1].lineno}, {ours[-1].name})" if ours else ""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    return (
        f"internal error: iowatt {_version()}: {type(error).__name__}: {error}{at}\n"
        f"  hint: report this with the command and its input; {DEBUG}=1 prints a traceback"
    )


def _refuse_unnameable(words: Sequence[str]) -> None:
    """Results name their files in UTF-8; a name that is no text is refused before any work is done."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InputError(
                "bad-syntax",
                ascii(os.fsencode(word))[1:],
                f"not text in {sys.getfilesystemencoding()}, so that results could not name it",
                hint="rename the file, or choose a UTF-8 locale (LC_ALL=C.UTF-8) where the name is UTF-8",
            ) from None

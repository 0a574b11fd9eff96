"""The process of :mod:`iowatt.registry.reanalysis.apart`: a request on standard input, then its answer."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_PR_SET_PDEATHSIG: Final = 1
#: Loaded before anything is closed off.
_NEEDED: Final = (
    "iowatt.registry.reanalysis", "iowatt.evaluate.evaluation", "iowatt.emerald.analyze",
    "iowatt.base.parquet", "iowatt.sources.outputs", "iowatt.sources.measured", "iowatt.run.plan_schema",
)  # fmt: skip
#: Events of Python that reach other programs, machines or users.
_NEVER: Final = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
    "pty.spawn", "socket.connect", "socket.bind", "socket.sendto", "os.kill", "os.killpg", "ctypes.dlopen",
)  # fmt: skip
_NAMED: Final = (
    "open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate",
    "os.chmod", "os.link", "os.symlink", "shutil.rmtree",
)  # fmt: skip
_READABLE: Final = ("/usr/share/zoneinfo", "/etc/localtime", "/proc", "/sys", "/dev/null", "/dev/urandom")


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else is written among the answer
    _end_with_parent()
    for name in _NEEDED:
        import_module(name)
    folder = Path(request["folder"])
    _limit(request["seconds"], request["memory_bytes"])
    _close_off(folder, Path(request["scratch"]))
    json.dump(_answer(folder), answers, ensure_ascii=True, allow_nan=False)
    answers.flush()


def _answer(folder: Path) -> dict[str, Any]:
    from iowatt.base.errors import InputError
    from iowatt.registry.reanalysis import analyse

    try:
        return analyse(folder).as_dict()
    except InputError as error:
        place = None if error.place is None else error.place.replace(f"{folder}/", "")
        message = error.message.replace(f"{folder}/", "")
        return {"error": {"code": error.code, "place": place, "message": message, "hint": error.hint}}


def _end_with_parent() -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError):  # where the system is no Linux
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _limit(seconds: float, memory_bytes: int) -> None:
    for what, most in (
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 1 << 30),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 512),
    ):
        hard = resource.getrlimit(what)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, least))


def _close_off(folder: Path, scratch: Path) -> None:
    """Refuse to read outside the submission and Python's own files, and to write outside ``scratch``."""
    own = [str(folder.resolve()), str(scratch.resolve())]
    packages = [os.path.realpath(path) for path in {*sys.path, sys.prefix, sys.base_prefix} if path]
    readable = (*own, *packages, *_READABLE)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NEVER:
            raise PermissionError(f"{event} is not allowed here")
        if event in _NAMED and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            reads = event in ("os.listdir", "os.scandir") or (event == "open" and _reads(arguments))
            path = os.path.realpath(os.fsdecode(arguments[0]))
            allowed = readable if reads else (own[1], "/dev/null")
            if not any(path == one or path.startswith(f"{one}{os.sep}") for one in allowed):
                raise PermissionError(13, "is outside of the submission", path)

    sys.addaudithook(hook)


def _reads(arguments: tuple[Any, ...]) -> bool:
    """Whether a call of ``open`` only reads."""
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return not set(mode) & set("wax+")
    return isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) == 0


if __name__ == "__main__":
    main()

"""Stands between iowatt and a load generator, so that no request is made once either is gone.

    python -I -S guard.py GRACE PROGRAM [ARGUMENT ...]

Killed load generators leave children that go on writing (each job of fio is a process with a session of its
own; vdbench starts further Javas). They fall to this process, because it declares itself a reaper, and it
ends them. It ends all of them, too, when its standard input closes, which is how iowatt asks for a stop,
and what the kernel does where iowatt was killed: first SIGTERM to the program, for its results, and after
GRACE seconds SIGKILL to whatever is left. Should the guard itself be killed, the program gets SIGTERM from
the kernel. The exit status is that of the program, 128 + n where signal n ended it.

Only the standard library is imported, and little of it: the guard starts within a stage.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
NOT_STARTED = 127


def descendants() -> list[int]:
    """All processes below this one."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would cost the start of the stage
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    after_name = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if after_name and after_name[0] != b"Z":
                parents[int(name)] = int(after_name[1])
    found: list[int] = []
    above = {os.getpid()}
    while above:
        above = {pid for pid, parent in parents.items() if parent in above}
        found += above
    return found


def send(number: int, pids: list[int]) -> None:
    """A signal to processes, some of which may be gone."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            continue


def begin(libc: ctypes.CDLL, command: list[str]) -> int:
    """Start the program; its process id."""
    guard = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        if os.getppid() == guard:  # else it died before the kernel was asked
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def reap(pid: int) -> int | None:
    """Collect what has ended; the status of ``pid`` where that is among it."""
    status = None
    while True:
        try:
            ended, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if ended == 0:
            return status
        if ended == pid:
            status = how


def main() -> None:
    """Run the program to its end, or until standard input closes."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):  # only iowatt ends the program
        signal.signal(number, signal.SIG_IGN)
    pid = begin(libc, command)
    watched, deadline = [0, woken], None
    while (status := reap(pid)) is None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        readable, _, _ = select.select(watched, [], [], left)
        if woken in readable:
            os.read(woken, 4096)
        if 0 in readable and not os.read(0, 4096):
            watched, deadline = [woken], time.monotonic() + grace
            send(signal.SIGTERM, [pid])
        if deadline is not None and time.monotonic() >= deadline:
            send(signal.SIGKILL, descendants())
            deadline = time.monotonic() + 1.0  # once more: a process may fork while it is being looked for
    while left_over := descendants():
        send(signal.SIGKILL, left_over)
        time.sleep(0.01)
        reap(pid)
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()

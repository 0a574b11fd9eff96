"""The thread that analyses what arrived and sends mail; what a kill interrupts waits, and is done again."""

from __future__ import annotations

import logging
import threading
from typing import Final

from iowatt.base.errors import InputError
from iowatt.registry.store import (
    RegistryStore,
    analyse_pending,
    deliver_mail,
)

_LOOK_S: Final = 30.0
_log = logging.getLogger(__name__)


class AnalysisWorker:
    """Works through what waits when it is woken, and twice a minute."""

    def __init__(self, store: RegistryStore) -> None:
        self._store = store
        self._woken, self._stopped = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="registry-analysis", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._store.sweep()
        self._thread.start()

    def wake(self) -> None:
        """Something arrived, or mail waits."""
        self._woken.set()

    def stop(self) -> None:
        """End after what is under way; a thread in an analysis ends with the process, and its work waits."""
        self._stopped.set()
        self._woken.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._work()
            self._woken.wait(_LOOK_S)
            self._woken.clear()

    def _work(self) -> None:
        try:
            analyse_pending(self._store)
            deliver_mail(self._store)
        except InputError as error:  # mail that cannot be sent waits
            _log.warning("iowatt: %s", error)
        except Exception:
            _log.exception("iowatt: a fault of ours")

"""Processes as an executor: for tests, because all that it is given is pickled, as for a cluster."""

from __future__ import annotations

import multiprocessing
import queue
import threading

from iowatt.evaluate.search.tasks.executor import Finished


def _call(work, argument):
    return work(argument, lambda _fraction: None)


class Processes:
    """An executor over a pool of fresh interpreters; what runs at its end is killed."""

    def __init__(self, jobs):
        self._pool = multiprocessing.get_context("spawn").Pool(jobs)
        self._finished: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._submitted = self._yielded = 0
        self._closed = False
        self._lock = threading.Lock()

    def submit(self, work, argument):
        if self._closed:
            raise RuntimeError("the executor is closed")
        with self._lock:
            self._submitted += 1
            ticket = self._submitted
        self._pool.apply_async(
            _call,
            (work, argument),
            callback=lambda result: self._finished.put(Finished(ticket, result)),
            error_callback=lambda error: self._finished.put(Finished(ticket, error=error)),
        )
        return ticket

    def as_completed(self):
        while self._yielded < self._submitted and not self._closed:
            done = self._finished.get()
            self._yielded += 1
            yield done

    def close(self):
        self._closed = True
        self._pool.terminate()
        self._pool.join()

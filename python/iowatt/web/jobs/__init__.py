"""Jobs of the server: what takes longer than an answer may, done by processes of their own.

``queue`` is the table of jobs as the server uses it, ``claims`` as workers do, both on ``table``; ``record``
has the types. ``workers`` keeps the processes, ``worker`` is one of them; ``kinds`` says what each kind of
job does, ``uploaded`` what is done with uploads, ``reading`` how they are read, ``places`` where files may
lie, ``limits`` what is allowed.
``events`` tells listeners of changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.web.jobs.events import JobEvents
    from iowatt.web.jobs.kinds import RUNS
    from iowatt.web.jobs.limits import JobLimits
    from iowatt.web.jobs.places import EXAMPLE, JobBase, base_of, file_of, refuse_outside
    from iowatt.web.jobs.queue import JobQueue
    from iowatt.web.jobs.record import (
        MOST_CHANGES,
        JobId,
        JobKind,
        JobRecord,
        JobState,
        JobStatus,
        Submission,
    )
    from iowatt.web.jobs.workers import Workers

__all__ = [
    "EXAMPLE", "MOST_CHANGES", "RUNS", "JobBase", "JobEvents", "JobId", "JobKind", "JobLimits", "JobQueue",
    "JobRecord", "JobState", "JobStatus", "Submission", "Workers", "base_of", "file_of", "refuse_outside",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "events": "JobEvents",
            "kinds": "RUNS",
            "limits": "JobLimits",
            "places": "EXAMPLE JobBase base_of file_of refuse_outside",
            "queue": "JobQueue",
            "record": "MOST_CHANGES JobId JobKind JobRecord JobState JobStatus Submission",
            "workers": "Workers",
        },
    )

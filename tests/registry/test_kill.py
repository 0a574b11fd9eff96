"""kill -9 of the server while submissions arrive: nothing that was answered is lost, nothing is there twice.

``IOWATT_KILL_ROUNDS=30`` kills so often.
"""

from __future__ import annotations

import os
import random
import threading
import time

import httpx
import submissions
from registry_server import RegistryServer

from iowatt.registry import store

ROUNDS = int(os.environ.get("IOWATT_KILL_ROUNDS", "3"))
LABS = 2


def submit_all(url, token, waiting, answered, stop):
    """Submit what waits, in turn, until the server is gone; what was answered is noted."""
    headers = {"Authorization": f"Bearer {token}"}
    while waiting and not stop.is_set():
        path = waiting[0]
        try:
            answer = httpx.post(f"{url}/api/bundles", content=path.read_bytes(), headers=headers, timeout=60)
        except httpx.HTTPError:
            return
        assert answer.status_code == 202, answer.text
        record = answer.json()["submission"]
        answered.setdefault(record["sha256"], set()).add(record["id"])
        waiting.append(waiting.pop(0))  # and again later: it is the same submission
        time.sleep(0.01)


def test_what_was_answered_is_kept(people, emerald_zip, key, tmp_path):
    seed = random.randrange(1 << 30)
    draw = random.Random(seed)
    folder = submissions.unpacked(emerald_zip, tmp_path / "folder")
    small = submissions.unpacked(
        submissions.written(submissions.small(tmp_path / "s"), key, tmp_path / "s.zip"), tmp_path / "small"
    )
    paths = [
        submissions.signed_again(
            small if number % 8 else folder, key, tmp_path / f"{number}.zip", title=f"n{number}"
        )
        for number in range(4 + ROUNDS // 3)
    ]
    answered: dict[str, set[str]] = {}
    for _ in range(ROUNDS):
        server = RegistryServer(people.store.folder)
        stop = threading.Event()
        labs = [
            threading.Thread(
                target=submit_all, args=(server.url, people.tokens["lab"], paths[n::LABS], answered, stop)
            )
            for n in range(LABS)
        ]
        for lab in labs:
            lab.start()
        time.sleep(draw.uniform(0.0, 2.0))
        server.kill()
        stop.set()
        for lab in labs:
            lab.join()
    assert answered or ROUNDS < 3
    store.analyse_pending(people.store)
    store.deliver_mail(people.store)
    checked = store.verify(people.store)
    assert checked.faults == [], f"seed {seed}"
    with store.reading(people.store.file) as connection:
        found = {one.sha256: one for one in store.found(connection, "1")}
        unsent = connection.execute("SELECT count(*) FROM outbox WHERE sent IS NULL").fetchone()[0]
        mails = connection.execute("SELECT count(*) FROM outbox").fetchone()[0]
    assert {sha256: {found[sha256].id} for sha256 in answered} == answered, f"seed {seed}"
    assert all(one.analysis != "pending" for one in found.values())
    assert unsent == 0 and len(list((people.store.folder / "mail").glob("*.eml"))) == mails
    for one in found.values():
        assert (one.state, one.analysis) in (("provisional", "reproduced"), ("draft", "refused"))

"""Accounts, states, findings, the log and mail of a registry."""

from __future__ import annotations

import email
import email.policy
import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
import submissions
from smtp_server import smtp_server

from iowatt.base.errors import InputError
from iowatt.registry import store, told
from iowatt.registry.access import access


def refused(expected, call, /, *values, **options):
    with pytest.raises(InputError) as caught:
        call(*values, **options)
    assert caught.value.code == expected, caught.value
    return caught.value


def later(made, days):
    """The same registry so many days later."""
    made.store = store.RegistryStore(
        made.store.folder, clock=lambda: datetime.now(UTC) + timedelta(days=days)
    )
    return made


def test_what_is_reproduced_is_provisional_for_sixty_days(provisional):
    record = provisional.record()
    assert (record.state, record.analysis, record.basis) == ("provisional", "reproduced", "modelled")
    ends = datetime.fromisoformat(record.window_ends) - datetime.fromisoformat(record.published)
    assert ends == timedelta(days=60)
    rev = provisional.account("rev")
    refused("wrong-state", store.change, provisional.store, rev, 1, "accept")
    later(provisional, 59)
    refused("wrong-state", store.change, provisional.store, rev, 1, "accept")
    later(provisional, 61)
    assert store.change(provisional.store, rev, 1, "accept").state == "accepted"
    assert store.verify(provisional.store).faults == []


def test_a_finding_that_is_not_closed_hinders(provisional):
    made, rev, lab = provisional, provisional.account("rev"), provisional.account("lab")
    raise_ = store.raise_finding
    refused("access-denied", raise_, made.store, lab, 1, code="x-y", severity="warning", text="t")
    refused("not-accepted", raise_, made.store, rev, 1, code="X", severity="warning", text="t")
    refused("not-accepted", raise_, made.store, rev, 1, code="x-y", severity="bad", text="t")
    refused("not-accepted", raise_, made.store, rev, 1, code="x-y", severity="warning", text=" ")
    refused("not-found", raise_, made.store, rev, 2, code="x-y", severity="warning", text="t")
    number = raise_(made.store, rev, 1, code="meter", severity="invalid", text="Which?").number
    other = made.account("other")
    refused("access-denied", store.answer_finding, made.store, other, number, "mine")
    refused("access-denied", store.close_finding, made.store, lab, number, "closed")
    refused("wrong-state", store.reopen_finding, made.store, rev, number, "open")
    later(made, 61)
    refused("wrong-state", raise_, made.store, rev, 1, code="late", severity="warning", text="t")
    assert "findings" in refused("wrong-state", store.change, made.store, rev, 1, "accept").place
    assert store.answer_finding(made.store, lab, number, "This one.").status == "answered"
    assert store.reopen_finding(made.store, rev, number, "Not convinced.").status == "open"
    assert store.answer_finding(made.store, lab, number, "See its log.").status == "answered"
    refused("wrong-state", store.change, made.store, rev, 1, "accept")
    assert store.close_finding(made.store, rev, number, "Good.").status == "closed"
    refused("wrong-state", store.close_finding, made.store, rev, number, "again")
    assert store.change(made.store, rev, 1, "accept").state == "accepted"
    assert store.verify(made.store).faults == []


def test_a_submission_is_withdrawn_by_its_own_submitter(provisional):
    refused("access-denied", store.change, provisional.store, provisional.account("other"), 1, "withdraw")
    refused("access-denied", store.change, provisional.store, provisional.account("rev"), 1, "withdraw")
    record = store.change(provisional.store, provisional.account("lab"), 1, "withdraw", reason="A fault.")
    assert record.state == "withdrawn"
    for action in ("accept", "publish", "withdraw"):
        who = "lab" if action == "withdraw" else "rev"
        refused("wrong-state", store.change, provisional.store, provisional.account(who), 1, action)


def test_a_submission_is_superseded_by_another_of_the_same_lab(provisional, emerald_zip, key, tmp_path):
    lab = provisional.account("lab")
    for by in (None, 1, 2):
        refused("wrong-state", store.change, provisional.store, lab, 1, "supersede", by=by)
    folder = submissions.unpacked(emerald_zip, tmp_path / "again")
    path = submissions.signed_again(folder, key, tmp_path / "again.zip", title="again")
    provisional.received(path)
    refused("wrong-state", store.change, provisional.store, lab, 1, "supersede", by=2)
    store.analyse_pending(provisional.store)
    record = store.change(provisional.store, lab, 1, "supersede", by=2)
    assert (record.state, record.superseded_by) == ("superseded", "iow-000002")
    assert store.verify(provisional.store).faults == []


def test_one_measurement_is_not_accepted_as_two_products(provisional, emerald_zip, key, tmp_path):
    folder = submissions.unpacked(emerald_zip, tmp_path / "again")
    product = {"vendor": "Example", "name": "Array 241"}
    path = submissions.signed_again(folder, key, tmp_path / "again.zip", product=product)
    provisional.received(path)
    store.analyse_pending(provisional.store)
    with store.reading(provisional.store.file) as connection:
        (finding,) = store.findings(connection, 2)
        assert store.findings(connection, 1) == []
    assert (finding.code, finding.by) == ("known-files", "registry") and "iow-000001" in finding.text
    assert store.verify(provisional.store).faults == []
    later(provisional, 61)
    rev = provisional.account("rev")
    refused("wrong-state", store.change, provisional.store, rev, 2, "accept")
    store.close_finding(provisional.store, rev, finding.number, "one array, sold under two names")
    assert store.change(provisional.store, rev, 2, "accept").state == "accepted"
    assert store.verify(provisional.store).faults == []


def test_the_same_bundle_is_one_submission(provisional, emerald_zip):
    assert provisional.received(emerald_zip).id == "iow-000001"
    refused("not-signed", provisional.received, emerald_zip, "other")
    assert list((provisional.store.incoming).iterdir()) == []


def test_a_key_that_was_taken_back_signs_nothing(people, small_zip):
    store.close_account(people.store, "lab")
    refused("access-denied", store.account_by_token, people.store, people.tokens["lab"])
    with pytest.raises(InputError) as caught:
        people.received(small_zip)
    assert caught.value.code == "not-signed"
    assert list(people.store.bundles.iterdir()) == []


def test_tokens_are_kept_as_hashes_and_keys_nowhere(people):
    raw = b"".join(
        path.read_bytes()
        for path in people.store.folder.rglob("*")
        if path.is_file() and path.name != "registry.key"
    )
    private = (people.store.folder / "registry.key").read_bytes()
    assert (people.store.folder / "registry.key").stat().st_mode & 0o077 == 0
    for secret in [*(token.encode() for token in people.tokens.values()), private.splitlines()[1]]:
        assert secret not in raw
    assert store.account_by_token(people.store, people.tokens["lab"]).name == "lab"
    old = people.tokens["lab"]
    new = store.renew_token(people.store, "lab")
    refused("access-denied", store.account_by_token, people.store, old)
    assert store.account_by_token(people.store, new).name == "lab"
    refused("access-denied", store.account_by_token, people.store, "")
    refused("access-denied", store.account_by_token, people.store, "\ud800")


def test_names_of_accounts_are_plain(people):
    for name in ("registry", "", "a b", "../x", "x" * 65):
        refused("not-accepted", store.add_account, people.store, name, "submitter")
    refused("exists", store.add_account, people.store, "lab", "reviewer")
    refused("bad-syntax", store.add_account, people.store, "x", "submitter", mail="a@b\nBcc: c@d")


def changed(made, *statements, triggers=("log_keeps", "log_stays", "submission_keeps")):
    """The database after somebody worked on it past the registry."""
    with sqlite3.connect(made.store.file) as connection:
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
    return {fault.code for fault in store.verify(made.store).faults}


def test_the_log_is_only_added_to(provisional):
    with sqlite3.connect(provisional.store.file) as connection:
        for statement in ("UPDATE log SET entry = ''", "DELETE FROM log", "DELETE FROM submissions",
                          "UPDATE submissions SET sha256 = 'x'"):  # fmt: skip
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submissions SET state = 'accepted'",
        "UPDATE submissions SET window_ends = '2020-01-01T00:00:00Z'",
        "UPDATE submissions SET public_key = (SELECT max(public_key) FROM public_keys), basis = 'measured'",
        "UPDATE submissions SET result = replace(result, '\"valid\"', '\"compliant\"')",
        "UPDATE submissions SET vendor = 'Another'",
        "UPDATE figures SET value = 2 * value",
        "UPDATE log SET entry = replace(entry, 'lab', 'bal')",
        "DELETE FROM log WHERE number = 3",
        "DELETE FROM log WHERE number = (SELECT max(number) FROM log)",
        "INSERT INTO log SELECT number + 100, entry, 'x', signature FROM log WHERE number = 1",
        "INSERT INTO findings (submission, code, severity, text, by, at, status) "
        "VALUES (1, 'x', 'warning', 'x', 'rev', 'x', 'closed')",
        "UPDATE submissions SET sha256 = substr(sha256, 2) || substr(sha256, 1, 1)",
    ],
)
def test_a_change_that_nobody_signed_is_found(provisional, statement):
    assert changed(provisional, statement)


def test_a_log_that_is_cut_is_found_by_its_known_head(provisional):
    head = store.verify(provisional.store).head
    assert store.verify(provisional.store, known_head=head).faults == []
    assert store.verify(provisional.store, known_head="0" * 64).faults


def test_a_bundle_that_was_changed_is_found(provisional):
    path = provisional.store.bundle(provisional.record().sha256)
    assert path.stat().st_mode & 0o222 == 0
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    (fault,) = store.verify(provisional.store).faults
    assert fault.place.startswith("iow-000001")
    path.unlink()
    (fault,) = store.verify(provisional.store).faults
    assert fault.code == "not-found"


def test_mail_is_sent_once(provisional):
    made, folder = provisional, provisional.store.folder / "mail"
    sent = store.deliver_mail(made.store)
    names = sorted(path.name for path in folder.iterdir())
    assert sent == len(names) == 2  # to the lab and to the reviewer
    assert store.deliver_mail(made.store) == 0
    # Killed between the file and the note of it: the same file is written again.
    with sqlite3.connect(made.store.file) as connection:
        connection.execute("UPDATE outbox SET sent = NULL WHERE number = 1")
    assert store.deliver_mail(made.store) == 1
    assert sorted(path.name for path in folder.iterdir()) == names


def test_mail_by_smtp_has_no_password_in_its_errors(provisional, monkeypatch):
    settings = provisional.store.folder / "registry.toml"
    settings.write_text('[mail]\nsender = "r@example.org"\nhost = "127.0.0.1"\nport = 9\nuser = "u"\n')
    monkeypatch.setenv("IOWATT_SMTP_PASSWORD", "hunter2")
    made = store.RegistryStore(provisional.store.folder)
    found = refused("unreachable", store.deliver_mail, made)
    assert "hunter2" not in str(found)
    with store.reading(made.file) as connection:
        assert connection.execute("SELECT count(*) FROM outbox WHERE sent IS NOT NULL").fetchone()[0] == 0


def test_mail_by_smtp_waits_until_the_server_takes_it(provisional):
    folder = provisional.store.folder
    with store.reading(provisional.store.file) as connection:
        known = connection.execute("SELECT recipient, subject FROM outbox ORDER BY number").fetchall()
    with sqlite3.connect(provisional.store.file) as connection:
        connection.execute("UPDATE outbox SET sent = NULL")
    with smtp_server("u", "right") as server:
        (folder / "registry.toml").write_text(
            f'[mail]\nsender = "r@example.org"\nhost = "127.0.0.1"\nport = {server.server_address[1]}\n'
            'security = "none"\nuser = "u"\npassword_file = "word"\n'
        )
        (folder / "word").write_text("wrong\n")
        made = store.RegistryStore(folder)
        refused("unsafe-target", store.deliver_mail, made)
        (folder / "word").chmod(0o600)
        refused("unreachable", store.deliver_mail, made)
        assert server.messages == []
        (folder / "word").write_text("right\n")
        assert store.deliver_mail(made) == len(known) > 0
        assert store.deliver_mail(made) == 0
    taken = [email.message_from_bytes(one, policy=email.policy.default) for one in server.messages]
    assert [(one["To"], one["Subject"]) for one in taken] == [tuple(one) for one in known]
    assert len({one["Message-ID"] for one in taken}) == len(taken)


def test_a_change_is_made_although_its_mail_waits(provisional):
    folder = provisional.store.folder
    (folder / "registry.toml").write_text('[mail]\nsender = "r@example.org"\nhost = "127.0.0.1"\nport = 9\n')
    entry = access(str(folder), account="operator").change("iow-000001", "withdraw", "wrong", None)
    assert entry.submission.state == "withdrawn"
    assert "127.0.0.1:9" in entry.mail_waits
    assert told.entry(entry).caveats


def test_a_change_that_fails_leaves_no_mail_and_no_entry(provisional):
    def counts():
        with store.reading(provisional.store.file) as connection:
            return [
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("log", "outbox")
            ]

    before = counts()
    refused("wrong-state", store.change, provisional.store, provisional.account("rev"), 1, "accept")
    assert counts() == before


def test_a_reviewer_publishes_where_the_operator_wants_it(people, emerald_zip):
    settings = people.store.folder / "registry.toml"
    settings.write_text(settings.read_text().replace('publish = "registry"', 'publish = "reviewer"'))
    people.store = store.RegistryStore(people.store.folder)
    people.received(emerald_zip)
    store.analyse_pending(people.store)
    assert people.record().state == "submitted"
    refused("access-denied", store.change, people.store, people.account("lab"), 1, "publish")
    assert store.change(people.store, people.account("rev"), 1, "publish").state == "provisional"


def test_what_is_no_registry_is_refused(tmp_path, people):
    refused("not-found", store.RegistryStore, tmp_path)
    refused("exists", store.create, people.store.folder, "again")
    (people.store.folder / "registry.toml").write_text('colour = "red"\n')
    refused("unknown-key", store.RegistryStore, people.store.folder)


def test_the_log_says_who_did_what(provisional):
    with store.reading(provisional.store.file) as connection:
        entries = [json.loads(row["entry"]) for row in store.log_entries(connection)]
    events = [(one["event"], one["actor"]) for one in entries if one["submission"] == 1]
    assert events == [
        ("received", "lab"), ("analysed", "registry"), ("submit", "registry"), ("publish", "registry"),
    ]  # fmt: skip


def test_a_fault_of_ours_holds_nothing_up(people, emerald_zip, small_zip, monkeypatch):
    from iowatt.registry.store import analyse

    real = analyse.analyse_apart

    def failing(folder, limits):
        if (folder / "run").exists():
            raise RuntimeError("a fault")
        return real(folder, limits)

    monkeypatch.setattr(analyse, "analyse_apart", failing)
    people.received(small_zip)
    people.received(emerald_zip)
    assert store.analyse_pending(people.store) == ["iow-000001", "iow-000002"]
    assert [one.code for one in people.findings(1)] == ["internal"]
    assert people.record(2).state == "provisional"


def test_an_account_has_so_many_waiting(people, small_zip, emerald_zip, monkeypatch):
    from iowatt.registry.store import receive

    monkeypatch.setattr(receive, "_MOST_WAITING", 1)
    people.received(small_zip)
    refused("too-many", people.received, emerald_zip)
    assert people.received(small_zip).id == "iow-000001"
    # What was not recorded is removed after a day, what was is kept.
    assert len(list(people.store.bundles.iterdir())) == 2
    people.store.sweep()
    assert len(list(people.store.bundles.iterdir())) == 2
    later(people, 2).store.sweep()
    assert [path.stem for path in people.store.bundles.iterdir()] == [people.record().sha256]

"""One measurement, one key and one bundle for all tests of the registry; a registry for each."""

from __future__ import annotations

import shutil

import pytest
import submissions

from iowatt.registry import bundle, store


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("registry")


@pytest.fixture(scope="session")
def key(place):
    return submissions.signing_key(place)


@pytest.fixture(scope="session")
def measurement(place):
    """A measurement; not to be changed."""
    return submissions.measured(place / "lab")


@pytest.fixture(scope="session")
def emerald_zip(place, measurement, key):
    """Its bundle."""
    prepared = bundle.prepare(measurement, submissions.FACETS)
    return submissions.written(prepared, key, place / "emerald.zip")


@pytest.fixture
def small_zip(tmp_path, key):
    return submissions.written(submissions.small(tmp_path / "small"), key, tmp_path / "small.zip")


class People:
    """A registry with a lab, two reviewers and another lab."""

    def __init__(self, folder, key, clock=None):
        self.store = store.create(folder, "Test registry")
        if clock is not None:
            self.store = store.RegistryStore(folder, clock=clock)
        self.tokens = {
            name: store.add_account(self.store, name, role, mail=f"{name}@example.org")
            for name, role in (("lab", "submitter"), ("other", "submitter"), ("rev", "reviewer"))
        }
        store.add_key(self.store, self.account("lab"), key.public)

    def account(self, name):
        return store.account_by_name(self.store, name)

    def received(self, path, name="lab"):
        with store.upload(self.store) as (target, file):
            file.close()
            shutil.copy(path, target)
            return store.accept(self.store, self.account(name), target)

    def record(self, number=1):
        with store.reading(self.store.file) as connection:
            return store.one(connection, number)

    def findings(self, number=1):
        with store.reading(self.store.file) as connection:
            return store.findings(connection, number)


@pytest.fixture
def people(tmp_path, key):
    return People(tmp_path / "registry", key)


@pytest.fixture(scope="session")
def published(place, key, emerald_zip):
    """A registry with one provisional result; copy it before it is changed."""
    made = People(place / "published", key)
    made.received(emerald_zip)
    assert store.analyse_pending(made.store) == ["iow-000001"]
    return made


@pytest.fixture
def provisional(published, tmp_path, key):
    """A copy of it."""
    shutil.copytree(published.store.folder, tmp_path / "registry")
    made = People.__new__(People)
    made.store = store.RegistryStore(tmp_path / "registry")
    made.tokens = published.tokens
    return made

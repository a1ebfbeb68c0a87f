"""The store of a study: an SQLite file with every sample and every job that has ended.

A job is written in a transaction of its own as soon as it ends. The file is in WAL mode with synchronous=FULL: when a
process is killed, or the machine stops, what was written is there and whole. Only the process that runs the study
writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from stablebn import __version__
from stablebn.errors import OptionError
from stablebn.study.definition import Study
from stablebn.study.jobs import Job, TimingGroup, jobs_of
from stablebn.study.record import Record, Sample, SampleOrRecord, Status, fits

# In the header of the file: it is ours ("SBNs" as a number), and how its tables are laid out.
_APPLICATION = 0x53424E73
_SCHEMA = 1

# The first columns of a job say what it is, for people and for estimates; the key alone decides. REAL is a double:
# numbers come back bit for bit.
_TABLES = """
CREATE TABLE sample (
    key TEXT PRIMARY KEY,
    network TEXT NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, nodes INTEGER NOT NULL, arcs INTEGER NOT NULL,
    identical INTEGER NOT NULL, constants INTEGER NOT NULL, empty_score REAL NOT NULL, true_score REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE job (
    key TEXT PRIMARY KEY,
    version TEXT NOT NULL, network TEXT NOT NULL, nodes INTEGER NOT NULL, rows INTEGER NOT NULL,
    recipe TEXT NOT NULL, vary TEXT NOT NULL, randomisation INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL, score REAL, extendable INTEGER, graph TEXT,
    degree REAL, precision REAL, recall REAL, f1 REAL, bsf REAL, shd REAL
) WITHOUT ROWID;
"""


_SAMPLE = ", ".join(field.name for field in fields(Sample))
# What a record tells besides what its job is.
_FOUND = [field.name for field in fields(Record) if field.name not in ("network", "rows", "learner", "randomisation")]


class Store:
    """Samples and jobs in a file.

    Parameters
    ----------
    path : Path
        Is made if it is not there.

    Raises
    ------
    OptionError
        The file is something else, is damaged or cannot be used, or was written by another version of the schema. So
        too from every method: what was written before stays as it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _opened(path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, job: Job, sample: Sample | None, record: Record) -> None:
        """Write down a job that has ended, and the sample it had; None: there was none to be had."""
        what = (__version__, *job.timing_group, " ".join(job.learner.vary), job.randomisation)
        found = [getattr(record, name) for name in _FOUND]
        with _told(self.path), self._connection:
            if sample is not None:
                self._insert("sample", (job.sample_key, *astuple(sample)))
            self._insert("job", (job.key, *what, *found))

    def statuses(self) -> dict[str, Status]:
        """How every job in the store ended, by its key."""
        statuses: dict[str, Status] = dict(self._rows("SELECT key, status FROM job"))
        return statuses

    def timings(self) -> list[tuple[TimingGroup, float]]:
        """What every job took that did not fail, in seconds."""
        rows = self._rows("SELECT network, nodes, rows, recipe, seconds FROM job WHERE status <> 'failed' ORDER BY key")
        timed = [(TimingGroup(*group), seconds) for *group, seconds in rows]
        if not all(isinstance(seconds, float) and fits(group) for group, seconds in timed):
            raise _damaged(self.path, "a time is none")
        return timed

    def samples(self, study: Study) -> list[Sample]:
        """The samples of a study that are in the store, in the order of its jobs."""
        known = self._by_key(f"SELECT key, {_SAMPLE} FROM sample")
        keys = dict.fromkeys(job.sample_key for job in jobs_of(study))
        return [self._checked(Sample(*known[key])) for key in keys if key in known]

    def records(self, study: Study) -> list[Record]:
        """The jobs of a study that are in the store, in its order and under its labels."""
        known = self._by_key(f"SELECT key, {', '.join(_FOUND)} FROM job")
        return [self._checked(_record(job, known[job.key])) for job in jobs_of(study) if job.key in known]

    def _insert(self, table: str, values: Iterable[object]) -> None:
        row = tuple(values)
        # What is there stays: a second process that runs the same study finds the same.
        self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def _by_key(self, query: str) -> dict[str, tuple[Any, ...]]:
        return {key: tuple(values) for key, *values in self._rows(query)}

    def _rows(self, query: str) -> list[Any]:
        with _told(self.path):
            return self._connection.execute(query).fetchall()

    def _checked(self, entry: SampleOrRecord) -> SampleOrRecord:
        """What was read, if it can have been written."""
        if not fits(entry):
            raise _damaged(self.path, f"there is no {entry}")
        return entry


def read_statuses_and_timings(path: Path) -> tuple[dict[str, Status], list[tuple[TimingGroup, float]]]:
    """Statuses and timings of a store, without making one where there is none."""
    if not path.exists():
        return {}, []
    with closing(Store(path)) as store:
        return store.statuses(), store.timings()


def _record(job: Job, values: tuple[Any, ...]) -> Record:
    found = dict(zip(_FOUND, values, strict=True))
    if found["extendable"] is not None:
        # SQLite has no booleans.
        found["extendable"] = bool(found["extendable"])
    return Record(job.network.name, job.rows, job.learner.label, job.randomisation, **found)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says, in our words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OptionError(
            f"the store {path} cannot be used: {error}. What it has is kept; mend that, and say the same again."
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # The second: SQLite shows the damaged text.
        raise _damaged(path, error) from error


def _damaged(path: Path, why: object) -> OptionError:
    if "not a database" in str(why):
        return OptionError(f"{path} is no store of a study ({why}). Choose another --store.")
    return OptionError(
        f"the store {path} is damaged ({why}). It is left as it is: save what can be saved with "
        f"'sqlite3 {path} .recover', or choose another --store."
    )


def _opened(path: Path) -> sqlite3.Connection:
    with _told(path):
        try:
            if path.is_dir() or not path.parent.is_dir():
                raise OptionError(f"cannot keep a store in {path}: it is a directory, or its directory does not exist.")
        except OSError as error:
            raise OptionError(f"cannot keep a store there: {error.strerror}. Choose another --store.") from None
        connection = sqlite3.connect(path, timeout=60)
        try:
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _check(path: Path, connection: sqlite3.Connection) -> None:
    application, schema = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application == 0 and tables == 0:
        _set_up(connection)
    elif application != _APPLICATION:
        raise OptionError(f"{path} is a database of another program. Choose another --store.")
    elif schema != _SCHEMA:
        raise OptionError(
            f"{path} was written by another version of stablebn (schema {schema}, here {_SCHEMA}). "
            "Choose another --store, or use that version."
        )
    else:
        # Now, and not after hours of work that could not be written down.
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise _damaged(path, " ".join(found.split()))
    connection.execute("PRAGMA synchronous = FULL")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # All or nothing: a store is never half made.
    connection.executescript(
        f"BEGIN EXCLUSIVE; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_SCHEMA}; {_TABLES} COMMIT;"
    )

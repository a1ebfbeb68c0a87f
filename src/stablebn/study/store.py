"""Store the samples and the finished jobs of a study in an SQLite file.

Each job is written in its own transaction as soon as it ends. The file is in WAL mode with synchronous=FULL: if a
process is killed or the machine stops, all transactions before are intact. Only the process that runs the study writes.
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

# The header of the file identifies it as a store ("SBNs" as a number) and gives the version of its tables.
_APPLICATION = 0x53424E73
_SCHEMA = 1

# The first columns describe a job for readers and for estimates; the key alone identifies it. REAL is a double, so
# numbers are read back exactly.
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
# The fields of a record that describe the outcome, not the job.
_OUTCOME_FIELDS = [
    field.name for field in fields(Record) if field.name not in ("network", "rows", "learner", "randomisation")
]


class Store:
    """The samples and the finished jobs in a file.

    Parameters
    ----------
    path : Path
        Created if it does not exist.

    Raises
    ------
    OptionError
        The file is no store, is damaged or cannot be used, or has another version of the tables. All methods can raise
        it too; what was written before stays unchanged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _opened(path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, job: Job, sample: Sample | None, record: Record) -> None:
        """Write a finished job and its sample (None if it could not be drawn)."""
        description = (__version__, *job.timing_group, " ".join(job.learner.vary), job.randomisation)
        outcome = [getattr(record, name) for name in _OUTCOME_FIELDS]
        with _sqlite_errors(self.path), self._connection:
            if sample is not None:
                self._insert("sample", (job.sample_key, *astuple(sample)))
            self._insert("job", (job.key, *description, *outcome))

    def statuses(self) -> dict[str, Status]:
        """Return how every job in the store ended, by its key."""
        statuses: dict[str, Status] = dict(self._rows("SELECT key, status FROM job"))
        return statuses

    def timings(self) -> list[tuple[TimingGroup, float]]:
        """Return the seconds of every job that did not fail."""
        rows = self._rows("SELECT network, nodes, rows, recipe, seconds FROM job WHERE status <> 'failed' ORDER BY key")
        timed = [(TimingGroup(*group), seconds) for *group, seconds in rows]
        if not all(isinstance(seconds, float) and fits(group) for group, seconds in timed):
            raise _damaged(self.path, "a time is not a number")
        return timed

    def samples(self, study: Study) -> list[Sample]:
        """Return the samples of a study that are in the store, in the order of its jobs."""
        known = self._by_key(f"SELECT key, {_SAMPLE} FROM sample")
        keys = dict.fromkeys(job.sample_key for job in jobs_of(study))
        return [self._checked(Sample(*known[key])) for key in keys if key in known]

    def records(self, study: Study) -> list[Record]:
        """Return the jobs of a study that are in the store, in its order and with its labels."""
        known = self._by_key(f"SELECT key, {', '.join(_OUTCOME_FIELDS)} FROM job")
        return [self._checked(_record(job, known[job.key])) for job in jobs_of(study) if job.key in known]

    def _insert(self, table: str, values: Iterable[object]) -> None:
        row = tuple(values)
        # Existing rows stay: a second process that runs the same study writes equal ones.
        self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def _by_key(self, query: str) -> dict[str, tuple[Any, ...]]:
        return {key: tuple(values) for key, *values in self._rows(query)}

    def _rows(self, query: str) -> list[Any]:
        with _sqlite_errors(self.path):
            return self._connection.execute(query).fetchall()

    def _checked(self, entry: SampleOrRecord) -> SampleOrRecord:
        """Return an entry that was read, or raise if its types are wrong."""
        if not fits(entry):
            raise _damaged(self.path, f"impossible entry {entry}")
        return entry


def read_statuses_and_timings(path: Path) -> tuple[dict[str, Status], list[tuple[TimingGroup, float]]]:
    """Read the statuses and timings of a store; do not create the file if it does not exist."""
    if not path.exists():
        return {}, []
    with closing(Store(path)) as store:
        return store.statuses(), store.timings()


def _record(job: Job, values: tuple[Any, ...]) -> Record:
    fields = dict(zip(_OUTCOME_FIELDS, values, strict=True))
    if fields["extendable"] is not None:
        # SQLite has no booleans.
        fields["extendable"] = bool(fields["extendable"])
    return Record(job.network.name, job.rows, job.learner.label, job.randomisation, **fields)


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    """Raise the errors of SQLite as `OptionError`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OptionError(
            f"the store {path} cannot be used: {error}. Its jobs are kept: fix the cause, then run the same again."
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # UnicodeDecodeError: SQLite returns the damaged text.
        raise _damaged(path, error) from error


def _damaged(path: Path, why: object) -> OptionError:
    if "not a database" in str(why):
        return OptionError(f"{path} is no store of a study ({why}). Choose another --store.")
    return OptionError(
        f"the store {path} is damaged ({why}). It is not changed: recover what is left with "
        f"'sqlite3 {path} .recover', or choose another --store."
    )


def _opened(path: Path) -> sqlite3.Connection:
    with _sqlite_errors(path):
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
        # Check now: otherwise a damaged file is noticed after hours of work, which could not be stored.
        (report,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if report != "ok":
            raise _damaged(path, " ".join(report.split()))
    connection.execute("PRAGMA synchronous = FULL")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # One transaction, so that a store is never incomplete.
    connection.executescript(
        f"BEGIN EXCLUSIVE; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_SCHEMA}; {_TABLES} COMMIT;"
    )

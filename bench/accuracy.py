"""Compare the accuracy of our algorithms and of other packages on tables with a known graph.

Usage: python -m bench.accuracy [--groups ...] [--systems ...] [--seeds ...] [--ours 'LABEL: option=value'] [--quick]

Run it in the root of the repository. It writes docs/accuracy-table.md. Every result is a line of OUT/*.jsonl; what is
there already is not run again.
Packages that are not installed are left out. Tetrad is a Java program: see docs/accuracy.md for --tetrad and --java.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import logging
import os
import platform
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from bench.accuracy_report import page
from bench.accuracy_tables import GROUPS, Table, draw, half, table_id
from bench.accuracy_worker import SYSTEMS

import stablebn as sb

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "accuracy"
PAGE = ROOT / "docs" / "accuracy-table.md"
KINDS = ("continuous", "categorical", "mixed")
GIVE_UP = 3
"""Tables of a group that a program did not finish, after which it does not get the others."""
PATIENCE = 8
"""Seconds of waiting for a second of the limit: other programs may use the machine too."""
QUICK = ("gaussian-2", "nonlinear-2", "categorical-2-500", "mixed-6")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class System:
    """A program and its options.

    Attributes
    ----------
    label : str
        Its name in the results.
    kinds : tuple of str
        Tables that it takes.
    command : tuple of str
        Starts its worker.
    version : str
        Results of another version are not used.
    text : bool
        Whether the worker reads tables as text and not as .npz files.
    """

    label: str
    kinds: tuple[str, ...]
    command: tuple[str, ...]
    version: str
    text: bool = False


@dataclass
class Result:
    """What a program made of a table.

    `outcome` is "ok", "time limit", "not tried" (as too many tables of the group were not finished) or an error. BIC
    is our score of the graph per row, "dg" for mixed tables; SID needs a DAG and the package gadjid.
    """

    table: str
    group: str
    half: str
    system: str
    version: str
    outcome: str
    cpu: float | None = None
    f1: float | None = None
    shd: int | None = None
    skeleton_f1: float | None = None
    sid: int | None = None
    bic: float | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the result."""
        return self.table, self.system, self.version


PEERS: dict[str, tuple[str, ...]] = {
    "flopsearch": ("continuous",),
    "xges": ("continuous",),
    "pybnesian hc": KINDS,
    "pyagrum tabu": ("categorical",),
    "pyagrum hc": ("categorical",),
    "pyagrum miic": ("categorical",),
    "causal-learn boss": ("continuous", "categorical"),
    "causal-learn grasp": ("continuous",),
    "pgmpy hc": ("continuous", "categorical"),
}
TETRAD: dict[str, tuple[str, ...]] = {
    "tetrad boss sem-bic": ("continuous",),
    "tetrad fges sem-bic": ("continuous",),
    "tetrad boss bf-bic": ("continuous", "mixed"),
    "tetrad boss discrete-bic": ("categorical",),
    "tetrad boss bdeu": ("categorical",),
    "tetrad fges bdeu": ("categorical",),
    "tetrad boss dg-bic": ("mixed",),
    "tetrad boss cg-bic": ("mixed",),
}
OURS = (
    "stablebn: ",
    "tabu-stable bic: algorithm=tabu-stable, score=bic",
    "best bic: algorithm=best, score=bic",
    "best bic size @continuous,categorical: algorithm=best, score=bic, prior=size",
    "best qnml @categorical: algorithm=best, score=qnml",
    "best bde @categorical: algorithm=best, score=bde",
    "best basis size @continuous,mixed: algorithm=best, score=basis, prior=size",
    "best dg size @mixed: algorithm=best, score=dg, prior=size",
    "best adaptive size @mixed: algorithm=best, score=adaptive, prior=size",
)
"""Our configurations: a label, the kinds of tables after @, and options of `sb.learn`."""


def ours(text: str, version: str) -> System:
    """Read a configuration of ours: 'LABEL [@KIND,...]: option=value, ...'."""
    head, _, tail = text.partition(":")
    label, _, kinds = head.partition("@")
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in tail.split(","))):
        name, _, value = part.partition("=")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except (SyntaxError, ValueError):
            options[name.strip()] = value.strip()
    taken = tuple(kind.strip() for kind in kinds.split(",")) if kinds else KINDS
    command = (*_python_worker("stablebn", taken), json.dumps(options))
    return System(label.strip(), taken, command, version)


def systems(configurations: Iterable[str], our_version: str, tetrad: str | None, java: str) -> list[System]:
    """Every program that is installed, and our configurations."""
    found = [ours(text, our_version) for text in configurations]
    for label, kinds in PEERS.items():
        with contextlib.suppress(PackageNotFoundError):
            found.append(System(label, kinds, _python_worker(label, kinds), version(SYSTEMS[label][0])))
    if tetrad is not None:
        jar = next((part for part in tetrad.split(os.pathsep) if "tetrad-lib" in part), tetrad)
        for label, kinds in TETRAD.items():
            command = (java, "-XX:ActiveProcessorCount=1", "-cp", tetrad, "AccuracyTetrad", *label.split()[1:])
            found.append(System(label, kinds, command, Path(jar).stem, text=True))
    return found


def _python_worker(system: str, kinds: Sequence[str]) -> tuple[str, ...]:
    return (sys.executable, str(ROOT / "bench" / "accuracy_worker.py"), system, ",".join(kinds))


class UnansweredError(Exception):
    """A program did not answer; the message is the outcome."""


class Worker:
    """A process of one program, which learns one table after the other."""

    def __init__(self, system: System, log: BinaryIO) -> None:
        self._process = subprocess.Popen(
            system.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=_one_thread()
        )
        self._unread = b""
        self._answer(600.0)

    def learn(self, path: Path, limit: float) -> dict[str, Any]:
        """Return the answer for a table; raise `UnansweredError` if there is none in `limit` CPU seconds."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{path}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise UnansweredError("crash") from error
        return self._answer(limit)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _answer(self, limit: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        began, used = time.monotonic(), self._cpu()
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._process.stdout], [], [], 0.5)
            if ready:
                text = os.read(self._process.stdout.fileno(), 1 << 16)
                if not text:
                    raise UnansweredError("crash")
                self._unread += text
            elif self._cpu() - used > limit or time.monotonic() - began > PATIENCE * limit:
                raise UnansweredError("time limit")
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _cpu(self) -> float:
        """CPU seconds of the process; 0 where the system does not say."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def _one_thread() -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1")}


@dataclass
class Cache:
    """Files of the tables, as workers read them."""

    folder: Path
    _locks: dict[str, threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def table(self, group: str, label: str, seed: int) -> Table:
        """Return a table, drawn only if it is not in the folder."""
        key = table_id(group, label, seed)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            path = self.path(key, text=False)
            if not path.exists():
                table = draw(group, label, seed=seed)
                _write(table, path)
                return table
        with np.load(path) as stored:
            names = stored["names"].tolist()
            arcs = [(names[u], names[v]) for u, v in stored["arcs"].tolist()]
            data = _arrow(stored["values"], stored["levels"], names)
        return Table(group, label, seed, data, sb.DAG(names, arcs))

    def path(self, key: str, *, text: bool) -> Path:
        """Return the file of a table for workers; the text file is made from the other one."""
        path = self.folder / f"{key.replace('/', '_')}.npz"
        if not text:
            return path
        with self._lock:
            return _write_text(path, path.with_suffix(".txt"))


def _write(table: Table, path: Path) -> None:
    place = {name: v for v, name in enumerate(table.data.column_names)}
    columns, levels = [], []
    for column in table.data.columns:
        if pa.types.is_dictionary(column.type):
            # Codes in the order of the names of the levels: the same for every program.
            column = column.cast(pa.string())
            occurring = sorted(column.unique().to_pylist())
            code = {name: number for number, name in enumerate(occurring)}
            columns.append(np.array([code[name] for name in column.to_pylist()], dtype=np.float64))
            levels.append(len(occurring))
        else:
            columns.append(column.to_numpy())
            levels.append(0)
    values = np.column_stack(columns)
    arcs = np.array([(place[u], place[v]) for u, v in table.truth.arcs], dtype=np.int64).reshape(-1, 2)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    with unfinished.open("wb") as file:
        np.savez(
            file,
            values=values.astype(np.int16) if all(levels) else values,
            levels=np.array(levels),
            names=np.array(table.data.column_names),
            arcs=arcs,
        )
    unfinished.replace(path)


def _write_text(path: Path, target: Path) -> Path:
    if not target.exists():
        with np.load(path) as stored:
            lines = [str(len(stored["values"])), " ".join(map(str, stored["levels"].tolist()))]
            lines += [" ".join(map(repr, row)) for row in stored["values"].tolist()]
        target.write_text("\n".join(lines) + "\n")
    return target


def _arrow(values: Any, levels: Any, names: list[str]) -> pa.Table:
    from bench.accuracy_worker import Input, arrow

    table: pa.Table = arrow(Input(values.astype(np.float64), levels, names))
    return table


def measure(result: Result, answer: dict[str, Any], table: Table) -> None:
    """Compare the graph of an answer with the true one."""
    names = table.data.column_names
    result.outcome, result.cpu = "ok", answer["cpu"]
    learned = sb.PDAG(
        names,
        [(names[u], names[v]) for u, v in answer["directed"]],
        [(names[u], names[v]) for u, v in answer["undirected"]],
    )
    dag = learned.extension()
    if dag is None:
        # No DAG belongs to it: its edges as they stand.
        compared = sb.compare(learned, table.truth.cpdag(), as_cpdag=False)
    else:
        compared = sb.compare(dag, table.truth)
        score = "dg" if GROUPS[table.group].kind == "mixed" else "bic"
        with contextlib.suppress(sb.StableBNError):
            result.bic = sb.score(dag, table.data, score).total / table.data.num_rows
        with contextlib.suppress(ImportError, sb.StableBNError):
            result.sid = sb.compare(dag, table.truth, sid=True).sid
    result.f1, result.shd, result.skeleton_f1 = compared.f1, compared.shd, compared.skeleton.f1


class Run:
    """Runs programs on tables, and appends every result to a file."""

    def __init__(self, out: Path, limit: float) -> None:
        self._limit = limit
        self._cache = Cache(out / "tables")
        self._file = out / f"{platform.node() or 'results'}.jsonl"
        self._log = (out / "workers.log").open("ab")
        self._lock = threading.Lock()
        self._known = {result.key for result in read(out)}
        self._unfinished: Counter[tuple[str, str]] = Counter()
        self._mine = threading.local()
        self._workers: list[Worker] = []

    def one(self, system: System, group: str, label: str, seed: int) -> None:
        """Let a program learn a table, unless there is a result."""
        result = Result(table_id(group, label, seed), group, half(seed), system.label, system.version, "not tried")
        if result.key in self._known:
            return
        if self._unfinished[group, system.label] < GIVE_UP:
            try:
                table = self._cache.table(group, label, seed)
            except FileNotFoundError as error:
                logger.warning("skipped %s: %s", result.table, error)
                return
            self._try(result, system, table)
        with self._lock:
            self._unfinished[group, system.label] += result.outcome in ("time limit", "crash")
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")
        logger.info("%s: %s: %s, F1 %s, %s s", result.table, system.label, result.outcome, result.f1, result.cpu)

    def _try(self, result: Result, system: System, table: Table) -> None:
        try:
            answer = self._worker(system).learn(self._cache.path(table.id, text=system.text), self._limit)
        except UnansweredError as error:
            self._drop()
            result.outcome, result.cpu = str(error), self._limit
        else:
            if "error" in answer:
                result.outcome, result.cpu = answer["error"], answer["cpu"]
            else:
                try:
                    measure(result, answer, table)
                except sb.GraphError as error:
                    # Such as a directed cycle.
                    result.outcome = f"GraphError: {error}"[:200]

    def _worker(self, system: System) -> Worker:
        """The process of this thread; one program at a time."""
        if getattr(self._mine, "label", None) != system.label:
            self._drop()
            self._mine.worker, self._mine.label = Worker(system, self._log), system.label
            with self._lock:
                self._workers.append(self._mine.worker)
        worker: Worker = self._mine.worker
        return worker

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.close()

    def _drop(self) -> None:
        """End the process of this thread."""
        worker = getattr(self._mine, "worker", None)
        if worker is not None:
            worker.close()
            with self._lock:
                self._workers.remove(worker)
        self._mine.worker = self._mine.label = None


def read(out: Path) -> list[Result]:
    """Return all results of a folder in the order in which they were written."""
    return [
        Result(**json.loads(line)) for path in sorted(out.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]


def tasks(chosen: Sequence[System], groups: Sequence[str], seeds: Sequence[int] | None) -> Iterator[tuple[Any, ...]]:
    """Yield (program, group, label, seed): program by program, so that a process serves many tables."""
    for system, group in product(chosen, groups):
        if GROUPS[group].kind in system.kinds:
            wanted = GROUPS[group].seeds if seeds is None else seeds
            for seed, label in product(wanted, GROUPS[group].labels):
                yield system, group, label, seed


def our_version() -> str:
    """Return the version, and the commit of the sources where git knows it."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%h", "--", "src"]
    commit = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return f"{sb.__version__} {commit}".strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", nargs="+", choices=GROUPS, help="default: all but the large ones")
    parser.add_argument("--systems", nargs="+", help="labels, or beginnings of labels; default: all")
    parser.add_argument("--seeds", nargs="+", type=int, help="default: those of the group")
    parser.add_argument("--ours", action="append", help="a configuration: 'LABEL @KINDS: option=value, ...'")
    parser.add_argument("--version", help="the version that our results get; default: version and commit")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds per table")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--tetrad", help="class path with tetrad-lib and the compiled AccuracyTetrad")
    parser.add_argument("--java", default="java")
    parser.add_argument("--quick", action="store_true", help="two seeds of four groups")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("stablebn").setLevel(logging.ERROR)

    options.out.mkdir(parents=True, exist_ok=True)
    groups = options.groups or [
        name for name in (QUICK if options.quick else GROUPS) if options.quick or not GROUPS[name].large
    ]
    seeds = options.seeds or ((0, 1) if options.quick else None)
    found = systems(options.ours or OURS, options.version or our_version(), options.tetrad, options.java)
    chosen = [s for s in found if not options.systems or s.label.startswith(tuple(options.systems))]
    if not options.report:
        run = Run(options.out, options.limit)
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda task: run.one(*task), tasks(chosen, groups, seeds)))
        run.close()
    options.page.write_text(page([asdict(result) for result in read(options.out)]), encoding="utf-8")


if __name__ == "__main__":
    main()

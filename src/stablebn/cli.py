"""The command line: first the answer, then what to worry about, then how to see more."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stablebn.errors import OptionError, StableBNError

if TYPE_CHECKING:
    from stablebn.data import Kind
    from stablebn.result import Result
    from stablebn.study.definition import Study
    from stablebn.study.jobs import Job
    from stablebn.study.record import Record
    from stablebn.study.store import Store

app = typer.Typer(
    help="Learn Bayesian networks: one table, one graph.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Format(str, Enum):
    """How a graph is written."""

    json = "json"
    dot = "dot"
    csv = "csv"
    graphml = "graphml"


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Learn Bayesian networks: one table, one graph."""
    if version:
        from stablebn import __version__

        typer.echo(f"stablebn {__version__}")
        raise typer.Exit


@app.command()
def learn(
    data: Annotated[Path, typer.Argument(help="A CSV, CSV.gz, Parquet or Feather file.")],
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            help="tabu-stable, hc-stable, tabu, hc, and -dec or -inc forms; pc-stable, gs, inter-iamb, mmhc, h2pc.",
        ),
    ] = "tabu-stable",
    score: Annotated[
        str,
        typer.Option("--score", "-s", help="bic, aic, loglik; bde, bds, k2 (categorical); bge (continuous)."),
    ] = "bic",
    k: Annotated[float, typer.Option(help="Multiplier of the penalty of bic and aic.")] = 1.0,
    iss: Annotated[float, typer.Option(help="Imaginary sample size of bde and bds.")] = 1.0,
    tabu: Annotated[int | None, typer.Option(help="Length of the tabu list; by default 10.")] = None,
    noinc: Annotated[
        int | None, typer.Option(help="Moves without improvement that are tolerated; by default as --tabu.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="Most parents of a variable.")] = None,
    max_iter: Annotated[int | None, typer.Option(help="Most steps of a search.")] = None,
    order_search: Annotated[
        str | None, typer.Option(help="Search for the stable order: hc (the default) or tabu.")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            help="Test of independence: mi, mi-adf, x2 (categorical); cor, zf, mi-g (continuous); by default mi, cor."
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="P-value above which a test says independent; by default 0.05.")
    ] = None,
    max_condition: Annotated[int | None, typer.Option(help="Most variables to condition on in a test.")] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Of tests and fges: stable (the default), or given, the order of the columns."),
    ] = None,
    faithfulness: Annotated[
        bool | None, typer.Option(help="fges: at first join only variables that depend on each other by themselves.")
    ] = None,
    max_time: Annotated[float | None, typer.Option(help="Seconds after which the search returns what it has.")] = None,
    unit_free: Annotated[
        bool, typer.Option("--unit-free", help="Continuous data: an order that units cannot change.")
    ] = False,
    continuous: Annotated[list[str] | None, typer.Option(help="A column that is a number; repeat for more.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="A column that is a category; repeat for more.")] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, drop (the row) or level.")] = "error",
    duplicates: Annotated[str, typer.Option(help="Identical columns: keep, merge or error.")] = "keep",
    weights: Annotated[str | None, typer.Option(help="The column of row weights.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads, by default one a core; the answer is the same.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the graph to this file.")] = None,
    format: Annotated[  # noqa: A002
        Format | None,
        typer.Option("--format", "-f", help="By default from the ending of --out, else json."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Write every step of the search to this file (.json or .csv).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Learn a graph from a table."""
    from stablebn.output import check_free, write_atomically

    wanted = format or _format_of(out)
    for path in (out, trace):
        if path is not None:
            check_free(path, force=force)

    from stablebn import api
    from stablebn.learners import LEARNERS

    with _working(quiet=quiet) as watch:
        result = api.learn(
            data,
            algorithm,
            score,
            k=k,
            iss=iss,
            tabu=tabu,
            noinc=noinc,
            max_parents=max_parents,
            max_iter=max_iter,
            order_search=order_search,
            test=test,
            alpha=alpha,
            max_condition=max_condition,
            order=order,
            faithfulness=faithfulness,
            max_time=max_time,
            unit_free=unit_free,
            kinds=_kinds(continuous, categorical),
            missing=missing,
            duplicates=duplicates,
            weights=weights,
            threads=threads,
            progress=watch,
        )
    written = []
    if out is not None:
        write_atomically(out, _graph_text(result, wanted), force=force)
        written.append(str(out))
    if trace is not None:
        write_atomically(
            trace, result.trace.to_csv() if trace.suffix == ".csv" else result.trace.to_json(), force=force
        )
        written.append(str(trace))
    if not quiet:
        typer.echo(
            result.summary(LEARNERS[algorithm].title) + (f"  Written to {' and '.join(written)}." if written else "")
        )
        if out is None:
            edges = [f"  {u} -> {v}" for u, v in result.arcs] + [f"  {u} -- {v}" for u, v in result.undirected]
            typer.echo("\n".join(edges))


@app.command()
def score(
    graph: Annotated[Path, typer.Argument(help="A graph or network file.")],
    data: Annotated[Path, typer.Argument(help="A CSV, CSV.gz, Parquet or Feather file.")],
    score: Annotated[str, typer.Option("--score", "-s", help="As in `learn`.")] = "bic",
    k: Annotated[float, typer.Option(help="Multiplier of the penalty of bic and aic.")] = 1.0,
    iss: Annotated[float, typer.Option(help="Imaginary sample size of bde and bds.")] = 1.0,
    continuous: Annotated[list[str] | None, typer.Option(help="A column that is a number; repeat for more.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="A column that is a category; repeat.")] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, drop (the row) or level.")] = "error",
    weights: Annotated[str | None, typer.Option(help="The column of row weights.")] = None,
    by_node: Annotated[bool, typer.Option("--by-node", help="List every node's part.")] = False,
) -> None:
    """Score a graph against a table, and the parameters too if the file has them."""
    from stablebn import api
    from stablebn.networks.formats import has_parameters, read_graph_file, read_network_file

    with _working(quiet=False):
        found = api.score(
            read_graph_file(graph),
            data,
            score,
            k=k,
            iss=iss,
            kinds=_kinds(continuous, categorical),
            missing=missing,
            weights=weights,
        )
    typer.echo(f"{score.upper()} {found.total!r}")
    if by_node:
        typer.echo("\n".join(f"  {name}  {part!r}" for name, part in found.by_node.items()))
    if has_parameters(graph):
        likelihood = read_network_file(graph).log_likelihood(data, missing=missing, weights=weights)
        typer.echo(f"Log-likelihood of these rows with the file's parameters {likelihood!r}")


@app.command()
def compare(
    learned: Annotated[str, typer.Argument(help="A graph or network file, or a name from `stablebn networks`.")],
    true: Annotated[str, typer.Argument(help="The one to compare with.")],
    as_they_are: Annotated[bool, typer.Option("--as-they-are", help="Compare the arcs, not the CPDAGs.")] = False,
    fail_under: Annotated[float | None, typer.Option(help="Exit with code 1 if F1 is below this.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write all figures to this JSON file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Compare two graphs: all metrics, and every edge that differs."""
    from stablebn.graph import compare as compare_graphs
    from stablebn.networks import read_graph
    from stablebn.output import write_atomically

    found = compare_graphs(read_graph(learned), read_graph(true), as_cpdag=not as_they_are)
    typer.echo(str(found))
    if out is not None:
        figures = {**asdict(found), "edges": [edge._asdict() for edge in found.edges]}
        write_atomically(out, json.dumps(figures, indent=1, default=str) + "\n", force=force)
    if fail_under is not None and found.f1 < fail_under:
        typer.echo(f"F1 {found.f1:.4f} is below {fail_under}.", err=True)
        raise typer.Exit(1)


@app.command()
def stability(
    data: Annotated[Path, typer.Argument(help="A CSV, CSV.gz, Parquet or Feather file.")],
    algorithm: Annotated[str, typer.Option("--algorithm", "-a", help="As in `learn`.")] = "tabu",
    repeats: Annotated[int, typer.Option(help="How many layouts; the first is the table as given.")] = 25,
    vary: Annotated[
        str,
        typer.Option(help="What differs between layouts: columns, rows, names, levels, units, threads, hash."),
    ] = "columns,rows,names",
    seed: Annotated[int, typer.Option(help="The same seed gives the same layouts.")] = 0,
    truth: Annotated[
        str | None, typer.Option(help="The true graph: a file, or a name from `stablebn networks`.")
    ] = None,
    score: Annotated[str, typer.Option("--score", "-s", help="As in `learn`.")] = "bic",
    k: Annotated[float, typer.Option(help="Multiplier of the penalty of bic and aic.")] = 1.0,
    iss: Annotated[float, typer.Option(help="Imaginary sample size of bde and bds.")] = 1.0,
    test: Annotated[str | None, typer.Option(help="Test of independence, as in `learn`.")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="P-value above which a test says independent; by default 0.05.")
    ] = None,
    order: Annotated[str | None, typer.Option(help="Of tests and fges: stable (the default) or given.")] = None,
    unit_free: Annotated[
        bool, typer.Option("--unit-free", help="Continuous data: an order that units cannot change.")
    ] = False,
    continuous: Annotated[list[str] | None, typer.Option(help="A column that is a number; repeat for more.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="A column that is a category; repeat for more.")] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, drop (the row) or level.")] = "error",
    duplicates: Annotated[str, typer.Option(help="Identical columns: keep, merge or error.")] = "keep",
    weights: Annotated[str | None, typer.Option(help="The column of row weights.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write all figures (.json), or the edges (.csv).")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw edges and scores: a .png, .svg or .pdf file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Find out how much of a learner's answer the layout of the table decides."""
    from stablebn import audit
    from stablebn.audit.picture import check_drawable
    from stablebn.output import check_free, write_atomically

    for path in (out, plot):
        if path is not None:
            check_free(path, force=force)
    if out is not None and out.suffix.lower() not in (".json", ".csv"):
        raise OptionError(f"--out {out}: what is {out.suffix}? Its name must end in .json or .csv.")
    if plot is not None:
        check_drawable(plot)

    with _counting(repeats, "layouts", quiet=quiet) as watch:
        found = audit.stability(
            data,
            algorithm,
            repeats=repeats,
            vary=[part.strip() for part in vary.split(",") if part.strip()],
            seed=seed,
            truth=truth,
            progress=watch,
            score=score,
            k=k,
            iss=iss,
            test=test,
            alpha=alpha,
            order=order,
            unit_free=unit_free,
            kinds=_kinds(continuous, categorical),
            missing=missing,
            duplicates=duplicates,
            weights=weights,
        )
    if out is not None:
        write_atomically(out, found.to_csv() if out.suffix.lower() == ".csv" else found.to_json(), force=force)
    if plot is not None:
        found.plot(plot, force=force)
    if not quiet:
        typer.echo(found.summary())
        written = [str(path) for path in (out, plot) if path is not None]
        if written:
            typer.echo(f"Written to {' and '.join(written)}.")


@app.command()
def study(
    definition: Annotated[
        str, typer.Argument(metavar="paper|FILE", help="The paper's study, or a TOML file of yours.")
    ],
    folders: Annotated[
        list[Path] | None, typer.Option("--networks", help="A folder with networks, to look in first; repeat for more.")
    ] = None,
    store: Annotated[Path | None, typer.Option(help="Where outcomes are kept; by default NAME.sqlite.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A folder; by default NAME-study.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Run in so many processes of this machine.")] = None,
    dask: Annotated[str | None, typer.Option(help="Run on the Dask cluster with this address.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the part that the study calls quick.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do, and how long it takes.")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Run nothing; write tables of what is there.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Run nothing; draw figures of what is there.")] = False,
    published: Annotated[
        Path | None, typer.Option(help="A JSON file of published numbers, to stand beside ours in tables.")
    ] = None,
) -> None:
    """Run a study: learners by networks by sample sizes by layouts. What was run before is not run again."""
    from stablebn.study.definition import read_study
    from stablebn.study.jobs import jobs_of
    from stablebn.study.running import check_workers
    from stablebn.study.store import Store
    from stablebn.study.telling import outcome

    check_workers(jobs, dask)
    planned = read_study(definition, quick=quick, directories=folders or [])
    path = store or Path(f"{planned.name}.sqlite")
    if dry_run:
        _show_plan(planned, path, jobs)
        return
    if (tables or figures) and not path.exists():
        raise OptionError(f"there is no store {path} yet. Run the study first, without --tables and --figures.")
    with closing(Store(path)) as kept:
        if not tables and not figures:
            _run_study(planned, kept, jobs, dask)
        for line in outcome(kept.records(planned), jobs_of(planned), path):
            typer.echo(line)
        if not tables and not figures:
            typer.echo("For tables and figures say the same again with --tables --figures.")
            return
        from stablebn.study.reporting import write_figures, write_tables

        folder = out or Path(f"{planned.name}-study")
        samples, records = kept.samples(planned), kept.records(planned)
        written = []
        if tables:
            drawn_from = {name: source.network for name, source in planned.sources.items()}
            written += write_tables(
                planned.name,
                samples,
                records,
                folder,
                metrics=planned.metrics,
                networks=drawn_from,
                published=published,
            )
        if figures:
            written += write_figures(planned.name, samples, records, folder, published=published)
        typer.echo(f"{len(set(written))} files written to {folder}.")


def _show_plan(planned: Study, path: Path, jobs: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from stablebn.stats.threads import cores
    from stablebn.study.estimate import Estimate, Remaining, in_words
    from stablebn.study.jobs import jobs_of
    from stablebn.study.store import look_into
    from stablebn.study.telling import plan

    known, timings = look_into(path)
    sentence, (head, *rows) = plan(planned, known)
    typer.echo(sentence)
    table = Table(head[0], box=None)
    for column in head[1:]:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    to_do = [job for job in jobs_of(planned) if job.key not in known]
    if to_do:
        workers = jobs or cores()
        left = Remaining(to_do, Estimate(timings), workers).seconds()
        typer.echo(
            f"About {in_words(left)}, {workers} jobs at a time{'' if timings else ' (a guess: nothing was run yet)'}."
        )


def _run_study(planned: Study, kept: Store, jobs: int | None, dask: str | None) -> None:
    from stablebn.study.estimate import Estimate, Remaining, in_words
    from stablebn.study.running import hire, missing_jobs, run

    to_do = missing_jobs(planned, kept)
    if not to_do:
        return
    began = time.monotonic()
    try:
        workers = hire(jobs, dask)
        remaining = Remaining(to_do, Estimate(kept.timings()), workers.size)
        with _bar(len(to_do), "jobs", quiet=False, told=True) as update:

            def progress(job: Job, record: Record) -> None:
                remaining.ended(job, record.seconds)
                if update is not None:
                    update(advance=1, left=in_words(remaining.seconds()))

            run(to_do, workers, kept, progress)
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. What has ended is in {kept.path}: the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"Ran {len(to_do):,} jobs in {in_words(time.monotonic() - began)}, {workers.size} at a time.")


@app.command()
def networks(
    folders: Annotated[
        list[Path] | None, typer.Option("--networks", help="A folder to look in first; repeat for more.")
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Read each one and count.")] = False,
) -> None:
    """List the networks that can be named, and where they come from."""
    from rich.console import Console
    from rich.table import Table

    from stablebn.networks import known_networks, read_network

    table = Table("name", "from", "file", *(("nodes", "arcs", "parameters") if details else ()), box=None)
    named = set()
    for entry in known_networks(folders or []):
        label = entry.name if entry.name not in named else f"({entry.name})"
        named.add(entry.name)
        counts: tuple[str, ...] = ()
        if details:
            network = read_network(entry.path or entry.name, normalise=True)
            counts = (f"{len(network):,}", f"{len(network.arcs):,}", f"{network.free_parameters:,}")
        table.add_row(label, entry.source, "" if entry.path is None else entry.path.name, *counts)
    # As wide as it needs to be: a name cut short cannot be used.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


@app.command()
def sample(
    network: Annotated[str, typer.Argument(help="A name from `stablebn networks`, or a file.")],
    n: Annotated[int, typer.Option("-n", help="Number of rows.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rows, on every machine.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .csv, .csv.gz, .parquet or .feather file.")] = None,
    folders: Annotated[
        list[Path] | None, typer.Option("--networks", help="A folder to look in first; repeat for more.")
    ] = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Rescale probabilities to sum to 1.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Draw rows from a network; without --out they are printed as CSV."""
    from stablebn.networks import read_network
    from stablebn.networks.tables import write_table
    from stablebn.output import check_free, whole_file

    if out is not None:
        check_free(out, force=force)
    source = read_network(network, directories=folders or [], normalise=normalise)
    table = source.sample(n, seed=seed)
    if out is None:
        write_table(table, sys.stdout.buffer, ".csv")
        return
    with whole_file(out, force=force) as temporary:
        write_table(table, temporary, out.name)
    typer.echo(f"Drew {n:,} rows of {len(source)} variables from {network} with seed {seed}. Written to {out}.")


@app.command()
def demo() -> None:
    """Learn the built-in Asia sample, twice: as it is, and shuffled under other names."""
    from stablebn.demo import demonstration

    for line in demonstration():
        typer.echo(line)


def _kinds(continuous: list[str] | None, categorical: list[str] | None) -> dict[Hashable, Kind]:
    """Columns by the kind that the user says they are."""
    return {**dict.fromkeys(continuous or [], "continuous"), **dict.fromkeys(categorical or [], "categorical")}


def _format_of(out: Path | None) -> Format:
    """The format that the ending of a file asks for."""
    endings = {
        "": Format.json,
        ".json": Format.json,
        ".dot": Format.dot,
        ".gv": Format.dot,
        ".csv": Format.csv,
        ".graphml": Format.graphml,
    }
    ending = "" if out is None else out.suffix.lower()
    if ending not in endings:
        raise OptionError(f"--out {out}: what is {ending}? Say --format json, dot, csv or graphml.")
    return endings[ending]


def _graph_text(result: Result, wanted: Format) -> str:
    from stablebn import graph

    if wanted is Format.json:
        return result.to_json() + "\n"
    return {Format.dot: graph.to_dot, Format.csv: graph.to_csv, Format.graphml: graph.to_graphml}[wanted](
        graph.as_graph(result)
    )


class _Shown(logging.Handler):
    """Shows what the library logs in place of the progress."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__()
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        """Show a message."""
        self._show(record.getMessage())


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C is safe: what is long comes before anything is written."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Interrupted. Nothing was written.", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _working(*, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """Long work: progress on a terminal and silence elsewhere."""
    with _interruptible():
        if quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console

        with Console(stderr=True).status("reading the table") as status:
            log = logging.getLogger("stablebn")
            log.setLevel(logging.INFO)
            log.addHandler(_Shown(status.update))
            made: dict[str, int] = {}

            def show(stage: str, steps: int) -> None:
                # Two stages may be under way at once.
                made[stage] = steps
                status.update(", ".join(f"{stage}: {steps} steps" for stage, steps in list(made.items())))

            yield show


@contextmanager
def _counting(total: int, what: str, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Long work of so many parts: a bar on a terminal and silence elsewhere."""
    with _interruptible(), _bar(total, what, quiet=quiet) as update:
        yield None if update is None else lambda done: update(completed=done)


@contextmanager
def _bar(total: int, what: str, *, quiet: bool, told: bool = False) -> Iterator[Callable[..., None] | None]:
    """A bar to update, with the time left as rich sees it or as it is told; None where there is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    left = TextColumn("{task.fields[left]} left") if told else TimeRemainingColumn()
    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), left)
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, left="?")
        yield partial(bar.update, task)


def main() -> None:
    """Run the command; errors that are the user's to mend are a message, not a traceback."""
    try:
        app()
    except StableBNError as error:
        typer.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(2)

"""Figures in the prose of docs/ are those of the tables that the same pages link to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

import stablebn as sb
from stablebn.study import Outcomes
from stablebn.study.paper.more_score import ALL_SIZES
from stablebn.study.tables.study_table import StudyTable, shown
from stablebn.study.tables.summary import Experiments

DOCS = Path(__file__).resolve().parents[1] / "docs"
KINDS = ("categorical", "continuous")
SIZES = ("100", "1,000", "10,000", "100,000")
STABLE, FGES = "tabu-stable", "fges (stable order)"


def prose(page: str) -> str:
    """The text of a page, as if it had no lines."""
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def rows_of(page: str) -> list[list[str]]:
    """The rows of all Markdown tables of a page."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@cache
def outcomes() -> Outcomes:
    return sb.study.read_outcomes(DOCS / "study-outcomes.json.gz")


@cache
def tables() -> Mapping[str, StudyTable]:
    return {table.name: table for table in outcomes().tables}


def value(table: str, row: str, column: str) -> float | str:
    """What stands in a table of the study."""
    found = tables()[table]
    (own,) = (one for one in found.rows if one.label == row)
    held = own.entries[found.columns.index(column) - 1].value
    assert held is not None
    return held


def number(table: str, row: str, column: str, form: str) -> str:
    """The same, as prose writes it."""
    held = value(table, row, column)
    assert isinstance(held, float)
    return format(held, form)


def claim(text: str) -> str:
    """Our figure of a claim, as its table shows it."""
    (own,) = (one for one in tables()["claims"].rows if one.label == text)
    return shown(own.entries[0].value, own.entries[0].style)


def counts(table: str, learner: str, what: str) -> tuple[int, int]:
    """On how many samples `best` has the better figure, and on how many the worse."""
    better, worse = str(value(table, f"{ALL_SIZES}, {learner}", what)).split(", ")
    return int(better), int(worse)


def lower_f1(kind: str, over: str) -> str:
    """The networks in which `best` has the lower F1 in the mean."""
    table = tables()[f"more-score-by-network-{kind}"]
    place = table.columns.index(f"F1, over {over}") - 1
    gains = {row.label: row.entries[place].value for row in table.rows}
    return ", ".join(network for network, gain in gains.items() if isinstance(gain, float) and gain < 0)


def more_score_table() -> Iterable[str]:
    for kind in KINDS:
        for size in SIZES:
            cells = [
                " / ".join(
                    number(f"more-score-{kind}", f"{size} rows, {name}", metric, form)
                    for name in ("best", STABLE, FGES)
                )
                for metric, form in (("F1", ".2f"), ("BSF", ".2f"), ("SHD", ".1f"))
            ]
            yield f"| {kind}, {size} | {' | '.join(cells)} |"


def more_score_sentences() -> Iterable[str]:
    f1 = "best has the higher F1, the lower"
    for kind in KINDS:
        table = f"more-score-{kind}"
        for learner, title in ((STABLE, "Tabu-Stable"), (FGES, "FGES")):
            better, worse = counts(table, learner, f1)
            samples = str(value(table, f"{ALL_SIZES}, best", "highest score")).split(" of ")[1]
            yield f"a higher F1 than {title} on {better} of {samples} {kind} samples, a lower one on {worse}"
        best, stable, fges = (
            str(value(table, f"{ALL_SIZES}, {one}", "highest score")) for one in ("best", STABLE, FGES)
        )
        yield f"{kind}: `best` on {best}, FGES on {fges}, Tabu-Stable on {stable}"
    for learner, title in ((STABLE, "Tabu-Stable"), (FGES, "FGES")):
        gains = [_gain("more-score-categorical", size, learner) for size in SIZES]
        yield f"over {title} {min(gains):.2f} to {max(gains):.2f}"
    higher, lower = str(value("more-score-categorical", f"100 rows, {STABLE}", f1)).split(", ")
    yield f"F1 is higher than Tabu-Stable's on {higher} samples of 17, lower on {lower}"
    few = (f"100 rows, {learner}" for learner in ("best", STABLE, FGES))
    best, stable, fges = (number("more-score-continuous", row, "degree less the true one", ".1f") for row in few)
    yield f"a variable has {best} neighbours too many (Tabu-Stable {stable}, FGES {fges})"
    rest = [value("more-score-continuous", f"{size} rows, best", "degree less the true one") for size in SIZES[1:]]
    assert all(abs(_float(excess)) < 0.05 for excess in rest)
    yield "differs by less than 0.05"
    yield f"less F1 than Tabu-Stable: {lower_f1('categorical', STABLE)}"
    yield f"less F1 than FGES: {lower_f1('categorical', FGES)}"
    yield f"and of the continuous ones {lower_f1('continuous', STABLE)} (Tabu-Stable)"
    yield f"{lower_f1('continuous', FGES)} (FGES)"
    for kind in KINDS:
        table = f"proven-{kind}"
        yield f"`best` reaches it on {value(table, 'best', 'at the optimum')}"
        optimum, stable, hc = (number(table, learner, "F1", ".2f") for learner in ("exact", STABLE, "hc"))
        yield f"F1 {optimum} where Tabu-Stable has {stable} and HC {hc}"
    yield f"`best` takes {number('more-score-categorical', f'{ALL_SIZES}, best', 'seconds', '.1f')} s"


def test_best_and_exact_gave_one_graph_from_all_layouts() -> None:
    alike = Experiments.of(outcomes().samples, outcomes().records).where(lambda sample: not sample.identical)
    for learner in ("best", "exact"):
        trials = [trial for trial in alike.trials(learner) if trial.done]
        assert len(trials) > 30
        assert {len(trial.runs) for trial in trials} == {2}
        assert {trial.graphs for trial in trials} == {1}


def study_sentences() -> Iterable[str]:
    yield f"{len(outcomes().records):,} jobs"
    assert {record.status for record in outcomes().records} == {"done", "timed out"}
    assert {record.learner for record in outcomes().records if record.status != "done"} == {"exact"}
    yield "none failed, and none but `exact` timed out"
    yield f"[The full list](study-results.md#the-papers-claims) has {len(tables()['claims'].rows)}"
    failing = [row.label for row in tables()["claims"].rows if row.entries[1].value == "no"]
    yield f"of which {len(failing)} do not hold here"
    bic = "bic-categorical"
    above = {
        row.label: gain
        for row in tables()[bic].rows
        if (gain := _float(value(bic, row.label, "tabu")) - _float(value(bic, row.label, "tabu-stable"))) > 0
    }
    assert set(above) == {"Property", "Diarrhoea", "Barley"}
    yield f"by {above['Property']:.3f}, {above['Diarrhoea']:.3f} and {above['Barley']:.3f} a row"
    yield f"at all sizes, identical columns or not | 13 of 17, 7 of 7 | {_stable_networks()} |"
    residual = claim("Largest F1 SD of Tabu-Stable that identical columns leave, names replaced")
    yield f"largest F1 SD, new names | 0.1245 | {residual} |"
    sds = [shown(value("orderings-categorical", "F1 SD", learner), ".4f") for learner in ("hc", "tabu")]
    yield f"F1 SD, categorical | 0.0930, 0.0828 | {', '.join(sds)} |"
    highest = [claim(f"Networks in which Tabu-Stable has the highest BIC, {kind}") for kind in KINDS]
    yield f"| 16 of 17 and 6 of 7 networks | {highest[0]} and {highest[1]} |"
    for text, paper in (
        ("F1 of Tabu-Stable less that of Tabu, categorical", "+0.0550"),
        ("F1 of HC-Stable less that of HC, categorical", "+0.0667"),
        ("F1 of Tabu-Stable less that of Tabu, continuous", "-0.0337"),
        ("Normalised BIC of the increasing order less that of Tabu, categorical", "-0.0031"),
        ("Normalised BIC of the decreasing order less that of Tabu, categorical", "-0.0026"),
    ):
        ours = format(float(claim(text)), "+.4f")
        yield f"| {paper} | {ours} |"
    precision, recall = (
        claim(f"Highest mean {what}, categorical, of those that learn DAGs") for what in ("precision", "recall")
    )
    yield f"| FGES; Tabu-Stable | {_title(precision)}; {_title(recall)} |"
    ratios = [
        claim(f"Seconds of {pair}, categorical; less than 1") for pair in ("Tabu : HC", "Tabu-Stable : HC-Stable")
    ]
    yield f"| 0.91, less than 1 | {', '.join(ratios)} |"
    slower = claim("Seconds of Tabu-Stable : Tabu, categorical; no more than the paper's")
    yield f"| 1.68 | {slower} |"


def learners_sentences() -> Iterable[str]:
    for kind in KINDS:
        stable, fges, best = (
            str(value(f"more-score-{kind}", f"{ALL_SIZES}, {one}", "highest score")) for one in (STABLE, FGES, "best")
        )
        yield f"{kind} {stable} ({STABLE}), {fges} (`fges`), {best} (`best`)"


def parity_sentences() -> Iterable[str]:
    summary = {row[0]: row for row in rows_of("parity-table.md") if row[0].endswith(", 10,000 rows")}
    learners = ("pc-stable", "gs", "inter-iamb", "mmhc", "h2pc")
    rows = [summary[f"{learner}, 10,000 rows"] for learner in learners]
    yield f"is met in all {sum(int(row[1]) for row in rows)} tables"
    medians, least = ([row[place] for row in rows] for place in (-2, -1))
    assert all(float(one) >= 10 for one in least)
    yield f"median {', '.join(medians[:-1])} and {medians[-1]} times, at least {', '.join(least[:-1])} and {least[-1]}"
    slowest = {}
    for learner in learners:
        own = [row for row in rows_of("parity-table.md") if row[1:3] == ["10,000", learner]]
        slowest[learner] = min(own, key=lambda row: int(row[-1]))
    assert {learner: row[0] for learner, row in slowest.items()} == dict.fromkeys(learners, "sports") | {"h2pc": "asia"}
    theirs = [row[-2].split("(")[1].rstrip(")") for row in slowest.values()]
    ours = [float(row[-2].split()[0]) for row in slowest.values()]
    yield "The least are those of sports, and for h2pc that of asia"
    yield f"R takes {min(theirs)} to {max(theirs)} s"
    yield f"we take {1000 * min(ours):.0f} to {1000 * max(ours):.0f} ms"
    stopped = [cell for row in rows_of("failures-table.md") for cell in row if cell.startswith("> ")]
    assert (len(stopped), {cell.split(".")[0] for cell in stopped}) == (3, {"> 60"})
    yield "a limit of 60 s stopped h2pc three times"
    (arth,) = (row for row in rows_of("learners-table.md") if row[:3] == ["arth150_c", "h2pc", "10,000"])
    yield f"finished in {float(arth[3]):.0f} s"


def peers_sentences() -> Iterable[str]:
    peers = [row for row in rows_of("best-peers-table.md") if len(row) == 6 and row[1].isdigit()]
    assert sum(int(row[4]) for row in peers) == 0
    yield f"{sum(int(row[1]) for row in peers)} graphs of four other packages"


def _stable_networks() -> str:
    return ", ".join(
        (
            claim("Categorical networks in which Tabu-Stable's F1 has an SD of 0 at every sample size"),
            claim("The same of the continuous networks"),
        )
    )


def _gain(table: str, size: str, over: str) -> float:
    best, other = (_float(value(table, f"{size} rows, {learner}", "F1")) for learner in ("best", over))
    return best - other


def _float(held: float | str) -> float:
    assert isinstance(held, float)
    return held


def _title(name: str) -> str:
    return {"tabu-stable": "Tabu-Stable", "fges": "FGES"}[name]


@pytest.mark.parametrize(
    ("page", "sentences"),
    [
        ("more-score.md", more_score_table),
        ("more-score.md", more_score_sentences),
        ("study.md", study_sentences),
        ("learners.md", learners_sentences),
        ("parity.md", parity_sentences),
        ("best.md", peers_sentences),
    ],
)
def test_figures_in_prose_are_those_of_the_tables(page: str, sentences: Callable[[], Iterable[str]]) -> None:
    expected = list(sentences())
    assert expected
    text = prose(page)
    assert [sentence for sentence in expected if sentence not in text] == []

"""Tables keep numbers as numbers, and their formats do not mislead."""

from __future__ import annotations

import csv
import io

import pytest

from stablebn.study.tables.study_table import (
    StudyTable,
    TableCell,
    TableRow,
    shown,
    to_csv,
    to_latex,
    to_markdown,
    with_marks,
)


def table(*entries: TableCell, label: str = "F1", note: str = "A note.") -> StudyTable:
    columns = ("metric", *(f"learner {place}" for place in range(len(entries))))
    return StudyTable("small", "A small table", columns, (TableRow(label, entries),), note)


def marks(*values: float | None, lower_is_better: bool = False, judged: list[bool] | None = None) -> list[str]:
    entries = with_marks(list(map(TableCell, values)), lower_is_better=lower_is_better, judged=judged)
    return [entry.mark for entry in entries]


def test_best_and_worst_are_marked() -> None:
    assert marks(0.5, 0.7, 0.6) == ["worst", "best", ""]


def test_lower_is_better_of_deviations() -> None:
    assert marks(0.5, 0.0, 0.6, lower_is_better=True) == ["", "best", "worst"]


def test_numbers_that_read_the_same_are_marked_the_same() -> None:
    assert marks(0.12341, 0.12339, 0.1) == ["best", "best", "worst"]


def test_small_number_is_not_marked_as_zero() -> None:
    assert marks(0.0, 1e-9, 0.5, lower_is_better=True) == ["best", "", "worst"]


def test_equal_numbers_are_neither_best_nor_worst() -> None:
    assert marks(0.5, 0.5) == ["", ""]


def test_missing_numbers_are_not_marked() -> None:
    assert marks(None, 0.5, 0.6) == ["", "worst", "best"]


def test_numbers_that_do_not_compare_are_not_marked() -> None:
    assert marks(0.9, 0.5, 0.6, judged=[False, True, True]) == ["", "worst", "best"]


def test_only_an_exact_zero_reads_zero() -> None:
    assert [shown(value, ".4f") for value in (0.0, 4e-5, -1e-17)] == ["0", "4e-05", "-1e-17"]


def test_difference_is_ours_less_the_papers() -> None:
    text = to_markdown(table(TableCell(0.75, 0.5)))
    assert "0.7500<br><sub>0.5000 (+0.2500)</sub>" in text


def test_papers_rounded_zero_is_not_shown_as_exact() -> None:
    assert "0<br><sub>0.0000 (0.0000)</sub>" in to_markdown(table(TableCell(0.0, 0.0)))


def test_without_the_papers_numbers_ours_stand_alone() -> None:
    plain = table(TableCell(0.75))
    assert "| F1 | 0.7500 |" in to_markdown(plain)
    assert to_csv(plain) == "metric,learner 0\nF1,0.75\n"
    assert "paper" not in to_latex(plain)


def test_csv_reads_back_to_the_same_numbers() -> None:
    values = [1 / 3, -25.463000000000001, 5e-324, 12345678.9]
    text = to_csv(table(*(TableCell(value, 0.1) for value in values)))
    (row,) = csv.DictReader(io.StringIO(text))
    assert [float(row[f"learner {place}"]) for place in range(4)] == values
    assert [float(row[f"learner {place} (paper)"]) for place in range(4)] == [0.1] * 4
    assert [float(row[f"learner {place} (difference)"]) for place in range(4)] == [value - 0.1 for value in values]


def test_csv_leaves_missing_numbers_empty() -> None:
    assert to_csv(table(TableCell(None), TableCell(1.0))).splitlines()[1] == "F1,,1.0"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("100 % of a_b & c", r"100 \% of a\_b \& c"),
        ("{x}^~#$", r"\{x\}\textasciicircum{}\textasciitilde{}\#\$"),
        ("back\\slash", r"back\textbackslash{}slash"),
        ("<1", r"\textless{}1"),
    ],
)
def test_latex_takes_no_text_for_a_command(text: str, escaped: str) -> None:
    latex = to_latex(table(TableCell(1.0), label=text, note=text))
    assert latex.count(escaped) == 2


def test_latex_writes_a_minus_and_marks() -> None:
    latex = to_latex(table(*with_marks([TableCell(-2.0), TableCell(-3.0)])))
    assert r"F1 & \textbf{\textminus 2.0000} & \textit{\textminus 3.0000} \\" in latex


def test_latex_has_rows_of_the_paper_and_of_differences() -> None:
    lines = to_latex(table(TableCell(0.75, 0.5), TableCell(0.25))).splitlines()
    assert lines[lines.index(r"F1 & 0.7500 & 0.2500 \\") + 1 :][:2] == [
        r"\quad paper & 0.5000 &  \\",
        r"\quad difference & +0.2500 &  \\",
    ]


def test_markdown_takes_no_text_for_markup() -> None:
    assert r"| a\|b\*c\_d | 1.0000 |" in to_markdown(table(TableCell(1.0), label="a|b*c_d"))


def test_words_are_shown_with_the_published_words() -> None:
    words = table(TableCell("none", "all"))
    assert "none<br><sub>all</sub>" in to_markdown(words)
    assert to_csv(words) == "metric,learner 0,learner 0 (paper)\nF1,none,all\n"


def test_every_mark_is_explained() -> None:
    marked = to_markdown(table(*with_marks([TableCell(1.0, 1.0), TableCell(2.0, 1.0)])))
    assert "Best in bold, worst in italics. Below our number: the published one, and ours minus" in marked

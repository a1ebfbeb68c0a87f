"""Represent the tables of a study, and write them as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Value: TypeAlias = float | str | None
Grid: TypeAlias = dict[str, dict[str, Value]]
"""Values by row and column."""

NO_VALUE = "–"


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

    Attributes
    ----------
    value, published : number, str or None
        Our value, and the published one.
    style : str
        The format of numbers, as in `format`.
    mark : {"", "best", "worst"}
    """

    value: Value
    published: Value = None
    style: str = ".4f"
    mark: Literal["", "best", "worst"] = ""

    @property
    def difference(self) -> float | None:
        """Our number minus the published one; None unless both are numbers."""
        if self.value is None or isinstance(self.value, str):
            return None
        if self.published is None or isinstance(self.published, str):
            return None
        return self.value - self.published


@dataclass(frozen=True)
class TableRow:
    """A row of a table: its label, and one cell per column."""

    label: str
    entries: tuple[TableCell, ...]


@dataclass(frozen=True)
class StudyTable:
    """A table of numbers and words.

    Attributes
    ----------
    name : str
        The name of its files.
    title : str
    columns : tuple of str
        The headings: of the labels, then of the cells.
    rows : tuple of TableRow
    note : str
        A note: what the numbers are over, and what was left out.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str

    def __str__(self) -> str:
        return to_markdown(self)

    @property
    def has_published(self) -> bool:
        """Whether some cell has a published value."""
        return any(entry.published is not None for row in self.rows for entry in row.entries)

    @property
    def has_differences(self) -> bool:
        """Whether some number can be compared with a published one."""
        return any(entry.difference is not None for row in self.rows for entry in row.entries)

    @property
    def has_marks(self) -> bool:
        """Whether some cell is marked as best or worst."""
        return any(entry.mark for row in self.rows for entry in row.entries)

    @property
    def is_text(self) -> tuple[bool, ...]:
        """Whether each column has words."""
        columns = zip(*(row.entries for row in self.rows), strict=True) if self.rows else [()] * (len(self.columns) - 1)
        words = (any(isinstance(entry.value or entry.published, str) for entry in column) for column in columns)
        return (True, *words)


def shown(value: Value, style: str) -> str:
    """Format a value. Only an exact zero is written as "0", so that a small number differs from it.

    >>> shown(0.0, ".4f"), shown(1e-9, ".4f"), shown(0.12345, ".4f")
    ('0', '1e-09', '0.1235')
    """
    if value is None:
        return NO_VALUE
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    text = format(value, style)
    return text if any(digit in text for digit in "123456789") else f"{value:.0e}"


def shown_published(entry: TableCell) -> str:
    """Format a published value, which is rounded: a zero is not exact."""
    number = entry.published is not None and not isinstance(entry.published, str)
    return format(entry.published, entry.style) if number else str(entry.published or "")


def shown_difference(entry: TableCell) -> str:
    """Format the difference with its sign. Published values are rounded, so a small difference has no sign."""
    text = "" if entry.difference is None else format(entry.difference, f"+{entry.style}")
    return text if any(digit in text for digit in "123456789") else text.lstrip("+-")


def with_marks(
    entries: Sequence[TableCell], *, lower_is_better: bool = False, judged: Sequence[bool] | None = None
) -> tuple[TableCell, ...]:
    """Mark the cells with the best and the worst number; numbers that are formatted equally get the same mark.

    Parameters
    ----------
    entries : sequence of TableCell
    lower_is_better : bool
    judged : sequence of bool, optional
        Which cells are compared; by default all numbers.
    """
    part = judged or [True] * len(entries)
    read = [_read(entry) if taken else None for entry, taken in zip(entries, part, strict=True)]
    numbers = [number for number in read if number is not None]
    if len(set(numbers)) < 2:
        return tuple(entries)
    best, worst = (min(numbers), max(numbers)) if lower_is_better else (max(numbers), min(numbers))
    marks: dict[float | None, Literal["best", "worst"]] = {best: "best", worst: "worst"}
    return tuple(
        replace(entry, mark=marks[number]) if number in marks else entry
        for entry, number in zip(entries, read, strict=True)
    )


def _read(entry: TableCell) -> float | None:
    """Return the number as it is formatted."""
    if entry.value is None or isinstance(entry.value, str):
        return None
    return float(shown(entry.value, entry.style).replace(",", ""))


def to_csv(table: StudyTable) -> str:
    """Write a table as CSV with all digits, with columns of published values and differences if there are any."""
    parts: dict[str, Callable[[TableCell], Value]] = {"": lambda entry: entry.value}
    if table.has_published:
        parts[" (paper)"] = lambda entry: entry.published
    if table.has_differences:
        parts[" (difference)"] = lambda entry: entry.difference
    label, *columns = table.columns
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([label, *(f"{column}{part}" for column in columns for part in parts)])
    for row in table.rows:
        writer.writerow([row.label, *(take(entry) for entry in row.entries for take in parts.values())])
    return out.getvalue()


def to_markdown(table: StudyTable) -> str:
    """Write a table as Markdown, with published values and differences in small print."""

    def cell(entry: TableCell) -> str:
        around = {"": "", "best": "**", "worst": "*"}[entry.mark]
        text = f"{around}{_markdown(shown(entry.value, entry.style))}{around}"
        if entry.published is None:
            return text
        difference = shown_difference(entry)
        below = _markdown(shown_published(entry)) + (f" ({difference})" if difference else "")
        return f"{text}<br><sub>{below}</sub>"

    rule = ["---" if text else "---:" for text in table.is_text]
    head = [_markdown(column) for column in table.columns]
    rows = [[_markdown(row.label), *map(cell, row.entries)] for row in table.rows]
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)]
    return "\n".join([f"# {table.title}", "", *lines, "", _with_legend(table)]) + "\n"


def to_latex(table: StudyTable) -> str:
    """Write a table as LaTeX for the package booktabs, with rows of published values and differences."""

    def ours(entry: TableCell) -> str:
        text = _latex(shown(entry.value, entry.style))
        return {"": text, "best": rf"\textbf{{{text}}}", "worst": rf"\textit{{{text}}}"}[entry.mark]

    def line(label: str, row: TableRow, cell: Callable[[TableCell], str]) -> str:
        return " & ".join([label, *map(cell, row.entries)]) + r" \\"

    lines = []
    for row in table.rows:
        lines.append(line(_latex(row.label), row, ours))
        if any(entry.published is not None for entry in row.entries):
            lines.append(line(r"\quad paper", row, lambda entry: _latex(shown_published(entry))))
        if any(entry.difference is not None for entry in row.entries):
            lines.append(line(r"\quad difference", row, lambda entry: _latex(shown_difference(entry))))
            lines.append(r"\addlinespace")
    return (
        "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_latex(table.title)}}}",
                rf"\label{{tab:{table.name}}}",
                rf"\begin{{tabular}}{{{''.join('l' if text else 'r' for text in table.is_text)}}}",
                r"\toprule",
                " & ".join(map(_latex, table.columns)) + r" \\",
                r"\midrule",
                *lines,
                r"\bottomrule",
                r"\end{tabular}",
                rf"\par\medskip\footnotesize {_latex(_with_legend(table))}",
                r"\end{table}",
            ]
        )
        + "\n"
    )


def _with_legend(table: StudyTable) -> str:
    """Return the note, with an explanation of marks and small print."""
    sentences = [table.note]
    if table.has_marks:
        sentences.append("Best in bold, worst in italics.")
    if table.has_differences:
        sentences.append("Below our number: the published one, and ours minus the published one.")
    elif table.has_published:
        sentences.append("Below our number: the published one.")
    return " ".join(sentences)


def _markdown(text: str) -> str:
    """Escape text for Markdown."""
    for character in "\\|*_<>`":
        text = text.replace(character, "\\" + character)
    return text


_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
}


def _latex(text: str) -> str:
    """Escape text for LaTeX; the sign of a number becomes a minus, not a hyphen."""
    escaped = "".join(_LATEX.get(character, character) for character in text)
    is_number = text[:1] == "-" and text[1:2].isdigit()
    return rf"\textminus {escaped[1:]}" if is_number else escaped

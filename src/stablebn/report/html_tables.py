"""Tables that can be read without a script, and sorted with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stablebn.report.markup import Markup, element


@dataclass(frozen=True)
class Column:
    """A column of a table: its title, what the row of a number has in it, and by what it is sorted if not by that."""

    title: str
    cell: Callable[[int], object]
    value: Callable[[int], object] | None = None
    number: bool = False
    hint: str | None = None


def table_of(
    name: str,
    columns: Sequence[Column],
    rows: int,
    *,
    attributes: Callable[[int], dict[str, object]] | None = None,
    foot: Sequence[object] = (),
) -> Markup:
    """A table that the script lets sort."""
    head = [
        element(
            "th",
            element("button", column.title, type="button", title=column.hint),
            scope="col",
            class_="number" if column.number else None,
        )
        for column in columns
    ]
    body = []
    for row in range(rows):
        cells = [
            element(
                "td",
                column.cell(row),
                class_="number" if column.number else None,
                data_value=None if column.value is None else _plain(column.value(row)),
            )
            for column in columns
        ]
        body.append(element("tr", *cells, **(attributes(row) if attributes else {})))
    footer = [element("tfoot", element("tr", *foot))] if foot else []
    table = element("table", element("thead", element("tr", *head)), element("tbody", *body), *footer, id=name)
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=name.replace("-", " "))


def _plain(value: object) -> str:
    return "" if value is None else repr(value) if isinstance(value, float | int) else str(value)

"""The examples of docs/columns.md are run, and give what they show."""

import ast
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "columns.md"


def test_the_examples_of_the_page_give_what_they_show() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
    shown = 0
    for block in blocks:
        scope: dict[str, object] = {}
        # What stands before a comment must be what the comment says, there and then.
        told = re.sub(
            r"^( *)(\S.*?)  +# (\S.*)$", lambda found: f"{found[1]}told({found[2]}, {found[3]!r})", block, flags=re.M
        )
        count: list[int] = []

        def told_(value: object, words: str, count: list[int] = count) -> None:
            assert str(value) == words
            count.append(1)

        scope["told"] = told_
        ast.parse(told)
        exec(told, scope)
        shown += len(count)
    assert len(blocks) == 2
    assert shown == 8

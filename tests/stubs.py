"""Generate `src/stablebn/__init__.pyi`, by which type checkers and editors see the public functions and their options.

`python -m tests.stubs` writes the file.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import stablebn as sb
from stablebn.api.arguments import describe, learn_options, options_for, repeatable_options
from stablebn.options import Option, parameters_section

FILE = Path(sb.__file__).with_name("__init__.pyi")

_LINE_LENGTH = 120

# Options of one search, which a function that runs many does not have.
_OF_ONE_SEARCH = ("max_time", "resume")

# The options that a function takes as **options.
_MORE_OPTIONS: dict[str, Callable[[], Iterable[Option]]] = {
    "bootstrap": lambda: _without(learn_options(), _OF_ONE_SEARCH),
    "cross_validate": lambda: _without(learn_options(), _OF_ONE_SEARCH),
    "near_optimal": lambda: _without(options_for("exact"), ("max_time", "progress")),
    "stability": repeatable_options,
}

# Where the types of parameters come from, unless they are public or built in.
_IMPORTS = {
    "Any": "typing",
    "Callable": "collections.abc",
    "Hashable": "collections.abc",
    "Iterable": "collections.abc",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Kind": "stablebn.columns.column",
    "Name": "stablebn.table.table",
    "LearnerLike": "stablebn.resampling.runner",
    "GrowingTable": "stablebn.prepare.incremental",
    "Verified": "stablebn.api.proofs",
    "Distance": "stablebn.api.proofs",
}

_HEAD = '''"""stablebn: one table, one graph.

Generated from the table of options by `python -m tests.stubs`.
"""
'''


def stub() -> str:
    """Return the text of the stub file."""
    values = {name: getattr(sb, name) for name in sb.__all__}
    functions = {name: value for name, value in values.items() if inspect.isfunction(value)}
    definitions = "".join(_definition(name, function) for name, function in functions.items())
    home_of = {name: home for home, names in vars(sb)["_HOMES"].items() for name in names}
    used = {node.id for node in ast.walk(ast.parse(definitions)) if isinstance(node, ast.Name)}
    modules = {name: module for name, module in _IMPORTS.items() if name in used}
    modules |= {name: home_of.get(name, "stablebn") for name in sb.__all__ if name not in functions}
    standard = {name: module for name, module in modules.items() if not module.startswith("stablebn")}
    ours = {name: module for name, module in modules.items() if name not in standard}
    public = "".join(f'    "{name}",\n' for name in sb.__all__)
    return (
        f"{_HEAD}\nimport os\n{_import_lines(standard)}\n{_import_lines(ours)}\n"
        f"__version__: str\n\n__all__ = [\n{public}]\n{definitions}"
    )


def _import_lines(modules: dict[str, str]) -> str:
    """Write imports of names, given their modules, in the order of ruff."""
    lines = []
    for module in sorted(set(modules.values())):
        names = sorted((name for name, home in modules.items() if home == module), key=_import_key)
        line = f"from {module} import {', '.join(names)}"
        if len(line) > _LINE_LENGTH:
            line = "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])
        lines.append(f"{line}\n")
    return "".join(lines)


def _import_key(name: str) -> tuple[int, str]:
    """Sort constants before classes before functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _without(options: Iterable[Option], names: Iterable[str]) -> list[Option]:
    left_out = set(names)
    return [entry for entry in options if entry.name not in left_out]


def _definition(name: str, function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    lines, keyword_only = [], False
    parameters = [own for own in signature.parameters.values() if own.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [entry for entry in _MORE_OPTIONS.get(name, list)() if entry.name not in signature.parameters]
    for own in parameters:
        if own.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            lines.append("*")
        lines.append(_parameter(own.name, str(own.annotation), own.default))
    for entry in more:
        # Without a score, the graphs of a callable are not scored.
        type_ = "str | None" if (name, entry.name) == ("stability", "score") else entry.type
        lines.append(_parameter(entry.name, type_, entry.default))
    body = "".join(f"    {line},\n" for line in lines)
    return f"\ndef {name}(\n{body}) -> {signature.return_annotation}:\n{_docstring(function, more)}"


def _parameter(name: str, type_: str, default: object) -> str:
    if default is inspect.Parameter.empty:
        return f"{name}: {type_}"
    if default is None and "None" not in type_ and type_ not in ("Any", "object"):
        type_ = f"{type_} | None"
    written = f'"{default}"' if isinstance(default, str) else repr(default)
    return f"{name}: {type_} = {written}"


def _docstring(function: Callable[..., Any], more: list[Option]) -> str:
    text = inspect.cleandoc(function.__doc__ or "")
    if more:
        described = parameters_section(more, describe).split("\n", 2)[2]
        text = text.replace("\n\nReturns\n-------", f"\n{described}\n\nReturns\n-------", 1)
    indented = "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
    quotes = 'r"""' if "\\" in text else '"""'
    return f'    {quotes}{indented.lstrip()}\n    """\n'


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8")

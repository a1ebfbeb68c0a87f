"""The page: one file with everything in it, which asks for nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Hashable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from stablebn.report.collect import content_of
from stablebn.report.content import Arc, Content, Variable
from stablebn.report.graph_svg import joined_size, text_of
from stablebn.report.labels import label_of
from stablebn.report.markup import Markup, escaped, json_for_script
from stablebn.report.sections import body_of

if TYPE_CHECKING:
    from stablebn.resampling.bootstrap_result import Bootstrap
    from stablebn.resampling.stability_result import Stability
    from stablebn.result.result import Result


def report_text(
    result: Result,
    *,
    true: object = None,
    audit: Stability | None = None,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
) -> str:
    """The report of a result as the text of an HTML file; parameters as in `Result.report`."""
    content = content_of(result, true=true, audit=audit, bootstrap=bootstrap, command=command)
    style, script = Markup(_own_file("style.css")), Markup(_own_file("script.js"))
    parts = {
        "policy": escaped(_policy(style, script)),
        "title": escaped(f"stablebn report: {content.summary}"),
        "style": style,
        "body": body_of(content),
        "data": json_for_script(_for_script(content)),
        "script": script,
    }
    # In one pass: what is put in is not looked at again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _own_file("page.html"))


def _own_file(name: str) -> str:
    return files("stablebn.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: nothing but its own script and style, which are told by their hashes."""
    allowed = {"style-src": _hash(style), "script-src": _hash(script), "img-src": "data:"}
    rules = ["default-src 'none'", *(f"{what} {which}" for what, which in allowed.items())]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _for_script(content: Content) -> dict[str, Any]:
    """What the script tells of arcs and variables when they are chosen."""
    number = {variable.name: at for at, variable in enumerate(content.variables)}
    return {
        "size": [content.layout.width, content.layout.height],
        "joined": list(joined_size(content)),
        "arcs": [{"ends": [number[name] for name in arc.ends], **_told_of_arc(content, arc)} for arc in content.arcs],
        "nodes": [_told_of_variable(content, variable) for variable in content.variables],
    }


def _told_of_arc(content: Content, arc: Arc) -> dict[str, Any]:
    facts: list[tuple[str, str]] = []
    if arc.strength is not None:
        facts.append(("Strength", f"{arc.strength:,.2f}"))
    if arc.gain is not None:
        facts.append(("Gain when it came in", f"{arc.gain:,.2f}"))
    if arc.layouts is not None and content.audit is not None:
        facts.append(
            ("In layouts", f"{arc.layouts[0]:,} of {content.audit.of:,}, {100 * arc.layouts[1]:.0f} % this way")
        )
    if arc.replicates is not None and content.bootstrap is not None:
        facts.append(
            (
                "In samples",
                f"{arc.replicates[0]:,} of {content.bootstrap.of:,}, {100 * arc.replicates[1]:.0f} % this way",
            )
        )
    if arc.truth is not None:
        facts.append(("True graph", arc.truth))
    why = arc.sentences or ("The report was made from a file without the table, so that it cannot be said why.",)
    return {"title": text_of(content, arc), "sentences": list(why), "facts": facts}


def _told_of_variable(content: Content, variable: Variable) -> dict[str, Any]:
    kind = variable.kind if variable.levels is None else f"{variable.kind}, {variable.levels:,} levels"
    facts = [("Taken for", kind), ("Because", variable.why)]
    if variable.family is not None:
        for term, value in (("Part of the score", variable.family.score), ("Without parents", variable.family.alone)):
            if value is not None:
                facts.append((f"{term} ({content.score_name})", f"{value:,.2f}"))

    def short(names: tuple[Hashable, ...]) -> str:
        return ", ".join(label_of(name).short for name in names)

    for term, names in (
        ("Parents", variable.parents),
        ("Children", variable.children),
        ("Joined to", variable.neighbours),
    ):
        if names:
            facts.append((term, short(names)))
    if variable.stands_for:
        facts.append(("Stands for", short(variable.stands_for)))
    return {"title": variable.label.full, "sentences": [], "facts": facts}

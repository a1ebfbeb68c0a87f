"""Render the report as one HTML file that loads no other files: templates, style and script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Hashable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
from markupsafe import Markup

from stablebn.errors import spelled
from stablebn.messages import counted
from stablebn.report.collect import content_of
from stablebn.report.content import Arc, Content, Variable
from stablebn.report.graph_svg import SHADES, compact_size, drawing_of, mark_of, text_of
from stablebn.report.labels import label_of
from stablebn.report.trace_chart import chart_of

if TYPE_CHECKING:
    from stablebn.resampling.bootstrap_result import Bootstrap
    from stablebn.resampling.stability_result import Stability
    from stablebn.result.result import Result

NOTHING = "—"
# Messages shown at once; the others are shown on demand.
_MOST_MESSAGES = 6
# Rows of the tables of steps and of edge frequencies, so that the file stays small.
_MOST_ROWS = 1000


def report_text(
    result: Result,
    *,
    true: object = None,
    audit: Stability | None = None,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
) -> str:
    """Return the report of a result as the text of an HTML file; parameters as in `Result.report`."""
    content = content_of(result, true=true, audit=audit, bootstrap=bootstrap, command=command)
    # Parts of the package, not of the data: they must not be escaped.
    style, script = Markup(_read("style.css")), Markup(_read("script.js"))
    template = _environment().get_template("page.html.j2")
    page = template.render(
        content=content,
        drawing=drawing_of(content),
        chart=chart_of(content),
        sections=_sections(content),
        data=_for_script(content),
        policy=_policy(style, script),
        style=style,
        script=script,
    )
    return f"{page}\n"


def _sections(content: Content) -> list[tuple[str, str]]:
    """Return the template and the title of each section that has something to show."""
    sections = {
        ("graph", "Graph"): True,
        ("arcs", "Arcs"): True,
        ("truth", "True graph"): content.comparison is not None,
        ("stability", "Stability"): content.audit is not None,
        ("bootstrap", "Bootstrap"): content.bootstrap is not None,
        ("variables", "Variables"): True,
        ("search", "Search"): True,
        ("data", "Data"): True,
        ("reproduce", "Reproduce"): True,
    }
    return [section for section, is_shown in sections.items() if is_shown]


@cache
def _environment() -> jinja2.Environment:
    """Return the environment of the templates.

    It escapes all that is not markup already, and spells out characters that do not print: names come from data.
    """
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals |= {"MOST_MESSAGES": _MOST_MESSAGES, "MOST_ROWS": _MOST_ROWS, "SHADES": SHADES}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "separators": (",", ":"), "allow_nan": False}
    environment.filters |= {
        "amount": lambda value: NOTHING if value is None else f"{value:,.2f}",
        "counted": counted,
        "family_scores": _family_scores,
        "label": label_of,
        "mark": mark_of,
        "one_decimal": lambda value: f"{value:.1f}",
        "percent": lambda share: f"{100 * share:.0f} %",
        "plain": lambda value: "" if value is None else repr(value) if isinstance(value, float | int) else str(value),
        "sentence": lambda text: text[:1].upper() + text[1:],
        "share": lambda value: f"{value:.3f}",
        "short_amount": lambda value: f"{value:,.3g}" if value < 100 else f"{value:,.0f}",
        "signed_amount": lambda value: f"{value:+,.2f}",
        "spelled": spelled,
        "two_decimals": lambda value: f"{value:.2f}",
        "thousands": lambda value: f"{value:,}",
    }
    return environment


def _template(name: str) -> str:
    """Read a template; its lines are joined without their indents, so that these do not become part of the page."""
    return "".join(line.strip() for line in _read(f"templates/{name}").splitlines())


def _printable(value: object) -> object:
    return value if isinstance(value, Markup) else spelled(value, keep="\n")


class _VariableScores(NamedTuple):
    """The local score of a variable with its parents and without, and the difference; None if not known."""

    score: float | None
    alone: float | None
    gain: float | None


def _family_scores(variable: Variable) -> _VariableScores:
    score, alone = (None, None) if variable.family is None else (variable.family.score, variable.family.alone)
    return _VariableScores(score, alone, None if score is None or alone is None else score - alone)


def _read(name: str) -> str:
    return files("stablebn.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: only the page's own script and style, identified by their hashes."""
    allowed = {"style-src": _hash(style), "script-src": _hash(script), "img-src": "data:"}
    rules = ["default-src 'none'", *(f"{kind} {source}" for kind, source in allowed.items())]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _for_script(content: Content) -> dict[str, Any]:
    """Return what the script needs: sizes, and what the panel shows for each arc and variable."""
    indices = {variable.name: index for index, variable in enumerate(content.variables)}
    return {
        "size": [content.layout.width, content.layout.height],
        "compactSize": list(compact_size(content)),
        "arcs": [{"ends": [indices[name] for name in arc.ends], **_arc_panel(content, arc)} for arc in content.arcs],
        "nodes": [_variable_panel(content, variable) for variable in content.variables],
    }


def _arc_panel(content: Content, arc: Arc) -> dict[str, Any]:
    facts: list[tuple[str, str]] = []
    if arc.strength is not None:
        facts.append(("Strength", f"{arc.strength:,.2f}"))
    if arc.gain is not None:
        facts.append(("Gain when it was added", f"{arc.gain:,.2f}"))
    if arc.layouts is not None and content.audit is not None:
        facts.append(
            (
                "In layouts",
                f"{arc.layouts[0]:,} of {content.audit.of:,}, {100 * arc.layouts[1]:.0f} % in this direction",
            )
        )
    if arc.replicates is not None and content.bootstrap is not None:
        facts.append(
            (
                "In samples",
                f"{arc.replicates[0]:,} of {content.bootstrap.of:,}, {100 * arc.replicates[1]:.0f} % in this direction",
            )
        )
    if arc.truth is not None:
        facts.append(("True graph", arc.truth))
    why = arc.sentences or ("There is no explanation, because the report was made from a file without the table.",)
    return {"title": text_of(content, arc), "sentences": list(why), "facts": facts}


def _variable_panel(content: Content, variable: Variable) -> dict[str, Any]:
    kind = variable.kind if variable.levels is None else f"{variable.kind}, {variable.levels:,} levels"
    facts = [("Kind", kind), ("Because", variable.why)]
    if variable.family is not None:
        for term, value in (("Local score", variable.family.score), ("Without parents", variable.family.alone)):
            if value is not None:
                facts.append((f"{term} ({content.score_name})", f"{value:,.2f}"))

    def short(names: tuple[Hashable, ...]) -> str:
        return ", ".join(label_of(name).short for name in names)

    for term, names in (
        ("Parents", variable.parents),
        ("Children", variable.children),
        ("Adjacent to", variable.neighbours),
    ):
        if names:
            facts.append((term, short(names)))
    if variable.stands_for:
        facts.append(("Stands for", short(variable.stands_for)))
    return {"title": variable.label.full, "sentences": [], "facts": facts}

"""The sections of the page, in HTML that needs no script to be read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from stablebn.errors import spelled
from stablebn.messages import counted
from stablebn.report.content import Arc, Content, Frequencies, Message, Variable
from stablebn.report.graph_svg import graph_picture, is_alone, legend, mark_of
from stablebn.report.html_tables import Column, table_of
from stablebn.report.labels import label_of
from stablebn.report.markup import Markup, element, joined
from stablebn.report.trace_chart import chart_key, trace_chart

NOTHING = "—"
# Shown at once; the others on demand.
_MOST_MESSAGES = 6
# Of steps and of edges in frequencies: no reader gets to the end of more, and the file stays small.
_MOST_ROWS = 1000
_DIRECTIONS = {
    "compelled": "by the data",
    "data-driven": "by the score",
    "known": "by knowledge",
    "model": "by the model",
    "arbitrary": "arbitrary",
    "not determined": "not determined",
}
_TRUTHS = {
    "matched": "matched",
    "reversed": "reversed",
    "undecided": "directed in one",
    "missing": "missing",
    "extra": "extra",
}


def body_of(content: Content) -> Markup:
    """All sections, and the way to them."""
    made = [
        ("graph", "Graph", _graph(content)),
        ("arcs", "Arcs", _arcs(content)),
        ("truth", "True graph", _truth(content)),
        ("stability", "Stability", _frequencies(content.audit, "layouts of the table")),
        ("bootstrap", "Bootstrap", _frequencies(content.bootstrap, "samples drawn from the rows")),
        ("variables", "Variables", _variables(content)),
        ("search", "Search", _search(content)),
        ("data", "Data", _data(content)),
        ("reproduce", "Reproduce", _reproduce(content)),
    ]
    there = [(name, title, section) for name, title, section in made if section]
    links = [element("a", title, href=f"#{name}") for name, title, _ in there]
    sections = [
        element("section", element("h2", title), section, id=name, class_="card") for name, title, section in there
    ]
    return joined(_masthead(links), element("main", _hero(content), *sections), _panel())


def _masthead(links: Sequence[Markup]) -> Markup:
    switch = element("button", "Theme: auto", id="theme", type="button", class_="scripted")
    brand = element("span", element("b", "stablebn"), " report", class_="brand")
    return element("header", brand, element("nav", *links, aria_label="Sections"), switch, class_="masthead")


def _hero(content: Content) -> Markup:
    score = "no score" if content.score is None else f"{content.score_name} {content.score:,.2f}"
    facts = [element("span", content.learner), element("span", score)]
    if content.tests is not None:
        facts.append(element("span", counted(content.tests, "test")))
    facts.append(element("span", "fingerprint ", element("code", content.fingerprint)))
    unfinished = [] if content.finished else [element("span", "Unfinished", class_="badge")]
    proof = [] if content.proof is None else [element("p", content.proof, class_="proof")]
    messages = [*content.run_messages]
    found = sum(message.severity == "warning" for message in content.data_messages)
    more = []
    if found:
        words = f"{counted(found, 'finding')} in the data to look at"
        more.append(element("li", element("a", words, href="#data"), class_="warning"))
    notes = [] if not (messages or more) else [element("ul", *map(_message, messages), *more, class_="messages")]
    return element(
        "div",
        element("h1", *unfinished, content.summary),
        element("p", *facts, class_="facts"),
        *proof,
        *notes,
        class_="hero",
    )


def _message(message: Message) -> Markup:
    return element("li", sentence(message.text), class_=message.severity)


def sentence(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]


def _choice(name: str, legend_text: str, options: Sequence[tuple[str, str, str]]) -> Markup:
    """A row of options of which one is chosen: value, word, explanation."""
    made = []
    for at, (value, word, title) in enumerate(options):
        radio = element("input", type="radio", name=name, value=value, checked=at == 0)
        made.append(element("label", radio, element("span", word), title=title))
    return element("fieldset", element("legend", legend_text), *made, class_="choice")


def _graph(content: Content) -> Markup:
    search = element(
        "input",
        id="find",
        type="search",
        placeholder="Find a variable",
        aria_label="Find a variable; the key / leads here",
        autocomplete="off",
        spellcheck="false",
    )
    controls = [element("span", search, element("kbd", "/"), element("output", id="found"), class_="search")]
    if content.has_dag:
        views = [
            ("dag", "DAG", "Every arc with a direction; arbitrary ones are dashed"),
            ("cpdag", "CPDAG", "The equivalence class: a head only where all its graphs agree"),
        ]
        controls.append(_choice("view", "Show", views))
    if content.comparison is not None:
        colours = [
            ("strength", "Strength", "Colours by how much the score loses without the arc"),
            ("truth", "True graph", "Colours by what the true graph has"),
        ]
        controls.append(_choice("colour", "Colour", colours))
    alone = sum(is_alone(content, variable) for variable in content.variables)
    if alone and alone < len(content.variables):
        box = element("input", type="checkbox", id="hide-isolated")
        controls.append(element("label", box, f"Hide {alone:,} isolated", class_="check"))
    zoom = [
        element("button", "−", type="button", id="zoom-out", aria_label="Zoom out", title="Zoom out (−)"),
        element("button", "+", type="button", id="zoom-in", aria_label="Zoom in", title="Zoom in (+)"),
        element("button", "Fit", type="button", id="zoom-fit", title="Show all of it (0)"),
    ]
    controls.append(element("span", *zoom, class_="zoom", role="group", aria_label="Zoom"))
    skip = element("a", "Skip the graph", href="#arcs", class_="skip")
    hint = element(
        "p",
        "Click an arc to see why it is there. Drag to move, Ctrl and wheel to zoom; "
        "with the keyboard: Tab, arrows, + and −.",
        class_="hint scripted",
    )
    figure = element(
        "figure",
        element("div", graph_picture(content), class_="canvas"),
        legend(content),
        id="picture",
        data_view="dag",
        data_colour="strength",
    )
    return joined(skip, element("div", *controls, class_="toolbar scripted"), figure, hint)


def _panel() -> Markup:
    close = element("button", "×", type="button", id="close", aria_label="Close", title="Close (Esc)")
    return element(
        "aside",
        close,
        element("div", id="told", aria_live="polite"),
        id="panel",
        role="dialog",
        aria_label="Explanation",
        tabindex="-1",
        hidden=True,
    )


def _amount(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.2f}"


def _name(name: Hashable) -> Markup:
    label = label_of(name)
    return element("bdi", label.short, title=None if label.short == label.full else label.full)


def _tag(word: str, kind: str) -> Markup:
    return element("span", word, class_=f"tag {kind}")


def _arcs(content: Content) -> Markup:
    arcs = content.arcs
    if not arcs:
        return element("p", "No edge joins any two variables.")

    def why(row: int) -> Markup:
        arc = arcs[row]
        words = joined(_name(arc.ends[0]), f" {mark_of(arc)} ", _name(arc.ends[1]))
        return element("button", words, type="button", class_="link", data_opens=row)

    def direction(row: int) -> object:
        told = arcs[row].direction
        return NOTHING if told is None else _tag(_DIRECTIONS[told], "arbitrary" if arcs[row].arbitrary else told)

    columns = [
        Column("Arc", why, lambda row: " ".join(map(spelled, arcs[row].ends))),
        Column(
            "Direction decided",
            direction,
            lambda row: _DIRECTIONS.get(arcs[row].direction or "", ""),
            hint="By what its direction is decided; arbitrary: the data cannot tell it",
        ),
        Column(
            "Strength",
            lambda row: _amount(arcs[row].strength),
            lambda row: arcs[row].strength,
            number=True,
            hint=f"The {content.score_name} lost without it",
        ),
    ]
    if any(arc.gain is not None for arc in arcs):
        columns += [
            Column(
                "Gain",
                lambda row: _amount(arcs[row].gain),
                lambda row: arcs[row].gain,
                number=True,
                hint=f"What it added to the {content.score_name} when it came in",
            ),
            Column(
                "Step",
                lambda row: NOTHING if arcs[row].step is None else f"{arcs[row].step:,}",
                lambda row: arcs[row].step,
                number=True,
                hint="The step of the search at which it came in",
            ),
        ]
    if content.audit is not None:
        columns += _frequency_columns(arcs, "layouts", content.audit.of)
    if content.bootstrap is not None:
        columns += _frequency_columns(arcs, "replicates", content.bootstrap.of)
    if content.comparison is not None:
        columns.append(
            Column(
                "True graph",
                lambda row: _tag(_TRUTHS[arcs[row].truth or "matched"], f"t-{arcs[row].truth}"),
                lambda row: arcs[row].truth,
            )
        )
    words = dict.fromkeys(_DIRECTIONS[arc.direction] for arc in arcs if arc.direction)
    options = [element("option", "all directions", value=""), *(element("option", word, value=word) for word in words)]
    text = element("input", type="search", id="filter", placeholder="Filter by name", aria_label="Filter arcs by name")
    tools = element(
        "div",
        text,
        element("select", *options, id="filter-direction", aria_label="Filter arcs by what decided their direction"),
        element("output", id="filtered"),
        class_="toolbar scripted",
    )

    def attributes(row: int) -> dict[str, object]:
        arc = arcs[row]
        told = _DIRECTIONS.get(arc.direction or "", "")
        return {"data_direction": told, "data_text": " ".join(map(spelled, arc.ends)).lower(), "data_row": row}

    return joined(tools, table_of("arc-table", columns, len(arcs), attributes=attributes))


def _frequency_columns(arcs: Sequence[Arc], of: str, total: int) -> list[Column]:
    def share(row: int) -> float | None:
        found: tuple[int, float] | None = getattr(arcs[row], of)
        return None if found is None or not total else found[0] / total

    def cell(row: int) -> str:
        often, found = share(row), getattr(arcs[row], of)
        return NOTHING if not often else f"{100 * often:.0f} % ({100 * found[1]:.0f} %)"

    title = {"layouts": "In layouts", "replicates": "In samples"}[of]
    hint = f"In how many of {total:,} {of} the two are joined; in brackets, how many of these have it this way round"
    return [Column(title, cell, share, number=True, hint=hint)]


def _variables(content: Content) -> Markup:
    own = content.variables
    most = max((_gain(variable) or 0.0 for variable in own), default=0.0)

    def kind(row: int) -> str:
        variable = own[row]
        return variable.kind if variable.levels is None else f"{variable.kind}, {counted(variable.levels, 'level')}"

    def parents(row: int) -> Markup:
        parts: list[object] = []
        for name in own[row].parents:
            parts += [", ", _name(name)] if parts else [_name(name)]
        return joined(*parts) if parts else Markup(NOTHING)

    def gain(row: int) -> Markup:
        value = _gain(own[row])
        if value is None:
            return Markup(NOTHING)
        share = 0.0 if most <= 0 else max(0.0, value) / most
        bar = element(
            "svg",
            element("rect", class_="back", width="100", height="6"),
            element("rect", class_="bar", width=f"{100 * share:.1f}", height="6"),
            viewBox="0 0 100 6",
            class_="gain-bar",
            aria_hidden="true",
            preserveAspectRatio="none",
        )
        return joined(_amount(value), bar)

    columns = [
        Column(
            "Variable",
            lambda row: element("button", _name(own[row].name), type="button", class_="link", data_shows=row),
            lambda row: own[row].label.full,
        ),
        Column("Taken for", lambda row: element("span", kind(row), title=own[row].why), kind),
        Column("Parents", parents, lambda row: len(own[row].parents)),
    ]
    foot: list[object] = []
    if any(variable.family is not None for variable in own):
        columns += [
            Column(
                content.score_name,
                lambda row: _amount(_part(own[row], 0)),
                lambda row: _part(own[row], 0),
                number=True,
                hint="Its part of the score, given its parents",
            ),
            Column(
                "Without parents",
                lambda row: _amount(_part(own[row], 1)),
                lambda row: _part(own[row], 1),
                number=True,
                hint="Its part if it had no parents",
            ),
            Column("Gained by parents", gain, lambda row: _gain(own[row]), number=True),
        ]
        foot = [
            element("th", "Sum", scope="row", colspan="3"),
            element("td", _amount(content.score), class_="number"),
            element("td", _amount(sum(_part(variable, 1) or 0.0 for variable in own)), class_="number"),
            element("td", _amount(sum(_gain(variable) or 0.0 for variable in own)), class_="number"),
        ]
    return table_of("variable-table", columns, len(own), foot=foot)


def _part(variable: Variable, at: int) -> float | None:
    return None if variable.family is None else variable.family[at]


def _gain(variable: Variable) -> float | None:
    score, alone = _part(variable, 0), _part(variable, 1)
    return None if score is None or alone is None else score - alone


def _search(content: Content) -> Markup:
    if not content.steps:
        if content.tests is None:
            return element("p", "This learner does not go step by step: the graph came as a whole.")
        return element("p", f"{content.learner} made {counted(content.tests, 'test')} of independence, and no steps.")
    told = f"{counted(len(content.steps), 'step')} of {content.learner}"
    if content.best < len(content.steps):
        told += f"; the learned graph is that after step {content.best:,}, and the search went on in vain from there"
    steps = content.steps
    columns = [
        Column("Step", lambda row: f"{steps[row].number:,}", lambda row: steps[row].number, number=True),
        Column("Move", lambda row: steps[row].move),
        Column("Arc", lambda row: element("bdi", steps[row].edge)),
        Column("Gain", lambda row: f"{steps[row].gain:+,.2f}", lambda row: steps[row].gain, number=True),
        Column(content.score_name, lambda row: _amount(steps[row].score), lambda row: steps[row].score, number=True),
        Column("Direction", lambda row: "arbitrary" if steps[row].arbitrary else ""),
        Column("Runner-up", lambda row: steps[row].runner_up),
    ]
    shown = min(len(steps), _MOST_ROWS)
    table = table_of("step-table", columns, shown)
    rest = "All steps" if shown == len(steps) else f"The first {shown:,} of {len(steps):,} steps"
    return joined(
        element("p", f"{told}."),
        trace_chart(content),
        chart_key(content),
        element("details", element("summary", rest), table),
    )


def _truth(content: Content) -> Markup | None:
    found = content.comparison
    if found is None:
        return None
    what = "equivalence classes" if content.as_classes else "edges as they stand, as a graph has no class"
    figures = [
        ("F1", f"{found.f1:.3f}"),
        ("Precision", f"{found.precision:.3f}"),
        ("Recall", f"{found.recall:.3f}"),
        ("SHD", f"{found.shd:,}"),
        ("BSF", f"{found.bsf:.3f}"),
        ("F1 of the skeleton", f"{found.skeleton.f1:.3f}"),
    ]
    tally = [
        element("li", element("b", f"{number:,}"), f" {_TRUTHS[status]}", class_=f"t-{status}")
        for status in _TRUTHS
        if (number := sum(arc.truth == status for arc in content.arcs)) or status not in ("undecided",)
    ]
    return joined(
        element("p", f"The learned graph beside the true one: {what}."),
        element("ul", *tally, class_="tally"),
        element(
            "dl",
            *(element("div", element("dt", term), element("dd", value)) for term, value in figures),
            class_="figures",
        ),
    )


def _frequencies(found: Frequencies | None, what: str) -> Markup | None:
    if found is None:
        return None
    edges = found.edges

    def bar(row: int) -> Markup:
        _, _, *counts = edges[row]
        at, parts = 0.0, [element("rect", class_="back", width="100", height="8")]
        for count, kind in zip(counts, ("forward", "backward", "undirected"), strict=True):
            wide = 100 * count / found.of if found.of else 0.0
            parts.append(element("rect", class_=kind, x=f"{at:.2f}", width=f"{wide:.2f}", height="8"))
            at += wide
        return element(
            "svg", *parts, viewBox="0 0 100 8", class_="frequency-bar", aria_hidden="true", preserveAspectRatio="none"
        )

    def count(at: int) -> Callable[[int], str]:
        return lambda row: f"{edges[row][at]:,}"

    columns = [
        Column("Variable", lambda row: _name(edges[row][0]), lambda row: spelled(edges[row][0])),
        Column("Other variable", lambda row: _name(edges[row][1]), lambda row: spelled(edges[row][1])),
        Column("", bar),
        Column(
            "Joined",
            lambda row: f"{100 * sum(edges[row][2:]) / found.of:.0f} %" if found.of else NOTHING,
            lambda row: sum(edges[row][2:]),
            number=True,
        ),
        Column("→", count(2), lambda row: edges[row][2], number=True),
        Column("←", count(3), lambda row: edges[row][3], number=True),
        Column("–", count(4), lambda row: edges[row][4], number=True),
    ]
    key = [
        element("span", _bar_sample(kind), words, class_="key")
        for kind, words in (
            ("forward", "first → other"),
            ("backward", "first ← other"),
            ("undirected", "without a direction"),
        )
    ]
    shown = min(len(edges), _MOST_ROWS)
    told = f"How often each edge was found in {found.of:,} {what}"
    if shown < len(edges):
        told += f": the {shown:,} most frequent of {len(edges):,}"
    return joined(
        element("p", found.verdict, class_="verdict"),
        element("ul", *(element("li", line) for line in found.lines), class_="plain-list"),
        element("p", f"{told}.", class_="hint"),
        element("p", *key, class_="legend"),
        table_of(f"frequency-{what.split()[0]}", columns, shown),
    )


def _bar_sample(kind: str) -> Markup:
    rect = element("rect", class_=kind, width="14", height="8")
    return element("svg", rect, viewBox="0 0 14 8", class_="sample frequency-bar", aria_hidden="true")


def _data(content: Content) -> Markup:
    kinds: dict[str, int] = {}
    for variable in content.variables:
        kinds[variable.kind] = kinds.get(variable.kind, 0) + 1
    columns = ", ".join(
        f"{kinds[kind]:,} {kind}" for kind in ("categorical", "continuous", "constant", "set aside") if kind in kinds
    )
    parts = [element("p", f"{counted(content.rows, 'row')}; columns: {columns}.")]
    merged = [variable for variable in content.variables if variable.stands_for]
    for variable in merged:
        others = ", ".join(map(spelled, variable.stands_for))
        parts.append(element("p", _name(variable.name), f" stands for {others}, which are the same."))
    if content.data_messages:
        first, rest = content.data_messages[:_MOST_MESSAGES], content.data_messages[_MOST_MESSAGES:]
        parts.append(element("ul", *map(_message, first), class_="messages"))
        if rest:
            more = element("summary", f"{len(rest):,} more")
            parts.append(element("details", more, element("ul", *map(_message, rest), class_="messages")))
    else:
        parts.append(element("p", "Nothing to worry about was found in the table."))
    told = [variable for variable in content.variables if variable.why]
    rows = [
        Column("Column", lambda row: _name(told[row].name), lambda row: told[row].label.full),
        Column("Taken for", lambda row: told[row].kind),
        Column("Why", lambda row: told[row].why),
    ]
    parts.append(
        element(
            "details", element("summary", "What each column was taken for"), table_of("column-table", rows, len(told))
        )
    )
    return joined(*parts)


def _reproduce(content: Content) -> Markup:
    said = [("Command", content.command)] if content.command is not None else []
    said.append(("Python", content.call))
    parts = [
        joined(element("h3", title), element("pre", element("code", text), tabindex="0"))
        for title, text in said
        if text
    ]
    versions = ", ".join(f"{name} {number}" for name, number in content.versions)
    parts.append(element("p", "Fingerprint ", element("code", content.fingerprint), f". {content.promise}"))
    parts.append(element("p", f"Made with {versions}."))
    options = [element("div", element("dt", name), element("dd", value)) for name, value in content.options]
    parts.append(element("details", element("summary", "All options"), element("dl", *options, class_="options")))
    return joined(*parts)

"""Make `small/r.json`: what R says of samples of ours.

    python -m tests.golden.make_r

It needs Rscript, with nothing but the packages that come with R: log-linear models (`loglin`) for the tests of
categorical independence, least squares (`lm`) for continuous ones and for the scores of continuous families, and tables
for those of categorical ones. bnlearn's own figures could not be made on our samples where this was run, because the
package cannot be had there.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.golden.recipes import Recipe, table_hash, table_of

PROGRAM = r"""
arguments <- commandArgs(TRUE)
tables <- list()
read <- function(name, numbers) {
  if (is.null(tables[[name]])) tables[[name]] <<- read.csv(file.path(arguments[1], name), check.names = FALSE,
    colClasses = if (numbers) "numeric" else "factor")
  tables[[name]]
}
exact <- function(x) sprintf("%.17g", x)
questions <- read.csv(file.path(arguments[1], "questions.csv"), colClasses = "character", na.strings = character())
for (i in seq_len(nrow(questions))) {
  q <- questions[i, ]
  numbers <- q$kind == "continuous"
  data <- read(q$file, numbers)
  given <- if (q$given == "") character() else strsplit(q$given, " ", fixed = TRUE)[[1]]
  answer <- if (q$what == "test" && !numbers) {
    counts <- table(data[, c(q$x, q$y, given)])
    k <- seq_along(given) + 2
    fit <- loglin(counts, list(c(1, k), c(2, k)), print = FALSE, eps = 1e-12)
    c(fit$lrt, fit$pearson, fit$df)
  } else if (q$what == "test") {
    row <- summary(lm(reformulate(c(q$y, given), q$x), data))$coefficients[q$y, ]
    df <- nrow(data) - 2 - length(given)
    c(row["t value"], row["Pr(>|t|)"], df)
  } else if (numbers) {
    fit <- lm(reformulate(if (length(given)) given else "1", q$x), data)
    c(deviance(fit), as.numeric(logLik(fit)))
  } else {
    counts <- table(data[, c(q$x, given)])
    shares <- prop.table(counts, if (length(given)) seq_along(given) + 1)
    sum((counts * log(shares))[counts > 0])
  }
  cat(exact(answer), "\n")
}
"""

TABLES: dict[str, tuple[str, Recipe]] = {
    "asia": ("categorical", {"network": "asia", "rows": 2000, "seed": 201}),
    "categories": ("categorical", {"random": {"n": 7, "levels": [2, 5], "seed": 202}, "rows": 1500, "seed": 1}),
    "numbers": ("continuous", {"random": {"n": 8, "continuous": True, "seed": 203}, "rows": 300, "seed": 2}),
}
FIELDS = ("file", "kind", "what", "x", "y", "given")


def questions() -> list[dict[str, str]]:
    """Tests given none to three others, and families of none to three parents, of every table."""
    drawn = random.Random(1)
    found = []
    for name, (kind, recipe) in TABLES.items():
        columns = table_of(recipe).column_names
        for what in ("test", "family"):
            for size in (0, 0, 1, 1, 1, 2, 2, 2, 3, 3):
                x, y, *given = drawn.sample(columns, size + 2)
                found.append(
                    dict(zip(FIELDS, (name, kind, what, x, y if what == "test" else "", " ".join(given)), strict=True))
                )
    return found


def answered() -> list[dict[str, Any]]:
    """The questions with R's answers."""
    asked = questions()
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, recipe) in TABLES.items():
            table = table_of(recipe)
            with (Path(folder) / name).open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(table.column_names)
                # As Python prints floats: R reads the same bits.
                writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
        with (Path(folder) / "questions.csv").open("w", newline="") as file:
            listed = csv.DictWriter(file, FIELDS)
            listed.writeheader()
            listed.writerows(asked)
        program = Path(folder) / "program.R"
        program.write_text(PROGRAM)
        done = subprocess.run(["Rscript", str(program), folder], capture_output=True, text=True, check=True)
    # R gives no Pearson statistic where nothing is expected in some cell.
    answers = [
        [None if number in ("NaN", "NA") else float(number) for number in line.split()]
        for line in done.stdout.splitlines()
    ]
    return [
        {"table": question["file"], **{field: question[field] for field in FIELDS[1:]}, "answer": answer}
        for question, answer in zip(asked, answers, strict=True)
    ]


if __name__ == "__main__":
    version = subprocess.run(["Rscript", "--version"], capture_output=True, text=True, check=True)
    lists: dict[str, list[dict[str, Any]]] = {
        "made_by": [{"program": (version.stdout + version.stderr).strip()}],
        "tables": [
            {"name": name, "recipe": recipe, "hash": table_hash(table_of(recipe))}
            for name, (_, recipe) in TABLES.items()
        ],
        "questions": answered(),
    }
    parts = [f'"{name}": [\n' + ",\n".join(map(json.dumps, entries)) + "\n]" for name, entries in lists.items()]
    (Path(__file__).parent / "small" / "r.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")

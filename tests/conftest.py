"""How the tests draw examples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test may fail because a machine is slow: no deadline, and no complaint about slow drawing, which is one too.
_NO_CLOCK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# The same examples in every run: whether a commit passes is a property of the commit. What a run has found another one
# finds too, without a database. More, and other ones: pytest --hypothesis-profile=explore.
settings.register_profile("repeatable", parent=_NO_CLOCK, derandomize=True)
settings.register_profile("explore", parent=_NO_CLOCK, derandomize=False, print_blob=True)
settings.load_profile("repeatable")

"""Conformance kits: the contracts of suites and worlds as pytest tests, for your own tests.

Needs pytest, which ``houseguest[pytest]`` installs. To check agents, use the fixture
``houseguest_check_agent`` or ``houseguest conformance``; see docs/conformance.md.
"""

from __future__ import annotations

try:
    import pytest
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "env_service.testing needs pytest: pip install 'houseguest[pytest]'", name="pytest"
    ) from error

# Before these modules are imported, so that a failed assertion shows its values.
pytest.register_assert_rewrite(
    "env_service.testing.reports",
    "env_service.testing.suites",
    "env_service.testing.thor_controller",
    "env_service.testing.worlds",
)

from env_service.testing.reports import ReportConformance  # noqa: E402 - after the lines above
from env_service.testing.suites import SuiteConformance  # noqa: E402 - as the line above
from env_service.testing.worlds import WorldConformance  # noqa: E402 - as the line above

__all__ = ["ReportConformance", "SuiteConformance", "WorldConformance"]

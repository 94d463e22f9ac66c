"""All rules, by the paper's categories."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.builtin.circumstances.causes import CAUSES
from env_service.suites.actplan.builtin.circumstances.changing import Rule
from env_service.suites.actplan.builtin.circumstances.functions import FUNCTIONS
from env_service.suites.actplan.builtin.circumstances.properties import PROPERTIES
from env_service.suites.actplan.task import Circumstance

RULES: Mapping[Circumstance, tuple[Rule, ...]] = {
    Circumstance.PROPERTY: PROPERTIES,
    Circumstance.FUNCTION: FUNCTIONS,
    Circumstance.CAUSALITY: CAUSES,
}
"""By category (paper, Fig. 4)."""

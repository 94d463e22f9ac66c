"""Descriptions of a level in the three forms of LLM-BabyBench (spec section 4).

All are omniscient: every key, ball, box and door is told, with its cell, and whether a door is
locked. Whether a door is open, what a box holds and what the agent sees are not told. The
bullets, and the keys and values of the JSON, are the published ones; sentences are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.formatters.json_form import format_json
from env_service.suites.babybench.formatters.narrative import format_narrative
from env_service.suites.babybench.formatters.structured import format_structured

FORMATTERS: Mapping[str, Callable[[Facts], str]] = {
    "structured": format_structured,
    "narrative": format_narrative,
    "json": format_json,
}
"""By name; the first is the default, and the one behind the paper's main results."""


def describe(facts: Facts, form: str) -> str:
    """The level in words. ``form`` is a key of FORMATTERS; raises UnknownNameError otherwise."""
    if form not in FORMATTERS:
        raise UnknownNameError("formatter of babybench", form, FORMATTERS)
    return FORMATTERS[form](facts)

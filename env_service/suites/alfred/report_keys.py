"""What alfred's runs are broken down by: the paper's wordings, and why plans failed."""

from __future__ import annotations

from env_service.suites.alfred.scoring import FAILURE_TYPES, LISTED
from env_service.suites.reporting import (
    FAILED,
    Classes,
    Field,
    Label,
    Measure,
    Only,
    Statistic,
    Unit,
    metric,
    ratio,
)

WORDINGS = ("B", "P1", "P2", "C", "C-without-context", "C-interactive", "K", "original")
"""In the order of the paper's Table 3, and what it has not behind what is closest to it."""

POOLED = "P1&2"
"""Both paraphrases, as the paper's Table 4 takes them together."""

CONDITION = Label("condition", "wording", condition=True)
"""The wording, and every other setting that is not the default: such runs stand apart."""

BY_WORDING = Classes(CONDITION, "wording", tuple((each, (each,)) for each in WORDINGS), rest=True)

PLAIN = Classes(CONDITION, "wording", tuple((each, (each,)) for each in WORDINGS))
"""With all other settings as they are by default: what the published numbers are of."""

_OF_FAILURES = ("original", "B", "P1", "P2", POOLED, *WORDINGS[3:7])

BY_POOLED_WORDING = Classes(
    CONDITION,
    "wording",
    tuple((each, ("P1", "P2") if each == POOLED else (each,)) for each in _OF_FAILURES),
    rest=True,
)

LOST = Only(Field.RESULT, (FAILED,))

TYPES = Classes(
    Label("failure_types", separator=LISTED),
    "type of failure",
    tuple((f"{number} {name}", (str(number),)) for number, name in FAILURE_TYPES.items()),
)
CODES = Label("failure_codes", "what failed", separator=LISTED)
FIRST_CODE = Label("failure_code", "what failed first", separator=LISTED)

LOST_EPISODES = Measure(Statistic.EPISODES, "failed")


def type_heading(number: int) -> str:
    """What the column of a type is called."""
    return f"{number} {FAILURE_TYPES[number]}"


def type_shares() -> tuple[Measure, ...]:
    """How many of all labels are of each type: an episode may have several."""
    labels = {n: metric(f"failure_type_{n}", unit=Unit.PERCENT) for n in FAILURE_TYPES}
    return tuple(
        ratio(label, *labels.values(), heading=type_heading(n)) for n, label in labels.items()
    )

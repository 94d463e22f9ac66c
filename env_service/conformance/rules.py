"""What a rule is: one requirement of the protocol that a kit checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from env_service.domain.names import UnknownNameError


class Severity(Enum):
    """The weight of a rule: an agent or service that breaks a MUST does not conform."""

    MUST = "must"
    SHOULD = "should"


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement.

    Attributes:
        id: Unique in its kit; never changes.
        requirement: One sentence about the agent or the service.
        source: The place in docs/protocol.md or in a .proto file that states it.
    """

    id: str
    requirement: str
    source: str
    severity: Severity = Severity.MUST


def pick_rules(rules: Sequence[Rule], wanted: Iterable[str]) -> tuple[Rule, ...]:
    """The rules with these ids, in the kit's order; all of them if there are none.

    Raises UnknownNameError for an unknown id.
    """
    names = set(wanted)
    known = [rule.id for rule in rules]
    for name in sorted(names):
        if name not in known:
            raise UnknownNameError("rule", name, known)
    return tuple(rule for rule in rules if not names or rule.id in names)

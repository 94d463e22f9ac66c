"""What a rule is: one requirement of the protocol, which a kit checks by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from env_service.domain.names import UnknownNameError


class Severity(Enum):
    """How much a rule weighs: whoever breaks a MUST does not conform."""

    MUST = "must"
    SHOULD = "should"


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement.

    ``id`` is unique in its kit and stays the same. ``requirement`` is one sentence whose
    subject is the agent, or the service. ``source`` names the place in docs/protocol.md or in a
    .proto file that says so.
    """

    id: str
    requirement: str
    source: str
    severity: Severity = Severity.MUST


def pick_rules(rules: Sequence[Rule], wanted: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these ids, in the kit's order; all where none is named.

    Raises UnknownNameError for an id that is no rule's.
    """
    names = set(wanted)
    known = [rule.id for rule in rules]
    for name in sorted(names):
        if name not in known:
            raise UnknownNameError("rule", name, known)
    return tuple(rule for rule in rules if not names or rule.id in names)

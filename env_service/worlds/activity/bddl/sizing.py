"""How large a definition is: what deciding its goal comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.walking import bounds, parts


def cases_of(goal: Expression, objects: Mapping[str, str]) -> int:
    """How many facts and operators a goal comes to once its variables stand for instances:
    deciding it takes time in proportion, and memory, too, for who looks for ways to it.

    ``objects``: the declared instances with their categories.
    """
    return _cases(goal, Counter(objects.values()))


def _cases(expression: Expression, counts: Mapping[str, int]) -> int:
    inner = sum(_cases(part, counts) for part in parts(expression))
    return 1 + inner * prod(counts[bound.category] for bound in bounds(expression))

"""Names of the built-in task sets: builtin, builtin-COUNT, builtin-COUNT-SEED."""

from __future__ import annotations

import re
from dataclasses import dataclass

from env_service.domain.names import MalformedNameError

NAME = "builtin"
"""The set that goes by this name alone has `COUNT` tasks of `SEED`."""

COUNT = 70
"""Ten tasks of each type: one round."""

SEED = 0

_NAME = re.compile(rf"{NAME}(?:-([1-9]\d{{0,5}})(?:-(0|[1-9]\d{{0,8}}))?)?")


@dataclass(frozen=True, slots=True)
class BuiltinName:
    """What a name asks for: the first ``count`` (at least 1) of the tasks of ``seed`` (at least
    0), of which there is no end."""

    count: int
    seed: int


def is_builtin(name: str) -> bool:
    """Whether a name is one of these, or was meant to be."""
    return name == NAME or name.startswith(f"{NAME}-")


def read_set_name(name: str) -> BuiltinName:
    """Raises MalformedNameError for a name of another form."""
    found = _NAME.fullmatch(name)
    if found is None:
        form = (
            f"it has to be {NAME}, {NAME}-COUNT or {NAME}-COUNT-SEED, such as {NAME}-500-7, with"
            " COUNT from 1 to 999999 and SEED from 0 to 999999999, without leading zeros"
        )
        raise MalformedNameError("task set", name, form)
    return BuiltinName(int(found[1] or COUNT), int(found[2] or SEED))

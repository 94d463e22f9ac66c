"""Reads what a model says of a plan."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.chat.spoken import spoken
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.json_node import objects_in

CERTAIN = 0.99
"""A probability is kept this far from 1, and as far from 0: a logit has to be finite."""

LONGEST_EXPLANATION = 2_000

_TAGS = re.compile(r"<VERDICT>(.*?)(?:</VERDICT>|\Z)", re.DOTALL | re.IGNORECASE)
_YES, _NO = ("true", "yes", "correct"), ("false", "no", "incorrect", "wrong")


class ReplyError(ValueError):
    """A model's reply holds no verdict. The message says what was found."""


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a model says of a plan.

    Attributes:
        correct: its plain answer.
        probability: that people would call the plan correct, from 1 - `CERTAIN` to `CERTAIN`; as
            certain as can be where it names none.
        errors: why it is not, in the order of `ErrorClass`; none of a correct plan.
        explanation: its words.
    """

    correct: bool
    probability: float
    errors: tuple[ErrorClass, ...]
    explanation: str


def read_verdict(reply: str, classes: Sequence[ErrorClass] = tuple(ErrorClass)) -> ModelVerdict:
    """The verdict in a reply: between the tags, else the last JSON object that has one. Error
    classes other than ``classes`` are left out.

    Raises:
        ReplyError: there is none.
    """
    text = spoken(reply)
    tagged = _TAGS.findall(text)
    for part in (*reversed(tagged), text):
        for found in reversed(list(objects_in(part))):
            plain = {_plain(key): value for key, value in found.items()}
            correct = _yes_or_no(plain.get("correct", plain.get("verdict")))
            if correct is not None:
                return _verdict(plain, classes, correct=correct)
    where = "between the tags" if tagged else "in the reply"
    raise ReplyError(f'there is no JSON object with "correct": true or false {where}')


def _verdict(
    plain: Mapping[str, Any], classes: Sequence[ErrorClass], *, correct: bool
) -> ModelVerdict:
    probability = _share(plain.get("probability"))
    if probability is None:
        probability = 1.0 if correct else 0.0
    bounded = min(max(probability, 1 - CERTAIN), CERTAIN)
    explanation = str(plain.get("explanation") or plain.get("reason") or "")
    errors = () if correct else _errors(plain.get("errors", plain.get("error")), classes)
    return ModelVerdict(correct, bounded, errors, explanation[:LONGEST_EXPLANATION])


def _errors(value: Any, classes: Sequence[ErrorClass]) -> tuple[ErrorClass, ...]:
    named = value if isinstance(value, list) else [value]
    said = {_plain(str(each)) for each in named}
    return tuple(each for each in classes if _plain(each.value) in said)


def _yes_or_no(value: Any) -> bool | None:
    word = str(value).strip().casefold()
    return True if word in _YES else False if word in _NO else None


def _share(value: Any) -> float | None:
    """A probability in percent, as a number or a text ("12 %"), as 0 … 1."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%?\s*", str(value))
    number = float(found[1]) if found and not isinstance(value, bool) else math.nan
    return number / 100 if 0 <= number <= 100 else None


def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())

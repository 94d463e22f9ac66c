"""Asks a model about plans, reads what it says, and keeps it on the disk with what it cost."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.chat.asking import Ask, ReplyError, ask_until_read, follow_up
from env_service.chat.client import Message
from env_service.chat.completion import Usage, without_thoughts
from env_service.chat.model_state import ModelState
from env_service.domain.data_node import objects_in
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.judges.model_judge.questions import PlanQuestion, classes, messages

TRIES = 3
"""Requests for one plan whose answers cannot be read, after which it has no verdict."""

_LONGEST_RETURNED = 4_000


def ask_about(question: PlanQuestion, ask: Ask, tries: int = TRIES) -> ModelAnswer:
    """Asks about one plan; again, with what was wrong, where the reply cannot be read. What ``ask``
    raises is passed on."""
    opening = messages(question)

    def again(reply: str, problem: str) -> list[Message]:
        words = (
            f"That could not be read: {problem}. Answer with one JSON object between <VERDICT>"
            " and </VERDICT>."
        )
        return follow_up(opening, reply[-_LONGEST_RETURNED:], words)

    found = ask_until_read(
        ask, opening, lambda reply: read_verdict(reply, classes(question)), again, tries
    )
    return ModelAnswer(question.key, found.value, found.problem, found.requests)


# --- Reads what a model says of a plan

CERTAIN = 0.99
"""A probability is kept this far from 1, and as far from 0: a logit has to be finite."""

LONGEST_EXPLANATION = 2_000

_TAGS = re.compile(r"<VERDICT>(.*?)(?:</VERDICT>|\Z)", re.DOTALL | re.IGNORECASE)
_YES, _NO = ("true", "yes", "correct"), ("false", "no", "incorrect", "wrong")


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
    text = without_thoughts(reply)
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


# --- What a model has said so far, on the disk

Key = tuple[str, str, str]
"""Of `rubric.Question`."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came of asking about one plan.

    Attributes:
        verdict: None where no reply could be read; ``problem`` says why.
        requests: how often the model was asked.
    """

    key: Key
    verdict: ModelVerdict | None
    problem: str
    requests: int

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        task, source, digest = self.key
        record: dict[str, Any] = {"task": task, "source": source, "digest": digest}
        record |= {"requests": self.requests}
        if self.verdict is None:
            return {**record, "problem": self.problem}
        return {
            **record,
            "correct": self.verdict.correct,
            "probability": self.verdict.probability,
            "errors": [each.value for each in self.verdict.errors],
            "explanation": self.verdict.explanation,
        }


def read_answer(value: Mapping[str, Any]) -> ModelAnswer:
    """What `Answer.to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    key = str(value["task"]), str(value["source"]), str(value["digest"])
    requests = int(value["requests"])
    if "problem" in value:
        return ModelAnswer(key, None, str(value["problem"]), requests)
    verdict = ModelVerdict(
        correct=bool(value["correct"]),
        probability=float(value["probability"]),
        errors=tuple(map(ErrorClass, value["errors"])),
        explanation=str(value["explanation"]),
    )
    return ModelAnswer(key, verdict, "", requests)


class AnswerStore(ModelState[Key, ModelAnswer]):
    """A file of answers: see `Kept`."""

    FORMAT = "houseguest-actplan-model-judge-1"
    COMMAND = "houseguest actplan model"
    read = staticmethod(read_answer)


# --- What asking a model costs

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens that the model reads, and that it writes; in whatever currency."""

    read: float
    written: float

    def of(self, usage: Usage) -> float | None:
        """What a usage costs; None where the server did not report the tokens of every reply."""
        if usage.reported < usage.calls:
            return None
        tokens = usage.input_tokens * self.read + usage.output_tokens * self.written
        return tokens / _MILLION

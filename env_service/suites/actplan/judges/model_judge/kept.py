"""What a model has said so far, on the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from env_service.chat.kept import Kept
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.judges.model_judge.verdict import ModelVerdict

Key = tuple[str, str, str]
"""Of `rubric.Question`."""


@dataclass(frozen=True, slots=True)
class Answer:
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
        told: dict[str, Any] = {"task": task, "source": source, "digest": digest}
        told |= {"requests": self.requests}
        if self.verdict is None:
            return {**told, "problem": self.problem}
        return {
            **told,
            "correct": self.verdict.correct,
            "probability": self.verdict.probability,
            "errors": [each.value for each in self.verdict.errors],
            "explanation": self.verdict.explanation,
        }


def read_answer(value: Mapping[str, Any]) -> Answer:
    """What `Answer.to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    key = str(value["task"]), str(value["source"]), str(value["digest"])
    requests = int(value["requests"])
    if "problem" in value:
        return Answer(key, None, str(value["problem"]), requests)
    verdict = ModelVerdict(
        correct=bool(value["correct"]),
        probability=float(value["probability"]),
        errors=tuple(map(ErrorClass, value["errors"])),
        explanation=str(value["explanation"]),
    )
    return Answer(key, verdict, "", requests)


class Answers(Kept[Key, Answer]):
    """A file of answers: see `Kept`."""

    FORMAT = "houseguest-actplan-model-judge-1"
    COMMAND = "houseguest actplan model"
    read = staticmethod(read_answer)

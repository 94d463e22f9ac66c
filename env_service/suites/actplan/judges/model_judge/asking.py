"""Asks a model about plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from env_service.chat.endpoint import Message
from env_service.suites.actplan.judges.model_judge.kept import Answer
from env_service.suites.actplan.judges.model_judge.rubric import Question, classes, messages
from env_service.suites.actplan.judges.model_judge.verdict import ReplyError, read_verdict

TRIES = 3
"""Requests for one plan whose answers cannot be read, after which it has no verdict."""

_LONGEST_RETURNED = 4_000

Ask = Callable[[Sequence[Message]], str]
"""A model: messages, oldest first, to its reply."""


def ask_about(question: Question, ask: Ask, tries: int = TRIES) -> Answer:
    """Asks about one plan; again, with what was wrong, where the reply cannot be read. What ``ask``
    raises is passed on."""
    said = messages(question)
    problem = "the model was not asked"
    for number in range(1, tries + 1):
        reply = ask(said)
        try:
            return Answer(question.key, read_verdict(reply, classes(question)), "", number)
        except ReplyError as error:
            problem = str(error)
            told = (
                f"That could not be read: {error}. Answer with one JSON object between <VERDICT>"
                " and </VERDICT>."
            )
            again = [Message("assistant", reply[-_LONGEST_RETURNED:]), Message("user", told)]
            said = [*said[:2], *again]
    return Answer(question.key, None, problem, tries)

"""What ``houseguest actplan make`` starts from, and the questions that it asks a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from houseguest_model_client.config import EndpointConfig

from env_service.chat.completion import Usage
from env_service.chat.concurrency import run_concurrently
from env_service.chat.model_state import StateError, set_aside
from env_service.chat.templates import TemplatesError
from env_service.cli.endpoint_options import endpoint_config
from env_service.cli.errors import Failure
from env_service.cli.model_work import model_for, sampling_settings
from env_service.cli.output import progress
from env_service.datasets.pack import open_pack
from env_service.suites.actplan.dataset.published_files import PACK, SPLIT_FILE
from env_service.suites.actplan.making.counterfactuals import Checker
from env_service.suites.actplan.making.files import (
    Key,
    MakingError,
    MakingState,
    QuestionResult,
    SourceActivity,
    chosen,
    find_activities,
)
from env_service.suites.actplan.making.requests import Asker, Prompts, Question
from env_service.worlds.activity.bddl.syntax import BddlError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """All that is known of the questions, by key, and what the replies took so far."""

    made: Mapping[Key, QuestionResult]
    usage: Usage


class ModelRequests:
    """Asks for what is not known yet. Every answer is on the disk before the next is waited for."""

    def __init__(self, options: Mapping[str, Any], state: Path) -> None:
        """``options``: the parameters of `model_options`. Raises Misuse and TemplatesError."""
        self._options, self._path = options, state
        self._prompts = Prompts(options["prompts"])
        self._config: EndpointConfig = endpoint_config(options)

    def answers(self, label: str, questions: Sequence[Question]) -> ModelAnswers:
        """Asks questions side by side. Raises StateError, Failure and Interrupted."""

        def one(question: Question, ask: ModelQuestion) -> Iterator[QuestionResult]:
            yield ask(question)

        return self.work(label, questions, one)

    def work(
        self,
        label: str,
        parts: Sequence[T],
        do: Callable[[T, ModelQuestion], Iterator[QuestionResult]],
    ) -> ModelAnswers:
        """Does pieces of work side by side, each of which puts questions, one after the other.

        Raises StateError, Failure and Interrupted.
        """
        if self._options["fresh"]:
            set_aside(self._path)
        with (
            MakingState(self._path, self._settings(), mix=self._options["mix"]) as state,
            model_for(self._config, state, lambda: self._kept(state)) as model,
        ):
            asker = Asker(model, self._prompts, self._options["retries"])
            known = dict(state.entries)

            def ask(question: Question) -> QuestionResult:
                found = known.get((question.activity, question.stage, question.which))
                if found is not None and found.done and found.asked == asker.digest(question):
                    return found
                return asker.do(question)

            with progress(label, len(parts)) as advance:
                self._spread(parts, lambda part: do(part, ask), state, advance)
        return ModelAnswers(dict(state.entries), state.usage)

    def _spread(
        self,
        parts: Sequence[T],
        do: Callable[[T], Iterator[QuestionResult]],
        state: MakingState,
        advance: Callable[[], None],
    ) -> None:
        def whole(part: T) -> Iterator[QuestionResult | None]:
            yield from do(part)
            yield None

        def keep(made: QuestionResult | None) -> None:
            if made is None:
                advance()
            elif state.entries.get(made.key) != made:
                state.keep([made])

        run_concurrently(parts, whole, self._options["parallel"], keep)

    def _settings(self) -> dict[str, Any]:
        """What has to be the same for answers to go together."""
        config = self._config
        return {
            "model": config.model,
            "prompts": self._prompts.version,
            "prompts_digest": self._prompts.digest,
            **sampling_settings(config),
        }

    def _kept(self, state: MakingState) -> str:
        done = sum(each.done for each in state.entries.values())
        return f"{done} answers are kept in {self._path}; run the same command again to resume."


ModelQuestion = Callable[[Question], QuestionResult]
"""Puts a question, unless its answer is known. Raises ModelError."""


def print_prompt(question: Question, prompts: Path | None) -> None:
    """What a model would be asked first."""
    click.echo(f"=== {question.activity}: {question.stage.value} {question.which}")
    for message in question.opening(Prompts(prompts)):
        click.echo(f"--- {message.role}\n{message.text}\n")


# --- Where the commands of ``houseguest actplan make`` take activities from, and what they share

_NORMAL = "bddl/activity_definitions/*/problem0.bddl"


@contextmanager
def failures_as_messages() -> Iterator[None]:
    """Turns what can go wrong into messages for users."""
    try:
        yield
    except (MakingError, StateError, TemplatesError, BddlError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def activities(options: Mapping[str, Any]) -> tuple[SourceActivity, ...]:
    """Those of PLACES, or of the data pack, that ``--tasks`` and ``--limit`` leave.

    Raises MakingError and DataPackError.
    """
    places = options["places"]
    if not places:
        pack = open_pack(PACK)
        definitions = [pack.path(each) for each in pack.require([_NORMAL])]
        places = [definitions[0].parents[1]] if definitions else [pack.path(SPLIT_FILE).parent]
    return chosen(find_activities(places), options["tasks"], options["limit"])


def checker(*, solving: bool) -> Checker:
    """Checks with the planner, or without."""
    from env_service.suites.actplan.judges.judge import is_correct
    from env_service.suites.actplan.planner.planner import plan_for

    return Checker(plan_for, is_correct) if solving else Checker()

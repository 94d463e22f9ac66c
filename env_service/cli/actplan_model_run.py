"""Asks a model about plans: from questions to answers on the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from env_service.chat.completion import Usage
from env_service.chat.endpoint import ChatModel
from env_service.chat.errors import ModelError, RefusedError
from env_service.chat.kept import StateError, set_aside
from env_service.chat.settings import EndpointConfig
from env_service.chat.spreading import spread
from env_service.cli.errors import Failure, Interrupted, Misuse
from env_service.cli.output import progress
from env_service.domain.english import counted
from env_service.suites.actplan.judges.model_judge.asking import ask_about
from env_service.suites.actplan.judges.model_judge.cost import Prices
from env_service.suites.actplan.judges.model_judge.kept import Answer, Answers
from env_service.suites.actplan.judges.model_judge.questions import Asking
from env_service.suites.actplan.judges.model_judge.rubric import (
    Question,
    Shown,
    messages,
    prompt_digest,
)


def asking_of(asked: Mapping[str, Any]) -> Asking:
    """What a model is shown."""
    return Asking(Shown(asked["show"]), pictures=asked["pictures"])


def settings_of(config: EndpointConfig, asking: Asking) -> dict[str, Any]:
    """What has to be the same for verdicts to go together."""
    return {
        "model": config.model,
        "rubric": prompt_digest(),
        "shown": asking.shown.value,
        "pictures": asking.pictures,
        "corrections": asking.corrections,
        "temperature": config.temperature,
        "reasoning_effort": config.reasoning_effort,
        "extra_body": dict(config.extra_body),
    }


def out_of(asked: Mapping[str, Any]) -> Path:
    """Where results go. Raises Misuse."""
    out: Path | None = asked["out"]
    if out is None:
        raise Misuse("where to? Give --out FILE, as --out judged.json")
    return out


def open_answers(asked: Mapping[str, Any], settings: Mapping[str, Any]) -> Answers:
    """The state file beside the results. Raises Misuse and Failure."""
    path = _state_of(out_of(asked))
    if asked["fresh"]:
        set_aside(path)
    try:
        return Answers(path, settings)
    except StateError as error:
        raise Failure(str(error), kind="StateError") from error


def _state_of(out: Path) -> Path:
    return out.with_name(f"{out.name}.state.jsonl")


def ask_all(
    questions: Sequence[Question], config: EndpointConfig, state: Answers, parallel: int
) -> None:
    """Asks all that has no verdict yet, and keeps what comes. Raises Failure and Interrupted."""
    different = {question.key: question for question in questions}
    left = [each for each in different.values() if not _answered(state, each)]
    if not left:
        return
    model = ChatModel(config, lambda line: click.echo(line, err=True))
    try:
        with progress("asking the model", len(left)) as advance:

            def keep(answer: Answer) -> None:
                state.keep([answer])
                advance()

            spread(left, lambda each: [ask_about(each, model.ask)], parallel, keep)
    except ModelError as error:
        refused = isinstance(error, RefusedError) and any(each.pictures for each in left)
        hint = "\nIf the model takes no pictures, give --no-pictures." if refused else ""
        raise Failure(f"{error}{hint}\n{_kept(state)}", kind=type(error).__name__) from error
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted. {_kept(state)}") from None
    finally:
        if model.usage.calls:
            state.keep_usage(model.usage)


def verdict_less(questions: Sequence[Question], state: Answers) -> list[str]:
    """Each question that no reply could be read to, and why."""
    return [
        f"{each.task} ({each.source}): {state.entries[each.key].problem}"
        for each in questions
        if each.key in state.entries and not _answered(state, each)
    ]


def cost_line(usage: Usage, asked: Mapping[str, Any]) -> str:
    """What all runs took, and cost where prices are given."""
    cost = cost_of(usage, asked)
    told = "" if cost is None else f"; cost {cost:.4f} at the prices given"
    return f"{usage}{told}"


def cost_of(usage: Usage, asked: Mapping[str, Any]) -> float | None:
    """None where no price is given, or the server told no tokens."""
    read, written = asked["price_read"], asked["price_written"]
    if read is None and written is None:
        return None
    return Prices(read or 0.0, written or 0.0).of(usage)


def print_question(question: Question | None) -> None:
    """What a model would be asked."""
    for message in messages(question) if question is not None else ():
        count = len(message.pictures)
        more = f" (and {counted(count, 'picture')})" if count else ""
        click.echo(f"--- {message.role}{more}\n{message.text}\n")


def _answered(state: Answers, question: Question) -> bool:
    entry = state.entries.get(question.key)
    return entry is not None and entry.verdict is not None


def _kept(state: Answers) -> str:
    done = sum(entry.verdict is not None for entry in state.entries.values())
    return f"{done} verdicts are kept; the same command goes on from there."

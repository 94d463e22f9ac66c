"""Runs a refinement: from tasks, through the stages, to the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from env_service.chat.endpoint import ChatModel
from env_service.chat.errors import ModelError
from env_service.chat.kept import StateError, set_aside
from env_service.chat.settings import EndpointConfig
from env_service.chat.spreading import spread
from env_service.chat.templates import TemplatesError
from env_service.cli.endpoint_options import endpoint_config
from env_service.cli.errors import PROBLEM, Failure, Interrupted, Misuse
from env_service.cli.output import progress
from env_service.cli.refine_alfred_files import Files, Made, write_files
from env_service.cli.refine_alfred_text import print_made, print_prompts
from env_service.domain.english import counted
from env_service.refine.asking import Asker
from env_service.refine.entries import PERSON, Entry, Key
from env_service.refine.errors import RefineError
from env_service.refine.loading import chosen, load_file, load_task_set
from env_service.refine.outcome import outcome
from env_service.refine.prompts import Prompts
from env_service.refine.review import Word, apply_words, read_review
from env_service.refine.source import Source, digest
from env_service.refine.stages import REWORDING, Stage, in_order
from env_service.refine.state import State
from env_service.refine.work import Plan, batches, text_of
from env_service.suites.alfred.dataset.refined import RefinedError


def refine(asked: Mapping[str, Any]) -> int:
    """Does what was asked; the exit status. Raises Misuse, Failure and Interrupted."""
    try:
        return _refine(asked)
    except (RefineError, RefinedError, StateError, TemplatesError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def _refine(asked: Mapping[str, Any]) -> int:
    stages = in_order(map(Stage, asked["stages"]))
    every = _sources(asked, anew=Stage.BASE in stages)
    prompts = Prompts(asked["prompts"])
    plan = Plan(
        chosen(every, asked["tasks"], asked["limit"]),
        asked["batch"],
        Stage(asked["korean_of"]),
        asked["again"],
    )
    if asked["dry_run"]:
        print_prompts(plan, stages, prompts)
        return 0
    config = endpoint_config(asked)
    files = Files.beside(_out(asked))
    if asked["fresh"]:
        set_aside(files.state)
    settings = _settings(asked, every, prompts, config)
    with State(files.state, settings, mix=asked["mix"]) as state:
        work = _Work(every, plan, stages, prompts, config, state, files, asked)
        words = work.take_over()
        work.check_base()
        work.go()
        made = work.finish(words)
        print_made(made, as_json=asked["as_json"])
        return PROBLEM if made.failed else 0


@dataclass(frozen=True, slots=True)
class _Work:
    every: tuple[Source, ...]
    plan: Plan
    stages: tuple[Stage, ...]
    prompts: Prompts
    config: EndpointConfig
    state: State
    files: Files
    asked: Mapping[str, Any]

    def take_over(self) -> dict[Key, Word]:
        """Puts what people wrote into effect; all that is in the review files."""
        said = read_review(self.files.review) if self.files.review.exists() else {}
        given: Path | None = self.asked["review"]
        if given is None:
            waiting = sum(
                word.key in self.state.entries and self._news(word) for word in said.values()
            )
            if waiting:
                _say(
                    f"{self.files.review} has {waiting} verdicts and corrections that are not taken"
                    f" over: --review {self.files.review} does"
                )
            return said
        words = read_review(given)
        applied = apply_words(words, self.state.entries, self.every)
        self.state.keep(applied.entries)
        for problem in applied.problems:
            _say(problem)
        for key in applied.again:
            del self.state.entries[key]
        _say(f"{given}: {len(applied.entries)} taken over, {len(applied.again)} to ask again")
        return {key: word for key, word in {**said, **words}.items() if key not in applied.again}

    def _news(self, word: Word) -> bool:
        """Whether a word says what the state does not know."""
        entry = self.state.entries[word.key]
        known = (entry.text, str(entry.type))
        return word.correction not in known if word.correction else entry.by != PERSON

    def check_base(self) -> None:
        """What is made of the base command needs one."""
        needing = [stage for stage in self.stages if stage in REWORDING]
        if Stage.BASE in self.stages or not needing:
            return
        without = [
            source.id
            for source in self.plan.sources
            if not text_of(source, Stage.BASE, self.state.entries)
        ]
        if without:
            raise Misuse(
                f"{needing[0].value} is made of B, which is missing of"
                f" {counted(len(without), 'task')} ({without[0]}); add B to"
                " --stages, or give a file that has them by --from"
            )

    def go(self) -> None:
        """Asks for all that is left to do, and keeps what comes."""
        model = ChatModel(self.config, _say)
        asker = Asker(model, self.prompts, self.asked["retries"])
        try:
            for stage in self.stages:
                self._stage(stage, asker)
        except ModelError as error:
            raise Failure(f"{error}\n{self._kept()}", kind=type(error).__name__) from error
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted. {self._kept()}") from None
        finally:
            if model.usage.calls:
                self.state.keep_usage(model.usage)

    def _stage(self, stage: Stage, asker: Asker) -> None:
        parts = batches(self.plan, stage, self.state.entries)
        total = sum(map(len, parts))
        if not total:
            return
        with progress(stage.value, total) as advance:

            def keep(entries: Sequence[Entry]) -> None:
                self.state.keep(entries)
                for _ in entries:
                    advance()

            spread(parts, asker.do, self.asked["parallel"], keep)

    def finish(self, words: Mapping[Key, Word]) -> Made:
        """Writes the files."""
        made = Made(
            every=self.every,
            plan=self.plan,
            stages=self.stages,
            state=self.state,
            files=self.files,
            outcome=outcome(self.plan, self.every, self.state.entries),
            task_set=_name(self.asked),
            declared=self.config.redact(self.config.address.declared),
        )
        write_files(made, words)
        return made

    def _kept(self) -> str:
        done = sum(entry.done for entry in self.state.entries.values())
        return f"{done} texts are kept in {self.files.state}; the same command goes on from there."


def _sources(asked: Mapping[str, Any], *, anew: bool) -> tuple[Source, ...]:
    """The tasks; without the texts that they have where the base command is made ``anew``, since
    the others belong to the old one."""
    path: Path | None = asked["source_file"]
    found = load_task_set(asked["task_set"]) if path is None else load_file(path)
    return tuple(replace(source, texts={}) for source in found) if anew else found


def _name(asked: Mapping[str, Any]) -> str:
    path: Path | None = asked["source_file"]
    return str(asked["task_set"]) if path is None else path.name


def _out(asked: Mapping[str, Any]) -> Path:
    out: Path | None = asked["out"]
    if out is None:
        raise Misuse("where to? Give --out FILE, as --out refined.json")
    if out == asked["source_file"]:
        raise Misuse(f"--out {out} is the file that is refined; choose another one")
    return out


def _settings(
    asked: Mapping[str, Any], every: Sequence[Source], prompts: Prompts, config: EndpointConfig
) -> dict[str, Any]:
    """What has to be the same for texts to go together."""
    return {
        "model": config.model,
        "prompts": prompts.version,
        "prompts_digest": prompts.digest,
        "task_set": _name(asked),
        "tasks_digest": digest(every),
        "temperature": config.temperature,
        "reasoning_effort": config.reasoning_effort,
        "extra_body": dict(config.extra_body),
        "korean_of": asked["korean_of"],
    }


def _say(line: str) -> None:
    click.echo(line, err=True)

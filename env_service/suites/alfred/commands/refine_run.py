"""Runs a refinement: from tasks, through the stages, to files and a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from houseguest_model_client.config import EndpointConfig

from env_service.chat.concurrency import run_concurrently
from env_service.chat.model_state import StateError, set_aside
from env_service.chat.templates import TemplatesError
from env_service.cli.endpoint_options import endpoint_config
from env_service.cli.errors import PROBLEM, Failure, Misuse
from env_service.cli.model_work import model_for, sampling_settings
from env_service.cli.options import print_json
from env_service.cli.output import print_table, progress
from env_service.domain.text import counted
from env_service.storage.atomic_files import document, write_atomically
from env_service.suites.alfred.dataset.refined_commands import RefinedError, write_records
from env_service.suites.alfred.refine.checks import DEFECT_OF, PUBLISHED, SOURCE
from env_service.suites.alfred.refine.pipeline import (
    PERSON,
    Asker,
    CollectedRecords,
    Entry,
    Item,
    Key,
    RefinementState,
    WorkPlan,
    batches,
    collect_records,
    count_json,
    counts,
    text_of,
    verdicts,
)
from env_service.suites.alfred.refine.prompts import Prompts
from env_service.suites.alfred.refine.replies import SOUND
from env_service.suites.alfred.refine.review import Word, apply_words, read_review, write_review
from env_service.suites.alfred.refine.sources import (
    REWORDING,
    RefineError,
    Source,
    Stage,
    chosen,
    digest,
    in_order,
    load_file,
    load_task_set,
)


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
    plan = WorkPlan(
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
    with RefinementState(files.state, settings, mix=asked["mix"]) as state:
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
    plan: WorkPlan
    stages: tuple[Stage, ...]
    prompts: Prompts
    config: EndpointConfig
    state: RefinementState
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
                    f"{self.files.review} has {waiting} verdicts and corrections that are not"
                    f" applied: to apply them, use --review {self.files.review}"
                )
            return said
        words = read_review(given)
        applied = apply_words(words, self.state.entries, self.every)
        self.state.keep(applied.entries)
        for problem in applied.problems:
            _say(problem)
        for key in applied.again:
            del self.state.entries[key]
        _say(f"{given}: {len(applied.entries)} applied, {len(applied.again)} to ask again")
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
        with model_for(self.config, self.state, self._kept) as model:
            asker = Asker(model, self.prompts, self.asked["retries"])
            for stage in self.stages:
                self._stage(stage, asker)

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

            run_concurrently(parts, asker.do, self.asked["parallel"], keep)

    def finish(self, words: Mapping[Key, Word]) -> Refinement:
        """Writes the files."""
        made = Refinement(
            every=self.every,
            plan=self.plan,
            stages=self.stages,
            state=self.state,
            files=self.files,
            collected=collect_records(self.plan, self.every, self.state.entries),
            task_set=_name(self.asked),
            declared=self.config.redact(self.config.address.declared),
        )
        write_files(made, words)
        return made

    def _kept(self) -> str:
        done = sum(entry.done for entry in self.state.entries.values())
        return f"{done} texts are kept in {self.files.state}; run the same command to resume."


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
        raise Misuse("Give --out FILE, such as --out refined.json")
    if out == asked["source_file"]:
        raise Misuse(f"--out {out} is the input file; choose another one")
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
        **sampling_settings(config),
        "korean_of": asked["korean_of"],
    }


def _say(line: str) -> None:
    click.echo(line, err=True)


# --- The files that a refinement leaves behind


@dataclass(frozen=True, slots=True)
class Files:
    """The file of records, and its side files."""

    out: Path
    review: Path
    state: Path
    manifest: Path

    @classmethod
    def beside(cls, out: Path) -> Files:
        """``refined.json``, ``refined.review.csv``, ``refined.state.jsonl`` and
        ``refined.manifest.json``."""
        stem = out.name.removesuffix(".json")
        names = (f"{stem}.review.csv", f"{stem}.state.jsonl", f"{stem}.manifest.json")
        return cls(out, *(out.with_name(name) for name in names))


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a refinement came to. ``every`` task may be more than the plan has; ``declared``: the
    server's place, without secrets."""

    every: tuple[Source, ...]
    plan: WorkPlan
    stages: tuple[Stage, ...]
    state: RefinementState
    files: Files
    collected: CollectedRecords
    task_set: str
    declared: str

    @property
    def failed(self) -> dict[str, list[str]]:
        """For each task that the model gave no usable text for: of which of the stages."""
        done = {key for key, entry in self.state.entries.items() if entry.done}
        failed: dict[str, list[str]] = {}
        for source in self.plan.sources:
            for stage in self.stages:
                places = len(source.originals) if stage is Stage.INTEGRITY else 1
                keys = ((source.id, stage, place) for place in range(places))
                if not done.issuperset(keys):
                    failed.setdefault(source.id, []).append(stage.value)
        return failed

    def to_json(self) -> dict[str, Any]:
        """The summary that --json prints and that the manifest adds to the settings."""
        found = counts(self.plan, self.stages, self.state.entries)
        summary = {
            "task_set": self.task_set,
            "tasks": len(self.plan.sources),
            "records": len(self.collected.records),
            "lacking": {
                task: [stage.value for stage in stages]
                for task, stages in self.collected.lacking.items()
            },
            "stages": {stage.value: count_json(count) for stage, count in found.items()},
            "usage": asdict(self.state.usage),
        }
        if Stage.INTEGRITY in self.stages:
            types = verdicts(self.plan, self.state.entries)
            summary["integrity"] = {str(number): count for number, count in types.items()}
        return summary


def write_files(made: Refinement, words: Mapping[Key, Word]) -> None:
    """Writes the records that are whole, if any are, the review file, and the manifest."""
    files = made.files
    if made.collected.records:
        write_atomically(files.out, write_records(made.collected.records).encode())
    write_review(files.review, made.every, made.state.entries, words)
    manifest = {
        **made.to_json(),
        "houseguest": version("houseguest"),
        "server": made.declared,
        "settings": list(made.state.settings),
    }
    write_atomically(files.manifest, document(manifest))


# --- The messages of a refinement

_ORDER = (2, 1, 3, 4, SOUND)
"""The integrity check's types as Table 1 has them, and those that it has not."""

_SHOWN = 5
"""Tasks that are named where a record is not whole."""


def print_prompts(plan: WorkPlan, stages: Sequence[Stage], prompts: Prompts) -> None:
    """What a model would be asked first in each stage."""
    asker = Asker(_Silent(), prompts)
    for stage in stages:
        items = _first_items(plan, stage)
        if not items:
            continue
        click.echo(f"=== {stage.value}: the first of the requests, for {len(items)} of its texts")
        for message in asker.opening(items):
            click.echo(f"--- {message.role}\n{message.text}\n")


def print_made(made: Refinement, *, as_json: bool) -> None:
    """The counts, the integrity check's verdicts, and the files."""
    files = made.files
    if as_json:
        places = {"out": files.out, "review": files.review, "state": files.state}
        print_json({**made.to_json(), "files": {name: str(path) for name, path in places.items()}})
        return
    found = counts(made.plan, made.stages, made.state.entries)
    print_table(
        ("stage", "#done", "#to review", "#failed", "#of"),
        [
            (stage.value, str(c.done), str(c.flagged), str(c.failed), str(c.total))
            for stage, c in found.items()
        ],
    )
    if Stage.INTEGRITY in made.stages:
        _print_verdicts(made)
    _print_lacking(made)
    click.echo(str(made.state.usage))
    if made.collected.records:
        click.echo(f"{files.out}: {counted(len(made.collected.records), 'record')}")
    click.echo(f"{files.review}: to look over, and give back by --review {files.review}")


def _print_verdicts(made: Refinement) -> None:
    summary = verdicts(made.plan, made.state.entries)
    total = sum(summary.values())
    published = PUBLISHED.get(made.task_set)
    if published is not None and published.commands != total:
        published = None
    rows = []
    for number, count in sorted(summary.items(), key=lambda each: _ORDER.index(each[0])):
        defect = DEFECT_OF.get(number)
        beside = str(published.defects.get(defect, "")) if published and defect else ""
        share = f"{100 * count / total:.1f}" if total else ""
        rows.append((defect.value if defect else "none", str(count), share, beside))
    columns = ("fault of the original command", "#commands", "#%", "#published")
    shown = slice(None if published else 3)
    click.echo()
    print_table(columns[shown], [row[shown] for row in rows])
    if published:
        click.echo(f"published: {SOURCE}")
    click.echo()


def _print_lacking(made: Refinement) -> None:
    lacking = made.collected.lacking
    failed = made.failed
    for task, stages in list(failed.items())[:_SHOWN]:
        click.echo(f"{task} has no {', '.join(stages)}: run the same command to ask again")
    if len(failed) > _SHOWN:
        click.echo(f"… and {counted(len(failed) - _SHOWN, 'task')} more")
    if lacking:
        needed = {stage for stages in lacking.values() for stage in stages} - set(made.stages)
        more = (
            f" (--stages has no {', '.join(s.value for s in Stage if s in needed)})"
            if needed
            else ""
        )
        click.echo(
            f"{len(lacking)} of {counted(len(made.plan.sources), 'record')} are incomplete{more}:"
            f" omitted from {made.files.out}"
        )


def _first_items(plan: WorkPlan, stage: Stage) -> list[Item]:
    count = plan.batch if stage.batched else 1
    sources = [each for each in plan.sources if stage is not Stage.INTEGRITY or each.originals]
    return [Item(source, stage, _stand_in(source, stage)) for source in sources[:count]]


def _stand_in(source: Source, stage: Stage) -> str:
    if stage is Stage.INTEGRITY:
        return source.originals[0]
    if stage in REWORDING:
        return source.texts.get(Stage.BASE) or f"(the command of {source.id})"
    return ""


class _Silent:
    """No model."""

    def ask(self, messages: object) -> str:
        """Says nothing."""
        del messages
        return ""

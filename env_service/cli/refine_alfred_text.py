"""What a refinement tells people."""

from __future__ import annotations

from collections.abc import Sequence

import click

from env_service.cli.common import print_json
from env_service.cli.output import print_table
from env_service.cli.refine_alfred_files import Made
from env_service.domain.english import counted
from env_service.refine.asking import Item
from env_service.refine.originals import FAULT_OF, PUBLISHED, SOURCE
from env_service.refine.outcome import counts, verdicts
from env_service.refine.prompts import Prompts
from env_service.refine.replies import SOUND
from env_service.refine.source import Source
from env_service.refine.stages import REWORDING, Stage
from env_service.refine.work import Plan

_ORDER = (2, 1, 3, 4, SOUND)
"""The integrity check's types as Table 1 has them, and those that it has not."""

_SHOWN = 5
"""Tasks that are named where a record is not whole."""


def print_prompts(plan: Plan, stages: Sequence[Stage], prompts: Prompts) -> None:
    """What a model would be asked first in each stage."""
    from env_service.refine.asking import Asker

    asker = Asker(_Silent(), prompts)
    for stage in stages:
        items = _first_items(plan, stage)
        if not items:
            continue
        click.echo(f"=== {stage.value}: the first of the requests, for {len(items)} of its texts")
        for message in asker.opening(items):
            click.echo(f"--- {message.role}\n{message.text}\n")


def print_made(made: Made, *, as_json: bool) -> None:
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
    if made.outcome.records:
        click.echo(f"{files.out}: {counted(len(made.outcome.records), 'record')}")
    click.echo(f"{files.review}: to look over, and give back by --review {files.review}")


def _print_verdicts(made: Made) -> None:
    told = verdicts(made.plan, made.state.entries)
    total = sum(told.values())
    published = PUBLISHED.get(made.task_set)
    if published is not None and published.commands != total:
        published = None
    rows = []
    for number, count in sorted(told.items(), key=lambda each: _ORDER.index(each[0])):
        fault = FAULT_OF.get(number)
        beside = str(published.faults.get(fault, "")) if published and fault else ""
        share = f"{100 * count / total:.1f}" if total else ""
        rows.append((fault.value if fault else "none", str(count), share, beside))
    columns = ("fault of the original command", "#commands", "#%", "#published")
    shown = slice(None if published else 3)
    click.echo()
    print_table(columns[shown], [row[shown] for row in rows])
    if published:
        click.echo(f"published: {SOURCE}")
    click.echo()


def _print_lacking(made: Made) -> None:
    lacking = made.outcome.lacking
    failed = made.failed
    for task, stages in list(failed.items())[:_SHOWN]:
        click.echo(f"{task} has no {', '.join(stages)}: the same command asks for it again")
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
            f"{len(lacking)} of {counted(len(made.plan.sources), 'record')} are not"
            f" whole{more}: left out of"
            f" {made.files.out}"
        )


def _first_items(plan: Plan, stage: Stage) -> list[Item]:
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

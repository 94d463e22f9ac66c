"""``houseguest refine alfred check``: what rules find wrong with commands; no model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json, whole_number
from env_service.cli.errors import PROBLEM, Failure
from env_service.cli.output import print_table
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.refine.originals import Judged
    from env_service.refine.source import Source

_EXAMPLES = """\b
Examples:
  houseguest refine alfred check                     the crowd's commands of valid_seen
  houseguest refine alfred check valid_unseen --list 20
  houseguest refine alfred check refined.json        a file: its form, and all its texts
  houseguest refine alfred check refined.json --of valid_seen --strict

\b
Exit status: 0 all is well formed; 1 a record is not, or, with --strict, a text has findings.
"""

_Row = tuple[str, str, str, str]


@click.command("check", epilog=_EXAMPLES)
@click.argument("subject", default="valid_seen", metavar="[TASK_SET|FILE]")
@click.option(
    "--of",
    "task_set",
    default="",
    metavar="TASK_SET",
    help="The file has to have exactly the tasks of this set, with their sequences and commands.",
)
@whole_number("--list", "List the first N commands with findings; 0 for none.")
@click.option("--strict", is_flag=True, help="Exit status 1 where a refined text has findings.")
@json_option
def check_command(*, subject: str, task_set: str, strict: bool, as_json: bool, **more: Any) -> int:
    """Check commands by a lexicon and rules.

    Of a task set the crowd's commands: how many do not lead to the task's goal, in the classes of
    the paper's Table 1, with its numbers beside. Of a file in the published format also its form
    and the texts of all five wordings.
    """
    from env_service.refine.errors import RefineError
    from env_service.suites.alfred.dataset.refined import RefinedError

    try:
        checked = _Checked.read(subject, task_set)
    except (RefineError, RefinedError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error
    if as_json:
        print_json(checked.to_json())
    else:
        checked.show(more["list"])
    return PROBLEM if strict and checked.texts else 0


class _Checked:
    """What was found. ``texts``: the refined texts with findings, as (task, stage, text, what)."""

    def __init__(self, name: str, sources: Sequence[Source], *, of_file: bool = False) -> None:
        from env_service.refine.originals import judge_originals

        self.name, self.sources, self._of_file = name, sources, of_file
        self.judged = judge_originals(sources)
        self.texts: list[_Row] = [row for s in sources for row in _texts(s)] if of_file else []

    @classmethod
    def read(cls, subject: str, task_set: str) -> _Checked:
        """A task set's commands, or all of a file. Raises RefineError and RefinedError."""
        from env_service.refine.loading import load_file, load_task_set

        path = Path(subject)
        if not (path.is_file() or path.suffix == ".json"):
            return cls(subject.removeprefix("alfred/"), load_task_set(subject))
        sources = load_file(path)
        if task_set:
            sources = _joined(path, sources, task_set)
        return cls(task_set, sources, of_file=True)

    def to_json(self) -> dict[str, Any]:
        """The same as a document."""
        from env_service.refine.originals import Fault, count_faults

        wrong = count_faults(each.fault for each in self.judged)
        strict = count_faults(each.strict_fault for each in self.judged)
        return {
            "tasks": len(self.sources),
            "originals": {
                "commands": len(self.judged),
                "faults": {fault.value: wrong[fault] for fault in Fault},
                "faults_and_doubts": {fault.value: strict[fault] for fault in Fault},
                "found": [_found_json(each) for each in self.judged if each.strict_fault],
            },
            "texts": [
                {"task": task, "stage": stage, "text": text, "findings": what}
                for task, stage, text, what in self.texts
            ],
        }

    def show(self, listed: int) -> None:
        """The tables, and the first few commands."""
        self._show_originals()
        wrong = [each for each in self.judged if each.fault]
        for each in wrong[:listed]:
            click.echo(f"{each.source.id}/{each.place} {each.text.strip()!r}: {each.reason}")
        if self._of_file:
            self._show_texts(listed)

    def _show_originals(self) -> None:
        from env_service.refine.originals import PUBLISHED, SOURCE, Fault, count_faults

        total = len(self.judged)
        wrong = count_faults(each.fault for each in self.judged)
        strict = count_faults(each.strict_fault for each in self.judged)
        published = PUBLISHED.get(self.name)
        told = {fault: str(count) for fault, count in published.faults.items()} if published else {}
        rows = [
            (
                fault.value,
                *_cells(wrong[fault], total),
                *_cells(strict[fault], total),
                told.get(fault, ""),
            )
            for fault in Fault
        ]
        sums = (*_cells(wrong.total(), total), *_cells(strict.total(), total))
        summed = str(sum(published.faults.values())) if published else ""
        rows.append(("any", *sums, summed))
        print_table(("fault", "#commands", "#%", "#with doubts", "#%", "#published"), rows)
        click.echo(
            f"{total} original commands of {counted(len(self.sources), 'task')}, judged by rules"
        )
        if published:
            click.echo(f"published: {SOURCE}, of {published.commands} commands, told by a model")

    def _show_texts(self, listed: int) -> None:
        click.echo()
        flagged = Counter(stage for _, stage, _, _ in self.texts)
        names = ("B", "P1", "P2", "C", "K")
        total = str(len(self.sources))
        print_table(
            ("wording", "#with findings", "#of"),
            [(name, str(flagged[name]), total) for name in names],
        )
        for task, stage, text, what in self.texts[:listed]:
            click.echo(f"{task} {stage} {text!r}: {what}")


def _cells(count: int, total: int) -> tuple[str, str]:
    return str(count), f"{100 * count / total:.1f}" if total else ""


def _texts(source: Source) -> list[_Row]:
    from env_service.refine.findings import check
    from env_service.refine.stages import Stage

    rows = []
    for stage, text in source.texts.items():
        base = "" if stage is Stage.BASE else source.texts[Stage.BASE]
        found = check(stage, text, source.goal, base)
        if found:
            rows.append((source.id, stage.value, text, "; ".join(map(str, found))))
    return rows


def _found_json(judged: Judged) -> dict[str, Any]:
    fault = judged.fault
    return {
        "task": judged.source.id,
        "command": judged.place,
        "text": judged.text,
        "fault": fault.value if fault else None,
        "reason": judged.reason,
        "doubtful": judged.doubtful,
    }


def _joined(path: Path, sources: Sequence[Source], task_set: str) -> tuple[Source, ...]:
    """The file's tasks with the goals of the task set, which has to have the same ones."""
    from env_service.refine.joining import join

    return join(path, sources, task_set)

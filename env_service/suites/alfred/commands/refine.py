"""``houseguest refine alfred``: ALFRED's commands, refined by a model; and ``… check``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from env_service.cli.command import CommandGroup
from env_service.cli.endpoint_options import (
    endpoint_options,
    fresh_option,
    parallel_option,
    prompts_option,
    retries_option,
)
from env_service.cli.errors import PROBLEM, Failure, Misuse
from env_service.cli.options import (
    added,
    json_option,
    names_option,
    print_json,
    split_names,
    whole_number,
)
from env_service.cli.output import print_table
from env_service.domain.text import counted

if TYPE_CHECKING:
    from env_service.suites.alfred.refine.checks import Judged
    from env_service.suites.alfred.refine.sources import Source


# --- The options of ``houseguest refine alfred``

F = TypeVar("F", bound=Callable[..., Any])

STAGES = ("integrity", "B", "P1", "P2", "C", "K")
"""The names of `stages.Stage`, which is not imported for --help."""

_FILE = click.Path(dir_okay=False, path_type=Path)


def work_options(command: F) -> F:
    """What is refined, how, and where to. See the names of the parameters below."""
    return _what_options(_how_options(command))


def _what_options(command: F) -> F:
    return added(
        command,
        click.option(
            "--task-set",
            default="valid_seen",
            show_default=True,
            metavar="NAME",
            help="A task set of the suite alfred, such as builtin.",
        ),
        click.option(
            "--from",
            "source_file",
            type=_FILE,
            metavar="FILE",
            help="Use a file in the published format instead; skipped stages keep its texts.",
        ),
        names_option(
            "--tasks",
            "PATTERN[,…]",
            "Task ids, types, or shell patterns; may be repeated.  [default: all]",
        ),
        whole_number("--limit", "The first N of these tasks; 0 for all."),
        click.option(
            "--stages",
            multiple=True,
            metavar="NAME[,…]",
            callback=lambda _context, _parameter, given: _stages(given),
            help=f"Of {', '.join(STAGES)}.  [default: all]",
        ),
        click.option(
            "--out",
            type=_FILE,
            metavar="FILE",
            help="The file for the records, in the published format.",
        ),
        click.option(
            "--review",
            type=_FILE,
            metavar="FILE",
            help="Apply people's entries in this review file.",
        ),
    )


def _how_options(command: F) -> F:
    return added(
        command,
        click.option(
            "--batch",
            type=click.IntRange(1, 200),
            default=20,
            show_default=True,
            metavar="N",
            help="Commands per request.",
        ),
        parallel_option,
        retries_option,
        click.option(
            "--korean-of",
            type=click.Choice(["B", "P1"]),
            default="B",
            show_default=True,
            help="The wording to translate.",
        ),
        prompts_option,
        click.option(
            "--again", is_flag=True, help="Ask again for texts that are marked for review."
        ),
        fresh_option,
        click.option(
            "--mix", is_flag=True, help="Continue even if model, prompts or tasks differ."
        ),
        click.option("--dry-run", is_flag=True, help="Print the first prompts and send nothing."),
    )


def _stages(given: tuple[str, ...]) -> tuple[str, ...]:
    names = split_names(given) or STAGES
    folded = {name.casefold(): name for name in STAGES}
    for name in names:
        if name.casefold() not in folded:
            raise click.BadParameter(
                f"no such stage: {name!r}; the stages are {', '.join(STAGES)}."
            )
    return tuple(folded[name.casefold()] for name in names)


# --- ``houseguest refine alfred check``: what rules find wrong with commands; no model is asked

_CHECK_EXAMPLES = """\b
Examples:
  houseguest refine alfred check                     the crowd workers' commands of valid_seen
  houseguest refine alfred check valid_unseen --list 20
  houseguest refine alfred check refined.json        a file: its format and all its texts
  houseguest refine alfred check refined.json --of valid_seen --strict

\b
Exit status: 0 every record is well formed; 1 one is not, or, with --strict, a text has findings.
"""

_Row = tuple[str, str, str, str]


@click.command("check", epilog=_CHECK_EXAMPLES)
@click.argument("subject", default="valid_seen", metavar="[TASK_SET|FILE]")
@click.option(
    "--of",
    "task_set",
    default="",
    metavar="TASK_SET",
    help="The file must have exactly the tasks of this set, with their sequences and commands.",
)
@whole_number("--list", "List the first N commands with findings; 0 for none.")
@click.option("--strict", is_flag=True, help="Exit status 1 if a refined text has findings.")
@json_option
def check_command(*, subject: str, task_set: str, strict: bool, as_json: bool, **more: Any) -> int:
    """Check commands with a lexicon and rules.

    For a task set, the command counts the crowd workers' commands that do not lead to the task's
    goal, in the classes of the paper's Table 1, next to the paper's numbers. For a file in the
    published format, it also checks the format and the texts of all five wordings.
    """
    from env_service.suites.alfred.dataset.refined_commands import RefinedError
    from env_service.suites.alfred.refine.sources import RefineError

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
        from env_service.suites.alfred.refine.checks import judge_originals

        self.name, self.sources, self._of_file = name, sources, of_file
        self.judged = judge_originals(sources)
        self.texts: list[_Row] = [row for s in sources for row in _texts(s)] if of_file else []

    @classmethod
    def read(cls, subject: str, task_set: str) -> _Checked:
        """A task set's commands, or all of a file. Raises RefineError and RefinedError."""
        from env_service.suites.alfred.refine.sources import load_file, load_task_set

        path = Path(subject)
        if not (path.is_file() or path.suffix == ".json"):
            return cls(subject.removeprefix("alfred/"), load_task_set(subject))
        sources = load_file(path)
        if task_set:
            sources = _joined(path, sources, task_set)
        return cls(task_set, sources, of_file=True)

    def to_json(self) -> dict[str, Any]:
        """The same as a document."""
        from env_service.suites.alfred.refine.checks import CommandDefect, count_defects

        wrong = count_defects(each.defect for each in self.judged)
        strict = count_defects(each.strict_defect for each in self.judged)
        return {
            "tasks": len(self.sources),
            "originals": {
                "commands": len(self.judged),
                "faults": {defect.value: wrong[defect] for defect in CommandDefect},
                "faults_and_doubts": {defect.value: strict[defect] for defect in CommandDefect},
                "found": [_found_json(each) for each in self.judged if each.strict_defect],
            },
            "texts": [
                {"task": task, "stage": stage, "text": text, "findings": what}
                for task, stage, text, what in self.texts
            ],
        }

    def show(self, listed: int) -> None:
        """The tables, and the first few commands."""
        self._show_originals()
        wrong = [each for each in self.judged if each.defect]
        for each in wrong[:listed]:
            click.echo(f"{each.source.id}/{each.place} {each.text.strip()!r}: {each.reason}")
        if self._of_file:
            self._show_texts(listed)

    def _show_originals(self) -> None:
        from env_service.suites.alfred.refine.checks import (
            PUBLISHED,
            SOURCE,
            CommandDefect,
            count_defects,
        )

        total = len(self.judged)
        wrong = count_defects(each.defect for each in self.judged)
        strict = count_defects(each.strict_defect for each in self.judged)
        published = PUBLISHED.get(self.name)
        by_paper = (
            {defect: str(count) for defect, count in published.defects.items()} if published else {}
        )
        rows = [
            (
                defect.value,
                *_cells(wrong[defect], total),
                *_cells(strict[defect], total),
                by_paper.get(defect, ""),
            )
            for defect in CommandDefect
        ]
        sums = (*_cells(wrong.total(), total), *_cells(strict.total(), total))
        summed = str(sum(published.defects.values())) if published else ""
        rows.append(("any", *sums, summed))
        print_table(("fault", "#commands", "#%", "#with doubts", "#%", "#published"), rows)
        click.echo(
            f"{total} original commands of {counted(len(self.sources), 'task')}, judged by rules"
        )
        if published:
            click.echo(f"published: {SOURCE}, of {published.commands} commands, judged by a model")

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
    from env_service.suites.alfred.refine.checks import find_defects
    from env_service.suites.alfred.refine.sources import Stage

    rows = []
    for stage, text in source.texts.items():
        base = "" if stage is Stage.BASE else source.texts[Stage.BASE]
        found = find_defects(stage, text, source.goal, base)
        if found:
            rows.append((source.id, stage.value, text, "; ".join(map(str, found))))
    return rows


def _found_json(judged: Judged) -> dict[str, Any]:
    defect = judged.defect
    return {
        "task": judged.source.id,
        "command": judged.place,
        "text": judged.text,
        "fault": defect.value if defect else None,
        "reason": judged.reason,
        "doubtful": judged.doubtful,
    }


def _joined(path: Path, sources: Sequence[Source], task_set: str) -> tuple[Source, ...]:
    """The file's tasks with the goals of the task set, which has to have the same ones."""
    from env_service.suites.alfred.refine.sources import join

    return join(path, sources, task_set)


# --- ``houseguest refine alfred``: ALFRED's commands, refined by a model; and ``… check``

_ALFRED_EXAMPLES = """\b
Examples:
  houseguest refine alfred --task-set valid_seen --out refined.json \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B --parallel 4
  houseguest refine alfred --task-set builtin --limit 20 --stages B,P1 --model NAME --out mine.json
  houseguest refine alfred --from refined.json --stages K --model NAME --out retranslated.json
  houseguest refine alfred --out refined.json --model NAME --review refined.review.csv
  houseguest refine alfred --task-set valid_seen --dry-run
  houseguest refine alfred check valid_seen

\b
The command also writes OUT.review.csv, for review by people; OUT.state.jsonl, from which the same
command resumes after Ctrl-C or a failure; and OUT.manifest.json, which records the settings.
Exit status: 0 every text exists; 1 some are missing, or the server failed.
"""


@click.group("alfred", cls=CommandGroup, invoke_without_command=True, epilog=_ALFRED_EXAMPLES)
@work_options
@endpoint_options
@json_option
@click.pass_context
def alfred_command(context: click.Context, /, **asked: Any) -> int:
    """Refine ALFRED's commands with any OpenAI-compatible model.

    There are six stages: integrity (what is wrong with the crowd workers' commands), B (a command
    for each action sequence), P1 and P2 (paraphrases), C (contextual), K (Korean). Rules check
    each reply, and the command requests a wrong one again. Texts that remain wrong are marked for
    review.
    """
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return 0
    from env_service.suites.alfred.commands.refine_run import refine

    return refine(asked)


def _refuse_options(context: click.Context) -> None:
    """Refuses options before a subcommand, which would have no effect."""
    for parameter in context.command.params:
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            raise Misuse(
                f"{parameter.opts[0]} does not apply to {context.invoked_subcommand!r}; see"
                f" houseguest refine alfred {context.invoked_subcommand} --help"
            )


alfred_command.add_command(check_command)


_GROUP_EXAMPLES = """\b
Examples:
  houseguest refine alfred --task-set valid_seen --model NAME --base-url URL --out refined.json
  houseguest refine alfred check refined.json
"""


@click.group("refine", cls=CommandGroup, epilog=_GROUP_EXAMPLES)
def refine_command() -> None:
    """Write a benchmark's commands with a language model, and check them."""


refine_command.add_command(alfred_command)

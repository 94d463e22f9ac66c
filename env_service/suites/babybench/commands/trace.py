"""``houseguest babybench trace``: an answer compared with the true states, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.errors import Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.run_arguments import RecordedReply, find_episode, open_run, read_replies

if TYPE_CHECKING:
    from env_service.results.manifest import Manifest
    from env_service.results.records import EpisodeRecord
    from env_service.suites.babybench.tracing.answer_trace import AnswerTrace

_SUITE = "babybench"

_EXAMPLES = """\b
Examples:
  houseguest babybench trace RUN BossLevel/2
  houseguest babybench trace RUN BossLevel/2 --repeat 1 --out boss.html
  houseguest show RUN --failures                the tasks to look at
"""


@click.command("trace", epilog=_EXAMPLES)
@click.argument(
    "path", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.argument("name", metavar="TASK|EPISODE")
@click.option("--repeat", default=0, metavar="N", help="The repeat of the task.  [default: 0]")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The page to write.  [default: trace-TASK.html]",
)
@json_option
def trace_command(path: Path, name: str, *, repeat: int, out: Path | None, as_json: bool) -> None:
    """Write a page that steps through an answer.

    Predict: the expert's actions, with the state that the answer claims. Plan: the answer's
    actions. Decompose: the answer's subgoals, executed with the expert's stack; subgoals that the
    expert adds are marked. The page is one file that works offline.
    """
    from env_service.results.manifest import slug
    from env_service.suites.babybench.tracing.page import as_page

    run = open_run(path, _SUITE, "traced")
    record = find_episode(run, name, repeat)
    said = read_replies(run, record)
    story = _tell(said)
    title = f"{run.manifest.task_set.partition(':')[0]} {record.task_id}"
    page = as_page(title, story, _facts(run.manifest, record), said.thought)
    place = out or Path(f"trace-{slug(record.task_id)}.html")
    try:
        place.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Misuse(f"{place} cannot be written: {error.strerror}. Name another one.") from None
    if as_json:
        print_json({"page": str(place), "task": record.task_id, "verdict": story.verdict})
    else:
        click.echo(story.verdict)
        click.echo(str(place))


def _tell(said: RecordedReply) -> AnswerTrace:
    from env_service.domain.action import Text
    from env_service.suites.babybench.grading import RULES, Grader
    from env_service.suites.babybench.tasks import read_task
    from env_service.suites.babybench.tracing.answer_trace import trace_answer

    order = said.order
    grader = Grader(read_task(order.task), RULES[order.condition["scoring"]])
    # An empty trace means that the agent sent no text.
    action = said.actions[0] if said.actions else Text("")
    try:
        return trace_answer(grader, action.text if isinstance(action, Text) else "")
    except ValueError as error:
        raise Misuse(f"{order.task.id}: {error}.") from None


def _facts(manifest: Manifest, record: EpisodeRecord) -> list[tuple[str, str]]:
    """Whose answer it is, and its recorded facts."""
    from env_service.results.report.runs import agent_name

    condition = manifest.condition
    settings = ", ".join(
        f"{name} {condition[name]}" for name in ("formatter", "prompter", "scoring")
    )
    metrics = "; ".join(
        f"{name.replace('_', ' ')} {value:.4g}" for name, value in sorted(record.metrics.items())
    )
    return [
        ("run", manifest.run_id),
        ("agent", agent_name(manifest)),
        ("settings", settings),
        ("task", f"{record.task_id}, repeat {record.repeat}"),
        ("episode", record.episode_id),
        ("recorded as", "success" if record.success else f"failure ({record.failure})"),
        ("answer", record.labels.get("answer", "none")),
        ("metrics", metrics),
    ]

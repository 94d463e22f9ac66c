"""How objects show themselves in a notebook. Every text is escaped: agents wrote many of them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from env_service.results.report.runs import agent_name
from houseguest.errors import HouseguestError

if TYPE_CHECKING:
    from houseguest.episodes import Episode, Shown
    from houseguest.runs import Run

_MOST_ROWS = 100
_LONGEST = 300
_PICTURE_PIXELS = 240


def rate_text(run: Run) -> str:
    """``41.7 % (19.3 to 68.0), 12 of 12 episodes``."""
    overall, planned = run.summary.overall, run.summary.planned
    count = f"{overall.n} of {planned} episodes"
    if overall.rate is None or overall.low is None or overall.high is None:
        return count
    rate, low, high = (100 * each for each in (overall.rate, overall.low, overall.high))
    return f"{rate:.1f} % ({low:.1f} to {high:.1f}), {count}"


def runs_html(runs: Sequence[Run]) -> str:
    """A table with a row for each run."""
    rows = [
        [
            run.name,
            run.suite,
            run.task_set,
            agent_name(run.manifest),
            str(run.seed),
            rate_text(run),
        ]
        for run in runs[:_MOST_ROWS]
    ]
    head = ["run", "suite", "task set", "agent", "seed", "success (95 % interval)"]
    return table_html(head, rows, len(runs))


def table_html(head: Iterable[str], rows: Sequence[Sequence[str]], count: int) -> str:
    """A table of texts; ``count`` is the number of rows there would be without a limit."""
    titles = "".join(f"<th>{_text(each)}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    more = f"<p>… and {count - len(rows)} more</p>" if count > len(rows) else ""
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>{more}"


def episode_html(episode: Episode) -> str:
    """The instruction, the first and the last picture, and a table of steps."""
    result = {True: "success", False: f"failure: {episode.failure}", None: "unscored"}
    title = f"{episode.task_id}, repeat {episode.repeat}: {result[episode.success]}"
    parts = [f"<p><b>{_text(title)}</b><br>{_text(episode.instruction)}</p>"]
    steps = list(episode.steps)
    shown = [episode.opening, *(step.shown for step in steps[-1:])]
    parts += [picture for each in shown if (picture := _picture(each))]
    rows = [
        [
            str(step.index),
            step.action,
            "; ".join(
                ": ".join(filter(None, (each.code, each.feedback))) for each in step.outcomes
            ),
            step.thought,
        ]
        for step in steps[:_MOST_ROWS]
    ]
    parts.append(table_html(["step", "action", "outcome", "thought"], rows, len(steps)))
    return "".join(parts)


def _picture(shown: Shown) -> str:
    from houseguest.episodes import colour_picture  # noqa: PLC0415 - it imports this module

    found = colour_picture(shown)
    if found is None:
        return ""
    try:
        image = found.image()
    except HouseguestError as error:
        return f"<p>{_text(str(error))}</p>"
    image.thumbnail((_PICTURE_PIXELS, _PICTURE_PIXELS))
    file = io.BytesIO()
    image.save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="what the agent saw" src="data:image/png;base64,{data}"> '


def _text(text: str) -> str:
    return escape(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")

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

MOST_ROWS = 100
"""The largest number of rows of a table in a notebook."""
_LONGEST = 300
_PICTURE_PIXELS = 240
_PLAYER_BYTES = 2_000_000
"""The largest page of an episode, so that notebooks stay small; pictures get smaller to fit."""


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
        for run in runs[:MOST_ROWS]
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


def result_text(episode: Episode) -> str:
    """``success``, ``failure: max_steps`` or ``unscored``."""
    return {True: "success", False: f"failure: {episode.failure}", None: "unscored"}[
        episode.success
    ]


def episodes_html(episodes: Sequence[Episode], count: int) -> str:
    """A table with a row for each episode; ``count`` is the number of all."""
    rows = [
        [
            each.run_path.name,
            each.task_id,
            str(each.repeat),
            result_text(each),
            str(each.record.steps),
            f"{each.agent_seconds:.1f}",
        ]
        for each in episodes
    ]
    return table_html(["run", "task", "repeat", "result", "steps", "agent's seconds"], rows, count)


def episode_html(episode: Episode) -> str:
    """The instruction and the player. Without the extra ``view``, which has the player: the first
    and the last picture, and a table of steps."""
    title = f"{episode.task_id}, repeat {episode.repeat}: {result_text(episode)}"
    head = f"<p><b>{_text(title)}</b><br>{_text(episode.instruction)}</p>"
    player = _player(episode)
    if player:
        return f"{head}{player}<details><summary>steps</summary>{_steps(episode)}</details>"
    steps = episode.steps
    shown = [episode.opening, *([steps[-1].shown] if len(steps) else [])]
    pictures = "".join(_picture(each) for each in shown)
    return f"{head}{pictures}{_steps(episode)}"


def _player(episode: Episode) -> str:
    """The viewer's page of the episode in a frame; empty if it cannot be made."""
    try:
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - of the extra `view`

        from env_service.index.store import Index, IndexUnavailableError  # noqa: PLC0415 - likewise
        from env_service.results.pictures import RecordingError  # noqa: PLC0415 - likewise
        from env_service.view.requests import RefusedError  # noqa: PLC0415 - likewise
        from env_service.view.trace_file import TooLargeError, make_trace  # noqa: PLC0415 - likewise
    except ImportError:
        return ""
    run = episode.run_path.resolve()
    try:
        with Index.open(run.parent) as index:
            index.sync(only=(run.name,))
            page = make_trace(index, run.name, episode.id, _PLAYER_BYTES, replay=False).text
    except (
        *(IndexUnavailableError, RecordingError, RefusedError, TooLargeError),
        *(SQLAlchemyError, OSError),
    ):
        return ""
    return framed(page, "the episode")


def framed(page: str, title: str) -> str:
    """A whole page in a frame, apart from the notebook's styles and scripts."""
    # In `srcdoc`, links within the page would lead to the notebook.
    data = base64.b64encode(page.encode()).decode()
    return (
        f'<iframe sandbox="allow-scripts" src="data:text/html;charset=utf-8;base64,{data}"'
        f' title="{escape(title)}" style="width:100%;height:720px;border:0"></iframe>'
    )


def _steps(episode: Episode) -> str:
    steps = list(episode.steps)
    rows = [
        [
            str(step.index),
            step.action,
            "; ".join(
                ": ".join(filter(None, (each.code, each.feedback))) for each in step.outcomes
            ),
            step.thought,
        ]
        for step in steps[:MOST_ROWS]
    ]
    return table_html(["step", "action", "outcome", "thought"], rows, len(steps))


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

"""Where the viewer's pages have the episodes of a table's row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from env_service.results.report.content import episodes_link, run_link
from env_service.results.report.episode_columns import EpisodeColumns, Ints
from env_service.suites.reporting import Chosen, Field, Key, Label

Linked = Callable[..., str]
"""The link to some episodes, with further filters; empty if no filters choose just these."""


def episodes_place(
    episodes: EpisodeColumns,
    keys: Collection[Key],
    members: Ints,
    more: Sequence[tuple[str, str]] = (),
) -> str:
    """The place of the episodes that agree in all keys; empty if the page cannot filter by one."""
    filters = [("run", run.contents.path.name) for run in episodes.runs_of(members)]
    if not filters:
        return ""
    first = episodes.records[int(members[0])]
    for key in keys:
        match key:
            case Field.RUN | Field.AGENT | Chosen():
                # The runs decide it.
                continue
            case Field.GROUP:
                filters.append(("group", first.group))
            case Field.FAILURE if first.failure:
                filters.append(("failure", first.failure))
            case Field.RESULT | Field.FAILURE:
                filters.append(("outcome", "success" if first.success else "failure"))
            case Label(separator="") if key.name in first.labels:
                filters.append(("label", f"{key.name}={first.labels[key.name]}"))
            case _:
                return ""
    if keys == [Field.RUN] and not more and len(filters) == 1:
        return run_link(filters[0][1])
    return episodes_link([*filters, *more])


def run_place(episodes: EpisodeColumns, members: Ints) -> str:
    """The place of the only run of these episodes; empty for several."""
    runs = [run.contents.path.name for run in episodes.runs_of(members)]
    return run_link(runs[0]) if len(runs) == 1 else ""

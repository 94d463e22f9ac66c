"""Episodes and their steps, read lazily from the records and transcripts of run folders."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from env_service.domain.data_node import DataNode
from env_service.domain.episode import GoalCondition
from env_service.domain.observation import ImageEncoding
from env_service.domain.usage import Usage
from env_service.results.domain_json import read_action, read_encoding
from env_service.results.recorded_episode import action_words, read_lines
from env_service.results.records import EpisodeRecord, read_usage
from env_service.results.report.episode_table import episode_table
from env_service.results.report.step_table import STEP_COLUMNS, Row, of_episode, step_row
from env_service.results.run_layout import FRAMES, TRANSCRIPTS
from env_service.results.run_reader import RunContents
from houseguest.errors import HouseguestError, UsageError, translated
from houseguest.frames import Table, Tabular
from houseguest.html import MOST_ROWS, episode_html, episodes_html, result_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that the agent was shown. Its pixels are read when you ask for them.

    ``channel`` is RGB or another channel's name, ``role`` CURRENT, PREVIOUS or GOAL, ``view`` the
    camera's name. Sizes are in pixels.
    """

    channel: str
    role: str
    view: str
    width: int
    height: int
    sha256: str
    encoding: ImageEncoding
    _frames: Path

    def array(self) -> npt.NDArray[np.uint8] | npt.NDArray[np.float32]:
        """The pixels: uint8 [H, W, 3] for colour, float32 [H, W] in metres for depth.

        Raises HouseguestError if the picture is missing or was changed.
        """
        import numpy as np  # noqa: PLC0415 - slow to import, and few need pixels

        data = self._data()
        if self.encoding is ImageEncoding.RAW:
            return np.frombuffer(data, np.uint8).reshape(self.height, self.width, 3)
        if self.encoding is ImageEncoding.RAW_F32:
            return np.frombuffer(data, "<f4").reshape(self.height, self.width)
        return np.asarray(self._opened(data))

    def image(self) -> Image:
        """The picture as an image of Pillow; depth has the mode F. Raises as ``array`` does."""
        from PIL import Image  # noqa: PLC0415 - slow to import, and few need pixels

        if self.encoding in (ImageEncoding.RAW, ImageEncoding.RAW_F32):
            return Image.fromarray(self.array())
        return self._opened(self._data())

    def _data(self) -> bytes:
        from env_service.storage.frame_store import (  # noqa: PLC0415 - imports numpy and Pillow
            FrameError,
            FrameStore,
        )

        try:
            return FrameStore(self._frames).read(bytes.fromhex(self.sha256), self.encoding)
        except FrameError as error:
            raise HouseguestError(f"{error}. Check the run with hg.verify.") from error

    def _opened(self, data: bytes) -> Image:
        from PIL import Image  # noqa: PLC0415 - slow to import, and few need pixels

        with Image.open(io.BytesIO(data)) as picture:
            return picture.convert("RGB")

    def _repr_png_(self) -> bytes | None:
        if self.encoding is ImageEncoding.RAW_F32:
            return None
        file = io.BytesIO()
        self.image().save(file, "PNG")
        return file.getvalue()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the agent was shown at one moment."""

    text: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one action: its code, such as SUCCEEDED, and the suite's feedback."""

    code: str
    feedback: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an episode.

    ``index`` counts from 0. ``action`` is in words, the calls of a plan joined by semicolons.
    ``thought`` and ``reply`` are the agent's own claims: why it acted, and what its model wrote.
    ``outcomes`` has one for each action as it truly was, ``disclosed`` what of that the agent was
    shown. ``shown`` is what it saw afterwards. ``raw`` is the transcript's line.
    """

    index: int
    action: str
    thought: str
    reply: str
    outcomes: tuple[Outcome, ...]
    disclosed: tuple[Outcome, ...]
    shown: Shown
    agent_seconds: float
    environment_seconds: float
    usage: Usage
    raw: Mapping[str, Any]


_NOT_STEPS = 2
"""Exchanges of a transcript that are not steps: the beginning and the end."""


class Episode(Tabular):
    """One attempt at one task. Its frame has a row for each step.

    ``record`` has all fields of the run's journal; the most used ones are properties here.
    """

    def __init__(self, run: RunContents, record: EpisodeRecord) -> None:
        self._run = run
        self.record = record

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.record.episode_id

    @property
    def run_id(self) -> str:
        """The id of its run."""
        return self._run.manifest.run_id

    @property
    def run_path(self) -> Path:
        """The folder of its run."""
        return self._run.path

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self.record.task_id

    @property
    def repeat(self) -> int:
        """Which repeat of the task it is, from 0."""
        return self.record.repeat

    @property
    def scored(self) -> bool:
        """Whether the episode counts. False if the service could not finish it."""
        return self.record.fault is None

    @property
    def success(self) -> bool | None:
        """Whether the agent reached the goal; None if the episode is not scored."""
        return self.record.success if self.scored else None

    @property
    def failure(self) -> str | None:
        """The class of the failure; None on success."""
        return self.record.failure

    @property
    def goal_conditions(self) -> tuple[GoalCondition, ...]:
        """Each condition with ``name``, ``met`` and ``held_at_start``."""
        return self.record.goal_conditions

    @property
    def metrics(self) -> Mapping[str, float]:
        """The suite's numbers."""
        return self.record.metrics

    @property
    def labels(self) -> Mapping[str, str]:
        """The suite's labels."""
        return self.record.labels

    @property
    def usage(self) -> Usage:
        """What the agent's model used, by the agent's own count."""
        return self.record.usage

    @property
    def agent_seconds(self) -> float:
        """The agent's time, in seconds."""
        return self.record.agent_seconds

    @property
    def environment_seconds(self) -> float:
        """The environment's time, in seconds."""
        return self.record.environment_seconds

    @property
    def instruction(self) -> str:
        """The task's instruction, from the transcript."""
        return str(self._begin.get("truth", {}).get("instruction") or "")

    @cached_property
    def opening(self) -> Shown:
        """What the agent was shown before its first action."""
        with translated():
            return _shown(DataNode(self._begin, "begin")["shown"], self.run_path)

    @cached_property
    def steps(self) -> Steps:
        """The steps, read from the transcript when you use them."""
        return Steps([self])

    @cached_property
    def _begin(self) -> Mapping[str, Any]:
        return next((line for line in self.lines() if line.get("kind") == "begin"), {})

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The transcript's lines after its header.

        Raises HouseguestError at the end if lines are missing or cannot be read.
        """
        read = -1
        for read, line in enumerate(read_lines(self.run_path, self.record)):
            if read:
                yield line
        if max(read, 0) < self.record.exchanges:
            path = self.run_path / TRANSCRIPTS / f"{self.id}.jsonl"
            raise HouseguestError(
                f"{path}: only {max(read, 0)} of {self.record.exchanges} lines can be read."
                " The file is missing or was changed; check the run with hg.verify."
            )

    def table(self) -> Table:
        """A row for each step; see ``Steps``."""
        return self.steps.table()

    def __len__(self) -> int:
        return max(self.record.exchanges - _NOT_STEPS, 0)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __repr__(self) -> str:
        return f"<Episode {self.id} of {self.task_id}, {result_text(self)}>"

    def _repr_html_(self) -> str:
        return episode_html(self)


class Episodes(Tabular, Sequence[Episode]):
    """Episodes of some runs, as recorded. Their frame has a row for each episode.

    The columns are those of a report's ``episodes.csv``: ``EPISODE_COLUMNS``, then
    ``setting NAME``, ``usage NAME``, ``label NAME`` and ``metric NAME`` for each name that any of
    the episodes has.
    """

    def __init__(self, parts: Iterable[tuple[RunContents, Sequence[EpisodeRecord]]]) -> None:
        """``parts`` are runs, each with the episodes chosen of it."""
        self._parts = tuple(parts)

    def filter(self, **wanted: object) -> Episodes:
        """The episodes whose properties have these values: ``episodes.filter(success=False)``.

        Raises UsageError for a name that is not a property of an episode.
        """
        for name in wanted:
            if name.startswith("_") or not isinstance(getattr(Episode, name, None), property):
                raise UsageError(f"An episode has no property {name!r} to filter by.")
        return Episodes(
            (
                run,
                [
                    record
                    for record in records
                    if all(getattr(Episode(run, record), k) == v for k, v in wanted.items())
                ],
            )
            for run, records in self._parts
        )

    @property
    def steps(self) -> Steps:
        """The steps of all of these episodes; transcripts are read one at a time."""
        return Steps(self)

    def table(self) -> Table:
        """A row for each episode."""
        return episode_table(self._parts)

    def __len__(self) -> int:
        return sum(len(records) for _, records in self._parts)

    def __iter__(self) -> Iterator[Episode]:
        return (Episode(run, record) for run, records in self._parts for record in records)

    @overload
    def __getitem__(self, index: int) -> Episode: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Episode]: ...

    def __getitem__(self, index: int | slice) -> Episode | Sequence[Episode]:
        return list(self)[index]

    def __repr__(self) -> str:
        return f"<Episodes: {len(self)}>"

    def _repr_html_(self) -> str:
        return episodes_html(list(islice(self, MOST_ROWS)), len(self))


class Steps(Tabular, Sequence[Step]):
    """The steps of some episodes. Their frame has a row for each step, with ``STEP_COLUMNS``.

    Iterating reads one transcript at a time and keeps none; an index makes it keep all steps.
    """

    def __init__(self, episodes: Iterable[Episode]) -> None:
        self._episodes = episodes

    @cached_property
    def _all(self) -> tuple[Step, ...]:
        return tuple(step for episode in self._episodes for step in _steps_of(episode))

    def table(self) -> Table:
        """A row for each step."""
        rows = [row for episode in self._episodes for row in _rows_of(episode)]
        return Table(
            STEP_COLUMNS,
            {each.name: [row[place] for row in rows] for place, each in enumerate(STEP_COLUMNS)},
        )

    def __iter__(self) -> Iterator[Step]:
        if "_all" in self.__dict__:
            return iter(self._all)
        return (step for episode in self._episodes for step in _steps_of(episode))

    def __len__(self) -> int:
        return sum(map(len, self._episodes))

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        return self._all[index]


def render(episode: Episode, step: int | None = None) -> Image:
    """The agent's newest colour picture after a step, as an image of Pillow.

    ``step`` counts from 0; negative numbers count from the end, and None means the opening, before
    the first action. Raises UsageError for a step that does not exist, and HouseguestError if the
    agent was shown no colour picture then.
    """
    try:
        shown = episode.opening if step is None else episode.steps[step].shown
    except IndexError as error:
        raise UsageError(
            f"Episode {episode.id} has {len(episode.steps)} steps, and so no step {step}."
        ) from error
    picture = colour_picture(shown)
    if picture is None:
        raise HouseguestError(
            f"The agent was shown no colour picture at this moment of episode {episode.id}."
            " Its condition may be one with texts alone."
        )
    return picture.image()


def colour_picture(shown: Shown) -> Picture | None:
    """The current colour picture among those shown; None for none."""
    current = (each for each in shown.pictures if each.role == "CURRENT")
    return next((each for each in current if each.channel == "RGB"), None)


def _steps_of(episode: Episode) -> Iterator[Step]:
    lines = (line for line in episode.lines() if line.get("kind") == "step")
    with translated():
        for index, line in enumerate(lines):
            yield _step(index, line, episode.run_path)


def _rows_of(episode: Episode) -> Iterator[Row]:
    shared = of_episode(episode._run, episode.record)
    lines = (line for line in episode.lines() if line.get("kind") == "step")
    with translated():
        for index, line in enumerate(lines):
            yield step_row(shared, index, line)


def _step(index: int, line: Mapping[str, Any], run: Path) -> Step:
    fields = DataNode(line, "step")
    trace = line.get("trace")
    said = trace if isinstance(trace, dict) else {}
    return Step(
        index=index,
        action="; ".join(action_words(read_action(line.get("action")))),
        thought=str(said.get("thought") or ""),
        reply=str(said.get("raw_model_output") or ""),
        outcomes=_outcomes(fields["truth"]["outcomes"]),
        disclosed=_outcomes(fields["shown"]["outcomes"]),
        shown=_shown(fields["shown"], run),
        agent_seconds=fields["agent_seconds"].number(),
        environment_seconds=fields["environment_seconds"].number(),
        usage=read_usage(fields),
        raw=line,
    )


def _outcomes(node: DataNode) -> tuple[Outcome, ...]:
    return tuple(Outcome(*_pair(each)) for each in node.items())


def _pair(node: DataNode) -> tuple[str, str]:
    match node.strings():
        case (code, feedback):
            return code, feedback
    raise node.error("must be a code and a feedback")


def _shown(node: DataNode, run: Path) -> Shown:
    return Shown(
        node["text"].or_none(DataNode.string) or "",
        tuple(_picture(each, run) for each in node["images"].items()),
    )


def _picture(node: DataNode, run: Path) -> Picture:
    return Picture(
        channel=node["channel"].string(),
        role=node["role"].string(),
        view=node["view"].string(),
        width=node["width"].whole(),
        height=node["height"].whole(),
        sha256=node["sha256"].string(),
        encoding=read_encoding(node["encoding"]),
        _frames=run / FRAMES,
    )

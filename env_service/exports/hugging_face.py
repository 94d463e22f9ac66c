"""Runs as a data set for Hugging Face ``datasets`` and the Hub: Parquet files and a card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from env_service.exports import card
from env_service.exports.conversation import unreadable
from env_service.exports.job import Job
from env_service.exports.parquet import parquet_file
from env_service.exports.tables import EPISODES, STEPS, Write, write_tables
from env_service.exports.training import training_tasks
from env_service.results.episode_reader import shots_of
from env_service.results.pictures import RecordingError, read_picture
from env_service.results.records import EpisodeRecord
from env_service.results.report.episode_table import Column
from env_service.results.run_reader import RunContents

DATA = "data"
"""The folder of the Parquet files."""
SHARD = 400 * 2**20
"""A file that is larger is followed by another one."""


def write(job: Job) -> None:
    """Writes the tables, with pictures, and the card. Raises UnreadableEpisodeError and
    FormatError."""
    written: dict[str, Sequence[Column]] = {}

    @contextmanager
    def open_table(name: str, columns: Sequence[Column]) -> Iterator[Write]:
        written[name] = columns
        with _Shards(job.out / DATA, name, columns) as shards:
            yield shards.write

    (job.out / DATA).mkdir()
    write_tables(job, open_table, _pictures if job.pictures else None)
    (job.out / card.FILE).write_text(_card(job, written), encoding="utf-8")


class _Shards(ExitStack):
    """The files of one table."""

    def __init__(self, folder: Path, name: str, columns: Sequence[Column]) -> None:
        super().__init__()
        self._folder, self._name, self._columns = folder, name, columns
        self._number = 0
        self._open()

    def write(self, values: Sequence[Sequence[Any]]) -> None:
        """Writes rows to the last file."""
        if self._path.stat().st_size > SHARD:
            self.close()
            self._number += 1
            self._open()
        self._write(values)

    def _open(self) -> None:
        self._path = self._folder / f"{self._name}-{self._number:05}.parquet"
        info = {"info": {"features": {each.name: card.feature(each) for each in self._columns}}}
        file = parquet_file(self._path, self._columns, {"huggingface": info})
        self._write = self.enter_context(file)


def _pictures(
    run: RunContents, record: EpisodeRecord, exchange: Mapping[str, Any]
) -> list[dict[str, Any]]:
    found = []
    for shot in shots_of(exchange["shown"]):
        try:
            picture = read_picture(run.path, shot.sha256, shot.encoding, shot.width)
        except RecordingError as error:
            problem = f"picture {shot.sha256[:12]}…: {error}"
            raise unreadable(run, record, problem) from error
        suffix = picture.kind.partition("/")[2]
        found.append({"bytes": picture.data, "path": f"{shot.sha256}.{suffix}"})
    return found


def _card(job: Job, tables: Mapping[str, Sequence[Column]]) -> str:
    split = "train" if _all_training(job) else "test"
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": f"{DATA}/{name}-*.parquet"}],
            **({"default": True} if name == EPISODES else {}),
        }
        for name in tables
    ]
    described = [
        {"config_name": name, "features": card.features(columns)}
        for name, columns in tables.items()
    ]
    title = f"Houseguest episodes: {', '.join(sorted({r.manifest.suite for r in job.runs}))}"
    head = card.header(job, title, configs, job.total, dataset_info=described)
    parts = [
        f"# {title}",
        "Episodes of agents that plan in simulated homes: what each agent saw, said and did, how it"
        " scored, and what its models used.",
        _PURPOSE[split],
        _USE.format(split=split),
        card.made_by(job),
        "## Tables\n\nThe tables join on `run_id` and `episode_id`. Texts and pictures are what the"
        " agent was shown; `outcome` and `feedback` are true, and the agent may not have seen"
        " them.",
        *(f"### `{name}`\n\n{card.schema(columns)}" for name, columns in tables.items()),
    ]
    return head + "\n" + "\n\n".join(parts) + "\n"


def _all_training(job: Job) -> bool:
    return all(
        for_training(record.task_id)
        for run in job.runs
        for for_training in [training_tasks(run)]
        for record in job.episodes(run)
    )


_PURPOSE = {
    "train": "All tasks are for training, so the split is `train`.",
    "test": "**Evaluation tasks: do not train on them.** Some of these tasks are for evaluation, so"
    " the split is `test`.",
}
_USE = f"""## Use it

```python
from datasets import load_dataset

episodes = load_dataset("THIS_FOLDER", "{EPISODES}", split="{{split}}")
steps = load_dataset("THIS_FOLDER", "{STEPS}", split="{{split}}")
```"""

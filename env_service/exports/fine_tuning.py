"""Demonstrations as a data set of chats for supervised fine-tuning.

A data set without pictures is one file for TRL, Axolotl and LLaMA-Factory. With pictures, each has
its own: TRL 1.16 fills image parts from the column ``images``, Axolotl 0.19 opens the ``path`` of
image parts, and LLaMA-Factory 0.9.5 replaces ``<image>`` in texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from env_service.domain.text import counted
from env_service.exports import card
from env_service.exports.conversation import Conversation
from env_service.exports.demonstrations import Chat, Message, chats
from env_service.exports.job import Job
from env_service.exports.parquet import PICTURE, TYPES
from env_service.exports.tables import SIZE
from env_service.exports.training import check_training, keep_training, training_tasks
from env_service.results.episode_reader import Shot
from env_service.results.report.episode_table import Column, Kind
from env_service.storage.atomic_files import document

TEXTS = "train.jsonl"
TRL, AXOLOTL, LLAMA_FACTORY = "trl.parquet", "axolotl.jsonl", "llama_factory.jsonl"
DATASET_INFO = "dataset_info.json"
"""LLaMA-Factory's description of its files."""
IMAGES = "images"

_MARKS = ("<image>", "<video>", "<audio>")
"""LLaMA-Factory takes these for media wherever they are in a text."""
COLUMNS = (
    Column("run_id", Kind.TEXT, "The run's id."),
    Column("suite", Kind.TEXT, "Suite."),
    Column("task_set", Kind.TEXT, "Task set of the suite."),
    Column("episode_id", Kind.TEXT, "The episode's id."),
    Column("task_id", Kind.TEXT, "The task's id."),
    Column("success", Kind.FLAG, "Whether the agent reached the goal."),
    Column("score", Kind.NUMBER, "Share of goal conditions that hold at the end."),
    Column("steps", Kind.WHOLE, "Executed steps."),
    Column("step", Kind.WHOLE, "Step of the chat's last reply, from 0."),
    Column(
        "prompts",
        Kind.TEXT,
        "recorded: the messages are those that the model was sent. constructed: they were made from"
        " what the agent was shown and did.",
    ),
    Column("for_training", Kind.FLAG, "False for a task that agents are evaluated on."),
)
"""What each example has next to its ``messages`` and ``images``."""
_PART = pa.struct([("type", pa.string()), ("text", pa.string())])
_CHAT = pa.list_(pa.struct([("role", pa.string()), ("content", pa.list_(_PART))]))
_TEXT = {"dtype": "string", "_type": "Value"}
_FEATURES: Mapping[str, Any] = {
    "messages": [{"role": _TEXT, "content": [{"type": _TEXT, "text": _TEXT}]}],
    IMAGES: [{"_type": "Image"}],
    **{each.name: card.feature(each) for each in COLUMNS},
}


def prepare(job: Job) -> Job:
    """The job without evaluation tasks, unless the user includes them. Raises
    EvaluationTasksError if a run has no others."""
    if job.evaluation_tasks:
        return job
    check_training(job)
    return replace(job, fits=keep_training(job))


def write(job: Job) -> None:
    """Writes the chats, their pictures, and a card. Raises UnreadableEpisodeError."""
    with _Files(job.out) as files:
        for run in job.runs:
            for_training = training_tasks(run)
            for record in job.episodes(run):
                files.add(
                    Conversation(run, record),
                    pictures=job.pictures,
                    for_training=for_training(record.task_id),
                )
                job.advance()
        written = files.finish()
    (job.out / card.FILE).write_text(_card(job, written), encoding="utf-8")


@dataclass(slots=True)
class _Written:
    """What a data set has: whether pictures, and replies that are in several chats; the numbers of
    chats, of recorded ones, of those of evaluation tasks, and of episodes that make no chat."""

    pictured: bool = False
    repeated: bool = False
    examples: int = 0
    recorded: int = 0
    contaminated: int = 0
    left_out: int = 0


class _Files(ExitStack):
    """The files of a data set. The form for texts alone is that of LLaMA-Factory without pictures,
    so ``finish`` decides by what was written."""

    def __init__(self, out: Path) -> None:
        super().__init__()
        self._out = out
        self._written = _Written()
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        schema = pa.schema(
            [
                ("messages", _CHAT),
                (IMAGES, pa.list_(PICTURE)),
                *((each.name, TYPES[each.kind]) for each in COLUMNS),
            ],
            {"huggingface": json.dumps({"info": {"features": _FEATURES}})},
        )
        (out / IMAGES).mkdir()
        self._trl = self.enter_context(pq.ParquetWriter(out / TRL, schema, compression="zstd"))
        self._axolotl, self._llama = (
            self.enter_context((out / name).open("w", encoding="utf-8", errors="replace"))
            for name in (AXOLOTL, LLAMA_FACTORY)
        )

    def add(self, conversation: Conversation, *, pictures: bool, for_training: bool) -> None:
        """Writes the chats of an episode; notes if there are none."""
        found = chats(conversation, pictures=pictures)
        if not found:
            self._written.left_out += 1
        for chat in found:
            self._add(conversation, chat, for_training=for_training)

    def _add(self, conversation: Conversation, chat: Chat, *, for_training: bool) -> None:
        messages, written = chat.messages, self._written
        written.examples += 1
        written.recorded += chat.recorded
        written.contaminated += not for_training
        written.repeated |= any(m.role == "assistant" and not m.train for m in messages)
        facts = _facts(conversation, chat, for_training=for_training)
        pictures = {
            shot: _saved(self._out, conversation, shot)
            for message in messages
            for shot in message.shots
        }
        paths = [pictures[shot].path for message in messages for shot in message.shots]
        written.pictured |= bool(paths)
        _write_line(self._axolotl, {"messages": _in_parts(messages, pictures), **facts})
        images = {IMAGES: paths} if paths else {}
        _write_line(self._llama, {"messages": _in_texts(messages), **images, **facts})
        self._add_trl(messages, pictures, facts)

    def _add_trl(
        self,
        messages: Sequence[Message],
        pictures: Mapping[Shot, _Saved],
        facts: Mapping[str, Any],
    ) -> None:
        images = [
            {"bytes": pictures[shot].data, "path": Path(pictures[shot].path).name}
            for message in messages
            for shot in message.shots
        ]
        self._rows.append({"messages": _in_parts(messages), IMAGES: images, **facts})
        self._size += sum(len(each["bytes"]) for each in images)
        self._size += sum(len(message.text) for message in messages)
        if self._size >= SIZE:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            schema = self._trl.schema
            self._trl.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=schema))
        self._rows, self._size = [], 0

    def finish(self) -> _Written:
        """Closes the files, and leaves those that the data need."""
        self._flush()
        self.close()
        main = LLAMA_FACTORY
        if not self._written.pictured:
            (self._out / LLAMA_FACTORY).replace(self._out / TEXTS)
            (self._out / IMAGES).rmdir()
            for name in (TRL, AXOLOTL):
                (self._out / name).unlink()
            main = TEXTS
        info = _llama_factory_info(main, pictured=self._written.pictured)
        (self._out / DATASET_INFO).write_bytes(document(info))
        return self._written


@dataclass(frozen=True, slots=True)
class _Saved:
    """A picture's bytes, and its file in the data set."""

    data: bytes
    path: str


def _saved(out: Path, conversation: Conversation, shot: Shot) -> _Saved:
    picture = conversation.picture(shot)
    path = f"{IMAGES}/{shot.sha256}.{picture.kind.partition('/')[2]}"
    if not (out / path).exists():
        (out / path).write_bytes(picture.data)
    return _Saved(picture.data, path)


def _write_line(file: TextIO, value: Mapping[str, Any]) -> None:
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def _in_parts(
    messages: Sequence[Message], pictures: Mapping[Shot, _Saved] | None = None
) -> list[dict[str, Any]]:
    """Messages whose content is a list of parts; with ``pictures``, image parts name their file,
    and ``train`` marks replies."""
    return [
        {
            "role": message.role,
            "content": [_part(part, pictures) for part in message.parts],
            **({} if pictures is None else {"train": message.train}),
        }
        for message in messages
    ]


def _part(part: str | Shot, pictures: Mapping[Shot, _Saved] | None) -> dict[str, str]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image", **({"path": pictures[part].path} if pictures else {})}


def _in_texts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages whose content is a text, with a mark for each picture."""
    return [
        {
            "role": message.role,
            "content": _marked(message.parts),
            "train": message.train,
        }
        for message in messages
    ]


def _marked(parts: Sequence[str | Shot]) -> str:
    """Texts with a mark for each picture, and no other mark."""
    text = ""
    for part in parts:
        if not isinstance(part, str):
            text += _MARKS[0]
            continue
        said = part
        for mark in _MARKS:
            said = said.replace(mark, mark.replace("<", "< "))
        text += f"\n\n{said}" if text and not text.endswith(_MARKS[0]) else said
    return text


def _facts(conversation: Conversation, chat: Chat, *, for_training: bool) -> dict[str, Any]:
    run, record = conversation.run, conversation.record
    return {
        "run_id": run.manifest.run_id,
        "suite": run.manifest.suite,
        "task_set": run.manifest.task_set,
        "episode_id": record.episode_id,
        "task_id": record.task_id,
        "success": record.success,
        "score": record.goals_met,
        "steps": record.steps,
        "step": chat.step,
        "prompts": "recorded" if chat.recorded else "constructed",
        "for_training": for_training,
    }


def _llama_factory_info(file: str, *, pictured: bool) -> dict[str, Any]:
    return {
        "houseguest": {
            "file_name": file,
            "formatting": "sharegpt",
            "columns": {"messages": "messages", **({"images": IMAGES} if pictured else {})},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
    }


# --- The card


def _card(job: Job, written: _Written) -> str:
    title = f"Houseguest demonstrations: {', '.join(sorted({r.manifest.suite for r in job.runs}))}"
    path = TRL if written.pictured else TEXTS
    configs = [{"config_name": "default", "data_files": [{"split": "train", "path": path}]}]
    task = "image-text-to-text" if written.pictured else "text-generation"
    contaminated = {"contaminated": True} if written.contaminated else {}
    head = card.header(
        job, title, configs, written.examples, task_categories=[task], **contaminated
    )
    left_out = (
        f" {counted(written.left_out, 'episode')} without usable actions made no example."
        if written.left_out
        else ""
    )
    parts = [
        f"# {title}",
        f"{counted(written.examples, 'chat')} for supervised fine-tuning.{left_out}",
        *_origins(written),
        _contamination(written),
        _PICTURES_USE if written.pictured else _TEXTS_USE,
        _REPEATED_USE if written.repeated else "",
        card.made_by(job),
        "## Columns\n\n" + card.schema(COLUMNS),
    ]
    return head + "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _origins(written: _Written) -> Iterator[str]:
    """Where the messages are from."""
    if made := written.examples - written.recorded:
        yield (
            f"{counted(made, 'chat')} {'is' if made == 1 else 'are'} constructed, one for each"
            " episode: the system message explains the task's actions, user messages have what the"
            " agent was shown, assistant messages have its thoughts and actions."
        )
    if written.recorded:
        yield (
            f"{counted(written.recorded, 'chat')} {'is' if written.recorded == 1 else 'are'}"
            " recorded: the messages are those that the agent's model was sent, and the last one is"
            " its reply. An episode has a chat for each request that does not continue the one"
            " before. The column `prompts` says which chats are recorded."
        )


def _contamination(written: _Written) -> str:
    if not written.contaminated:
        return "All tasks are for training."
    return (
        f"**Contaminated: {written.contaminated} of {counted(written.examples, 'example')} are of"
        " evaluation tasks.** Scores on these tasks mean nothing for a model that was trained on"
        " this data set. The column `for_training` marks them."
    )


_TEXTS_USE = f"""## Use it

TRL: `SFTTrainer(train_dataset=load_dataset("THIS_FOLDER", split="train"), …)`

Axolotl:

```yaml
datasets:
  - path: THIS_FOLDER/{TEXTS}
    ds_type: json
    type: chat_template
    field_messages: messages
    message_field_training: train
```

LLaMA-Factory: `dataset_dir: THIS_FOLDER` and `dataset: houseguest`"""
_PICTURES_USE = f"""## Use it

TRL: `SFTTrainer(train_dataset=load_dataset("THIS_FOLDER", split="train"), …)`

Axolotl, started in this folder, because the paths of pictures are relative:

```yaml
datasets:
  - path: {AXOLOTL}
    ds_type: json
    type: chat_template
    field_messages: messages
    message_field_training: train
```

LLaMA-Factory: `dataset_dir: THIS_FOLDER` and `dataset: houseguest`"""
_REPEATED_USE = """## Train on each reply once

Later requests of an episode repeat earlier replies, so some assistant messages are in several
chats. `train` is true in the first chat that has the reply, and Axolotl trains on these messages
alone. For LLaMA-Factory, add `mask_history: true`. For TRL, which then trains on completions alone,
split the chats:

```python
def split(row):
    return {"prompt": row["messages"][:-1], "completion": row["messages"][-1:]}

dataset = dataset.map(split, remove_columns=["messages"])
```"""

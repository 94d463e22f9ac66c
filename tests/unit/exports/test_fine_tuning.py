"""Demonstrations for fine-tuning, read back as trainers read them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from env_service.domain.action import Text
from env_service.exports.conversation import Conversation
from env_service.exports.demonstrations import chat
from env_service.exports.formats import find_format
from env_service.exports.job import Chosen, Job, Selection, drafted
from env_service.exports.training import EvaluationTasksError
from env_service.results.run_reader import RunContents, read_run
from tests.support.exported import in_training
from tests.support.extras import extra_module
from tests.support.played_run import LOSING, WINNING
from tests.support.viewed import played

SUCCESS = Selection(Chosen.SUCCESS)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """Three tasks, the third for evaluation; the second was lost."""
    root = tmp_path_factory.mktemp("sft")
    episodes = {"lab/0": WINNING, "lab/1": LOSING, "lab/2": WINNING}
    return in_training(read_run(played(root / "runs", "expert", episodes)))


def demonstrations(run: RunContents, out: Path, **options: Any) -> Path:
    """Exports one run as the command does."""
    found = find_format("sft")
    job = found.prepare(Job((run,), out, **options))
    with drafted(out, "sft", [run], replace=False) as draft:
        found.writer("sft")(replace(job, out=draft))
    return out


@pytest.fixture(scope="module")
def pictured(run: RunContents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solved training tasks, with pictures."""
    return demonstrations(run, tmp_path_factory.mktemp("set") / "out", selection=SUCCESS)


def lines(path: Path) -> list[dict[str, Any]]:
    """The values of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_chats_alternate_and_end_with_the_agent(run: RunContents) -> None:
    conversation = Conversation(run, run.episodes[0])
    messages = chat(conversation, pictures=True)
    roles = [each.role for each in messages]
    assert roles == ["system", *["user", "assistant"] * 3]
    assert "- refuse: " in messages[0].text
    assert conversation.begin.instruction in messages[1].text
    said = json.loads(messages[4].text)
    action = {"skill": "refuse", "arguments": {"code": "PHYSICALLY_BLOCKED"}}
    assert said == {"thought": "Next.", "action": action}
    assert messages[3].text.startswith("Your action worked.")
    assert messages[5].text.startswith("Your action did not work.")
    assert [len(each.shots) for each in messages] == [0, 1, 0, 1, 0, 1, 0]


def test_only_solved_training_tasks_are_exported(pictured: Path) -> None:
    (example,) = lines(pictured / "llama_factory.jsonl")
    assert example["task_id"] == "lab/0"
    assert example["for_training"] is True
    assert example["success"] is True
    assert "contaminated" not in (pictured / "README.md").read_text(encoding="utf-8").lower()


def test_evaluation_tasks_are_refused(run: RunContents, tmp_path: Path) -> None:
    evaluation = replace(run, manifest=replace(run.manifest, suite="tests.support.lab:LabSuite"))
    unknown = replace(run, manifest=replace(run.manifest, suite="no-such-suite"))
    message = r"/lab are for evaluation.*houseguest suites"
    for refused in (evaluation, unknown):
        with pytest.raises(EvaluationTasksError, match=message):
            demonstrations(refused, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_included_evaluation_tasks_are_marked(run: RunContents, tmp_path: Path) -> None:
    out = demonstrations(run, tmp_path / "out", selection=SUCCESS, evaluation_tasks=True)
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "**Contaminated: 1 of 2 examples are of evaluation tasks.**" in card
    _, header, _ = card.split("---\n", 2)
    assert yaml.safe_load(header)["contaminated"] is True
    marked = {each["task_id"]: each["for_training"] for each in lines(out / "axolotl.jsonl")}
    assert marked == {"lab/0": True, "lab/2": False}


def test_trl_reads_the_chats_and_fills_in_the_pictures(pictured: Path, tmp_path: Path) -> None:
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    data_utils = extra_module("trl.data_utils", "trl", "REQUIRE_EXPORTS")
    (example,) = datasets.load_dataset(str(pictured), split="train", cache_dir=str(tmp_path))
    assert data_utils.is_conversational(example)
    filled = data_utils.prepare_multimodal_messages(example["messages"], example["images"])
    images = [
        part["image"] for each in filled for part in each["content"] if part["type"] == "image"
    ]
    assert len(images) == 3
    assert all(isinstance(each, Image.Image) for each in images)


def test_axolotl_finds_the_pictures_of_each_message(pictured: Path) -> None:
    (example,) = lines(pictured / "axolotl.jsonl")
    assert "images" not in example, "Axolotl would add the first one to the first message"
    parts = [part for each in example["messages"] for part in each["content"]]
    paths = [part["path"] for part in parts if part["type"] == "image"]
    assert len(paths) == 3
    assert all(Image.open(pictured / each).size == (64, 64) for each in paths)


def test_llama_factory_gets_a_mark_for_each_picture(pictured: Path) -> None:
    (described,) = json.loads((pictured / "dataset_info.json").read_bytes()).values()
    (example,) = lines(pictured / described["file_name"])
    messages = example[described["columns"]["messages"]]
    marks = sum(each["content"].count("<image>") for each in messages)
    assert marks == len(example[described["columns"]["images"]]) == 3
    assert [each["role"] for each in messages[1:]] == ["user", "assistant"] * 3
    assert described["tags"]["user_tag"] == "user"


def test_texts_alone_are_one_file(run: RunContents, tmp_path: Path) -> None:
    out = demonstrations(run, tmp_path / "out", selection=SUCCESS, pictures=False)
    assert sorted(each.name for each in out.iterdir()) == [
        "README.md",
        "dataset_info.json",
        "export.json",
        "train.jsonl",
    ]
    (example,) = lines(out / "train.jsonl")
    assert "images" not in example
    assert all(isinstance(each["content"], str) for each in example["messages"])
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    loaded = datasets.load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded[0]["messages"] == example["messages"]


def test_a_text_with_a_mark_is_no_picture(tmp_path: Path) -> None:
    actions = (Text("<image> what is it?"), Text("win"))
    run = in_training(read_run(played(tmp_path / "runs", "person", {"lab/0": actions})))
    out = demonstrations(run, tmp_path / "out", selection=SUCCESS)
    (example,) = lines(out / "llama_factory.jsonl")
    marks = sum(each["content"].count("<image>") for each in example["messages"])
    assert marks == len(example["images"])

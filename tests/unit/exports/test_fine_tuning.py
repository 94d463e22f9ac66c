"""Demonstrations for fine-tuning, read back as trainers read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from env_service.domain.action import Text
from env_service.exports.conversation import Conversation
from env_service.exports.demonstrations import chats
from env_service.exports.formats import find_format
from env_service.exports.job import Chosen, Job, Selection, drafted
from env_service.exports.training import EvaluationTasksError
from env_service.results.run_reader import RunContents, read_run
from tests.support import viewed
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
    (made,) = chats(conversation, pictures=True)
    messages = made.messages
    assert (made.recorded, made.step) == (False, 2)
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
    examples = lines(out / "train.jsonl")
    assert not any("images" in example for example in examples)
    contents = [each["content"] for example in examples for each in example["messages"]]
    assert all(isinstance(each, str) for each in contents)
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    loaded = datasets.load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    assert [each["messages"] for each in loaded] == [each["messages"] for each in examples]


def test_a_text_with_a_mark_is_no_picture(tmp_path: Path) -> None:
    actions = (Text("<image> what is it?"), Text("win"))
    run = in_training(read_run(played(tmp_path / "runs", "person", {"lab/0": actions})))
    out = demonstrations(run, tmp_path / "out", selection=SUCCESS)
    (example,) = lines(out / "llama_factory.jsonl")
    marks = sum(each["content"].count("<image>") for each in example["messages"])
    assert marks == len(example["images"])


# --- From the prompts that a model was sent


def said(role: str, text: str, *pictures: str) -> dict[str, Any]:
    """A message of a prompt; pictures follow its text, and more text follows them."""
    shown = [{"picture": each, "media_type": "image/png"} for each in pictures]
    return {"role": role, "parts": [{"text": text}, *shown, {"text": "Now act."}]}


def prompted(
    place: Path, patch: pytest.MonkeyPatch, prompt: Callable[[int, str], list[dict[str, Any]]]
) -> RunContents:
    """A run of one episode of three steps, whose agent sends these messages in each step; it gets
    the step's number and the digest of the last picture."""

    def prompt_of(turn: int, picture: str) -> dict[str, Any]:
        return {"messages": prompt(turn, picture), "parameters": {}}

    patch.setattr(viewed, "prompt_of", prompt_of)
    return in_training(read_run(played(place / "runs", "model", {"lab/0": WINNING})))


def appending(turn: int, _picture: str) -> list[dict[str, Any]]:
    """The messages of an agent that appends to its conversation."""
    reply = {"role": "assistant", "parts": [{"text": "I do it."}]}
    past = [each for past in range(turn) for each in (said("user", f"Room {past}."), reply)]
    return [said("developer", "Play well."), *past, said("user", f"Room {turn}.")]


def changing(turn: int, _picture: str) -> list[dict[str, Any]]:
    """The messages of an agent that says in the newest one alone how many steps are left."""
    return [*appending(turn, "")[:-1], said("user", f"Room {turn}. {3 - turn} steps left.")]


def test_requests_that_continue_each_other_are_one_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = prompted(tmp_path, monkeypatch, appending)
    (chat,) = chats(Conversation(run, run.episodes[0]), pictures=True)
    assert (chat.recorded, chat.step) == (True, 2)
    assert [each.role for each in chat.messages] == ["system", *["user", "assistant"] * 3]
    assert chat.messages[5].text == "Room 2.\n\nNow act."
    assert [each.train for each in chat.messages[2::2]] == [True] * 3


def test_other_requests_are_a_chat_each_and_mark_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = prompted(tmp_path, monkeypatch, changing)
    out = demonstrations(run, tmp_path / "out")
    found = lines(out / "train.jsonl")
    assert [len(each["messages"]) for each in found] == [3, 5, 7]
    assert [(each["step"], each["prompts"]) for each in found] == [
        (step, "recorded") for step in range(3)
    ]
    assert found[2]["messages"][5]["content"] == "Room 2. 1 steps left.\n\nNow act."
    marked = [[m["train"] for m in each["messages"] if m["role"] == "assistant"] for each in found]
    assert marked == [[True], [False, True], [False, False, True]]
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "3 chats are recorded" in card
    assert "mask_history: true" in card


def test_pictures_stay_at_their_places_in_recorded_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prompt(turn: int, picture: str) -> list[dict[str, Any]]:
        return [said("user", f"Look {turn}.", *([picture] if turn else []))]

    run = prompted(tmp_path, monkeypatch, prompt)
    out = demonstrations(run, tmp_path / "out")
    _, second, _ = lines(out / "llama_factory.jsonl")
    assert second["messages"][0]["content"] == "Look 1.<image>Now act."
    assert len(second["images"]) == 1
    _, second, _ = lines(out / "axolotl.jsonl")
    types = [part["type"] for part in second["messages"][0]["content"]]
    assert types == ["text", "image", "text"]


@pytest.mark.parametrize(
    "wrong",
    [
        [said("user", "Look.", "cd" * 32)],
        [said("user", "Look."), said("tool", "A lamp.")],
        [said("user", "Look."), said("user", "Look again.")],
        [said("system", "Play."), said("user", "Look."), said("assistant", "I do.")],
        [],
    ],
    ids=["unknown picture", "tool", "user twice", "assistant last", "empty"],
)
def test_an_episode_with_a_request_that_is_no_chat_is_constructed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: list[dict[str, Any]]
) -> None:
    run = prompted(
        tmp_path, monkeypatch, lambda turn, _: wrong if turn == 1 else appending(turn, "")
    )
    (chat,) = chats(Conversation(run, run.episodes[0]), pictures=True)
    assert not chat.recorded
    assert chat.messages[0].text.startswith("You control an agent")


def test_trl_renders_recorded_chats_and_their_completions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    data_utils = extra_module("trl.data_utils", "trl", "REQUIRE_EXPORTS")
    transformers = extra_module("transformers", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    tokenizers = extra_module("tokenizers", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words)
    tokenizer.chat_template = (
        "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}[assistant] {% endif %}"
    )
    out = demonstrations(prompted(tmp_path, monkeypatch, changing), tmp_path / "out")
    loaded = datasets.load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    last = loaded[2]
    assert data_utils.is_conversational(last)
    text = data_utils.apply_chat_template({"messages": last["messages"]}, tokenizer)["text"]
    assert text.endswith("[user] Room 2. 1 steps left.\n\nNow act.\n[assistant] I do it.\n")
    split = {"prompt": last["messages"][:-1], "completion": last["messages"][-1:]}
    rendered = data_utils.apply_chat_template(split, tokenizer)
    assert rendered["completion"] == "I do it.\n"
    assert text == rendered["prompt"] + rendered["completion"]

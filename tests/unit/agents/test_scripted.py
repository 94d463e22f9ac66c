from __future__ import annotations

import json
from pathlib import Path

import pytest
from houseguest_agent import Plan, SkillCall, Text

from agents.scripted.agent import Library, Opening, Script, ScriptError, load, main

LINE = {
    "task": "GoToLocal/2",
    "opening": {"instruction": "go to the red ball", "text": "a room", "images": ["ab"]},
    "actions": [
        {"skill": "pickup", "arguments": {"object": "mug"}},
        {"text": "turn left"},
        {"plan": [{"skill": "forward", "arguments": {}}]},
    ],
}


def script(task: str, text: str = "", images: tuple[str, ...] = ()) -> Script:
    return Script(task, Opening("go", text, images), ())


def seen(text: str = "", images: tuple[str, ...] = ()) -> Opening:
    return Opening("go", text, images)


def taken(library: Library, opening: Opening) -> str | None:
    found = library.take(opening)
    return found.task if found else None


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    path.write_text(json.dumps(LINE) + "\n\n" + json.dumps({**LINE, "task": "2"}) + "\n")
    first, second = load(path)
    assert first.task == "GoToLocal/2"
    assert first.opening == Opening("go to the red ball", "a room", ("ab",))
    assert first.actions == (
        SkillCall("pickup", {"object": "mug"}),
        Text("turn left"),
        Plan((SkillCall("forward"),)),
    )
    assert second.task == "2"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "Expecting"),
        ("7", "'opening' is missing"),
        (json.dumps({**LINE, "task": 3}), "'task' is missing, or is not of type string"),
        (json.dumps({**LINE, "opening": {"instruction": "go"}}), "'text' is missing"),
        (json.dumps({**LINE, "actions": "go"}), "'actions' is missing, or is not of type list"),
        (json.dumps({**LINE, "actions": [{"skill": "x"}]}), "'arguments' is missing"),
        (json.dumps({**LINE, "actions": [7]}), "an action"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, named: str) -> None:
    path = tmp_path / "expert.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n{line}\n")
    with pytest.raises(ScriptError, match=r"expert\.jsonl, line 2") as caught:
        load(path)
    assert named in str(caught.value)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    path.write_text("\n")
    with pytest.raises(ScriptError, match="contains no actions"):
        load(path)


@pytest.mark.parametrize("arguments", [[], ["--actions", "/nowhere/expert.jsonl"]])
def test_a_guest_without_a_good_file_exits_with_2(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOUSEGUEST_ACTIONS", raising=False)
    monkeypatch.setattr("sys.argv", ["agent.py", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert "actions" in capsys.readouterr().err


def test_an_episode_is_known_by_text_and_pictures() -> None:
    library = Library(
        [script("a", "room", ("1",)), script("b", "room", ("2",)), script("c", "hall")]
    )
    assert taken(library, seen("room", ("2",))) == "b"
    assert taken(library, seen("hall")) == "c"
    assert taken(library, seen("attic")) is None
    assert taken(library, Opening("stop", "room", ("1",))) is None


def test_what_one_side_does_not_show_is_not_compared() -> None:
    library = Library([script("a", "room", ("1",))])
    assert taken(library, seen("", ("1",))) == "a"
    assert taken(library, seen("room")) == "a"
    assert taken(Library([script("a", "room")]), seen("room", ("9",))) == "a"


def test_tasks_that_open_alike_take_turns() -> None:
    library = Library([script("a"), script("b")])
    assert [taken(library, seen()) for _ in range(4)] == ["a", "b", "a", "b"]

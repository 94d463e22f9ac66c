"""Files of scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.parity.script_play import (
    Script,
    ScriptError,
    read_scripts,
    write_scripts,
)

SCRIPT = Script(
    "FloorPlan1/0",
    "FloorPlan1",
    ThorStart(64, 48, "Low", {"gridSize": 0.25}),
    ({"action": "Teleport", "position": {"x": 0.1, "y": 0.9, "z": -1 / 3}}, {"action": "Pass"}),
)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "scripts.jsonl"
    write_scripts(path, [SCRIPT])
    assert read_scripts(path) == [SCRIPT]


def test_the_digest_tells_scripts_apart() -> None:
    shorter = Script(SCRIPT.id, SCRIPT.scene, SCRIPT.start, SCRIPT.actions[:1])
    assert len({SCRIPT.digest, shorter.digest}) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"actions": None}, "list"),
        ({"actions": [{"name": "Pass"}]}, "action 1"),
        ({"actions": [{"action": "Pass", "raise_for_failure": True}]}, "raise_for_failure"),
        ({"start": {"quality": "Lowest"}}, "Lowest"),
        ({"start": {"gpu": 1}}, "start"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_line_that_is_no_script_is_named(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    path = tmp_path / "scripts.jsonl"
    path.write_text(json.dumps(SCRIPT.to_json()) + "\n" + json.dumps(SCRIPT.to_json() | change))
    with pytest.raises(ScriptError, match=rf"line 2.*{problem}"):
        read_scripts(path)


def test_an_id_that_comes_twice_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scripts.jsonl"
    write_scripts(path, [SCRIPT, SCRIPT])
    with pytest.raises(ScriptError, match="there before"):
        read_scripts(path)
    path.write_text("\n")
    with pytest.raises(ScriptError, match="no scripts"):
        read_scripts(path)

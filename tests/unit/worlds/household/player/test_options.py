"""The player's command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.household.player.options import (
    FROM_CONTROLLER,
    SCENES,
    SERVER_TYPE,
    TO_CONTROLLER,
    read,
)

PIPES = {TO_CONTROLLER: "/to", FROM_CONTROLLER: "/from"}


def test_unitys_flags_are_understood() -> None:
    flags = "-screen-fullscreen 0 -screen-quality 7 -screen-width 640 -screen-height 480"
    options = read([*flags.split(), "-force-device-index", "1"], PIPES)
    assert (options.width, options.height, options.headless) == (640, 480, False)
    assert read(["-batchmode", "-nographics"], PIPES).headless


def test_the_scenes_folder_comes_from_the_flag_or_the_environment(tmp_path: Path) -> None:
    assert read([], PIPES).scenes is None
    assert read([], {**PIPES, SCENES: str(tmp_path)}).scenes == tmp_path
    inner = tmp_path / "inner"
    inner.mkdir()
    assert read(["--scenes", str(inner)], {**PIPES, SCENES: str(tmp_path)}).scenes == inner


@pytest.mark.parametrize(
    ("arguments", "environment", "complaint"),
    [
        ([], {}, f"{TO_CONTROLLER} and {FROM_CONTROLLER} not set"),
        ([], {TO_CONTROLLER: "/to"}, f"{FROM_CONTROLLER} not set"),
        ([], {**PIPES, SERVER_TYPE: "WSGI"}, "supports only FIFO"),
        (["-screen-width", "wide"], PIPES, "-screen-width is a positive number"),
        (["-screen-height", "0"], PIPES, "-screen-height is a positive number"),
        (["--scenes", "/nowhere/at/all"], PIPES, "folder of scenes does not exist"),
    ],
)
def test_a_wrong_start_says_what_is_wrong(
    arguments: list[str], environment: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(arguments, environment)

"""What a suite sees of a pack."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.datasets.folder import PackFolder
from env_service.datasets.pack import Pack, open_pack
from env_service.datasets.pack_import import import_source, read_source
from env_service.datasets.registry import PackDefinition
from env_service.domain.names import UnknownNameError
from tests.support.pack_server import TOY_COMMIT, TOY_FILES, use_toy, write_files

PLAN = "plans/mug [1]/plan.json"
SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


def held(toy: PackDefinition, tmp_path: Path, files: dict[str, bytes]) -> Pack:
    """The pack, after an import of these files."""
    copy = write_files(tmp_path / f"copy{len(list(tmp_path.iterdir()))}", files)
    import_source(PackFolder(toy), read_source(toy, copy))
    return open_pack("toy")


def test_files_are_found_by_upstreams_paths(toy: PackDefinition, tmp_path: Path) -> None:
    pack = held(toy, tmp_path, TOY_FILES)
    assert pack.path(PLAN).read_bytes() == TOY_FILES[PLAN]
    assert pack.files() == tuple(sorted(TOY_FILES))
    assert pack.files("scenes/FloorPlan*") == (SCENE, SMALL)
    assert pack.files(PLAN, SMALL) == (PLAN, SMALL)


def test_an_absent_pack_says_how_to_get_it(toy: PackDefinition) -> None:
    pack = open_pack("toy")
    assert pack.files() == ()
    with pytest.raises(DataPackMissingError) as caught:
        pack.path(SMALL)
    assert caught.value.files == (SMALL,)
    assert caught.value.absent
    for wanted in (
        "data pack toy is not installed",
        "houseguest data fetch toy",
        "houseguest data import toy FOLDER",
    ):
        assert wanted in str(caught.value)


def test_a_part_is_enough_for_who_asks_for_that_part(toy: PackDefinition, tmp_path: Path) -> None:
    pack = held(toy, tmp_path, {SCENE: TOY_FILES[SCENE], SMALL: TOY_FILES[SMALL]})
    assert pack.require(["scenes/FloorPlan*"]) == (SCENE, SMALL)
    assert pack.path(SCENE).is_file()
    with pytest.raises(DataPackMissingError, match=r"lacks 'plans/mug \[1\]/plan.json', 'plans"):
        pack.require(["scenes/FloorPlan*", "plans/*"])


def test_names_that_the_pack_never_had_propose_the_nearest(
    toy: PackDefinition, tmp_path: Path
) -> None:
    pack = held(toy, tmp_path, TOY_FILES)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'scenes/FloorPlan1\.json'"):
        pack.path("scenes/FloorPlan1.jsn")
    with pytest.raises(UnknownNameError, match="'houses/"):
        pack.require(["scenes/*", "houses/*"])
    with pytest.raises(UnknownNameError, match="'toy'"):
        open_pack("tyo")


def test_a_damaged_file_is_never_handed_out(toy: PackDefinition, tmp_path: Path) -> None:
    pack = held(toy, tmp_path, TOY_FILES)
    pack.path(SMALL).write_bytes(b"[]")
    for door in (pack, open_pack("toy")):
        with pytest.raises(DataPackCorruptError, match=r"FloorPlan2.json.*data fetch toy"):
            door.path(SMALL)
        with pytest.raises(DataPackCorruptError, match=r"FloorPlan2.json"):
            door.require(["*"])
        assert SMALL not in door.files()


def test_a_touched_file_is_still_good(toy: PackDefinition, tmp_path: Path) -> None:
    pack = held(toy, tmp_path, TOY_FILES)
    os.utime(pack.path(SMALL), (1, 1))
    assert pack.path(SMALL).read_bytes() == b"{}"
    assert open_pack("toy").describe() == pack.describe()


def test_the_description_is_of_what_is_held(toy: PackDefinition, tmp_path: Path) -> None:
    lines = "".join(
        f"{hashlib.sha256(data).hexdigest()} {path}\n" for path, data in sorted(TOY_FILES.items())
    )
    assert held(toy, tmp_path, TOY_FILES).describe().to_json() == {
        "pack": "toy",
        "commit": TOY_COMMIT,
        "files": 5,
        "digest": hashlib.sha256(lines.encode()).hexdigest(),
        "modified": [],
    }


def test_the_description_of_what_is_used_does_not_depend_on_the_rest(
    toy: PackDefinition, tmp_path: Path
) -> None:
    part = held(toy, tmp_path, {SCENE: TOY_FILES[SCENE]}).describe("scenes/FloorPlan1*")
    whole = held(toy, tmp_path, TOY_FILES)
    assert whole.describe("scenes/FloorPlan1*") == part
    assert whole.describe() != part


def test_modified_files_are_in_the_description(toy: PackDefinition, tmp_path: Path) -> None:
    sound = held(toy, tmp_path, {PLAN: TOY_FILES[PLAN]}).describe()
    pack = held(toy, tmp_path, {**TOY_FILES, SMALL: b"[]"})
    assert pack.path(SMALL).read_bytes() == b"[]"
    assert pack.describe().modified == (SMALL,)
    assert pack.describe(PLAN) == sound

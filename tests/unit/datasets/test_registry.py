"""The packs that are pinned."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

import pytest

from env_service.datasets.registry import definition, pack_names
from env_service.domain.names import UnknownNameError
from env_service.plugins import PluginError
from tests.support.data import reference_data
from tests.support.installed_plugins import install
from tests.support.pack_server import TOY_FILES, write_registry

HEX64 = re.compile(r"[0-9a-f]{64}")


def test_the_packs_that_suites_need_are_known() -> None:
    wanted = {"ithor", "asgard", "asgard-recorded", "alfred", "alfred-refined", "actplan"}
    assert set(pack_names()) == wanted


@pytest.mark.parametrize("name", pack_names())
def test_a_pack_is_pinned_to_a_commit_and_to_checksums(name: str) -> None:
    pack = definition(name)
    assert re.fullmatch(r"[0-9a-f]{40}", pack.commit)
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", pack.repository)
    assert pack.purpose
    assert pack.licence
    assert pack.copyright
    assert pack.size == sum(file.size for file in pack.files.values())
    assert all(HEX64.fullmatch(file.sha256) for file in pack.files.values())
    assert list(pack.files) == sorted(pack.files)


@pytest.mark.parametrize("name", pack_names())
def test_no_file_can_leave_its_packs_folder_or_take_our_own_names(name: str) -> None:
    for path in definition(name).files:
        parts = PurePosixPath(path).parts
        assert str(PurePosixPath(path)) == path
        assert not {"..", "/"} & set(parts)
        assert parts[0] not in ("pack.json", ".lock", ".drafts")


def test_an_unknown_pack_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ithor'"):
        definition("ithr")


def test_a_pack_of_another_distribution_is_read(site: Path) -> None:
    package = site / "their_packs"
    package.mkdir()
    (package / "__init__.py").touch()
    write_registry(package, {"theirs": TOY_FILES})
    install(site, "their-suite", "[houseguest.data_packs]\ntheirs = their_packs\n")
    assert "theirs" in pack_names()
    assert definition("theirs").repository == "someone/theirs"
    assert set(definition("theirs").files) == set(TOY_FILES)


def test_a_pack_whose_files_are_not_there_is_named_with_its_distribution(site: Path) -> None:
    (site / "no_packs").mkdir()
    (site / "no_packs" / "__init__.py").touch()
    install(site, "torn", "[houseguest.data_packs]\ntorn = no_packs\n")
    with pytest.raises(PluginError, match=r"'torn' of the distribution torn .* torn\.toml"):
        definition("torn")


@pytest.mark.data
def test_the_registry_says_what_the_sources_say() -> None:
    sources = json.loads(reference_data("SOURCES.json").read_bytes())
    assert sources.keys() == set(pack_names())
    for name, source in sources.items():
        pack = definition(name)
        assert (pack.repository, pack.commit) == (source["repository"], source["commit"])
        assert pack.licence == source["licence"]
        upstream = {each["path"]: (each["bytes"], each["sha256"]) for each in source["files"]}
        assert {p: (file.size, file.sha256) for p, file in pack.files.items()} == upstream
        licence = reference_data(f"{name}/LICENSE").read_text(encoding="utf-8")
        assert f"Copyright (c) {pack.copyright}" in licence

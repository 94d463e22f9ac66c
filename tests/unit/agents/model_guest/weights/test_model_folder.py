from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from model_guest.model import RefusedError
from model_guest.weights import WeightsOptions
from model_guest.weights.model_folder import check_folder, find_folder, fingerprint

from tests.support.extras import extra_module

extra_module("huggingface_hub")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 100)
    return tmp_path


def test_a_whole_folder_is_taken(folder: Path) -> None:
    assert find_folder(WeightsOptions(str(folder))) == folder


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="does not exist"):
        find_folder(WeightsOptions(str(tmp_path / "nowhere")))


def test_a_file_is_no_folder(folder: Path) -> None:
    with pytest.raises(RefusedError, match="is a file"):
        find_folder(WeightsOptions(str(folder / "config.json")))


def test_a_folder_without_a_config(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"has no config\.json"):
        check_folder(tmp_path)
    (tmp_path / "model.gguf").touch()
    with pytest.raises(RefusedError, match=r"llama\.cpp"):
        check_folder(tmp_path)


def test_an_adapter_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").touch()
    with pytest.raises(RefusedError, match="adapter"):
        check_folder(tmp_path)


def test_weights_that_are_missing_are_named(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(RefusedError, match=r"lacks weights: model\.safetensors"):
        check_folder(folder)
    shards = {"a": "one.safetensors", "b": "two.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    (folder / "one.safetensors").touch()
    with pytest.raises(RefusedError, match=r"lacks weights: two\.safetensors"):
        check_folder(folder)


def test_weights_that_this_user_may_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = folder / "model.safetensors"
    # Root may read all, so a bare chmod would prove nothing there.
    monkeypatch.setattr(os, "access", lambda path, _: path != weights)
    with pytest.raises(RefusedError, match=f"may not read {weights}.*chmod"):
        check_folder(folder)


def test_a_name_that_is_not_in_the_cache_is_never_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants  # noqa: PLC0415 - where the library is there

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(RefusedError) as caught:
        find_folder(WeightsOptions("someone/no-such-model"))
    assert "hf download someone/no-such-model" in str(caught.value)
    assert "--allow-download" in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_a_fingerprint_changes_with_the_files(folder: Path) -> None:
    before = fingerprint(folder)
    assert fingerprint(folder) == before
    weights = folder / "model.safetensors"
    weights.write_bytes(b"\0" * 99 + b"\1")
    changed = fingerprint(folder)
    assert changed != before
    os.truncate(weights, 50)
    assert fingerprint(folder) not in (before, changed)


def test_options_out_of_range_are_named() -> None:
    for wrong, name in (
        ({"batch": 0}, "batch"),
        ({"reply_tokens": 0}, "reply_tokens"),
        ({"temperature": -1.0}, "temperature"),
        ({"top_p": 0.0}, "top_p"),
        ({"top_k": -1}, "top_k"),
        ({"dtype": "int3"}, "dtype"),
    ):
        with pytest.raises(ValueError, match=name):
            WeightsOptions("x", **wrong)  # type: ignore[arg-type]

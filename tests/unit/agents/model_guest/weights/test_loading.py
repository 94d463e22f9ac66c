from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from model_guest.model import RefusedError
from model_guest.weights import WeightsOptions, open_model, open_weights
from model_guest.weights.self_check import check_weights

from tests.support.tiny_models import CHAT_TEMPLATE, picture_model, text_model, torch, transformers

loading = import_module("model_guest.weights.loading")


def load(folder: Path, **options: Any) -> Any:
    return loading.load(WeightsOptions(str(folder), **options))


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_the_config_tells_whether_a_model_sees(tmp_path: Path) -> None:
    assert load(text_model(tmp_path / "reader")).processor is None
    assert load(picture_model(tmp_path / "seer")).processor is not None


def test_a_dtype_is_kept(tmp_path: Path) -> None:
    text_model(tmp_path)
    assert load(tmp_path).model.dtype is torch.float32
    assert load(tmp_path, dtype="bfloat16").model.dtype is torch.bfloat16


def test_the_checkpoints_own_sampling_is_left_out(tmp_path: Path) -> None:
    text_model(tmp_path)
    habits = {"temperature": 0.1, "do_sample": True, "repetition_penalty": 9.0}
    (tmp_path / "generation_config.json").write_text(json.dumps({**habits, "eos_token_id": [5]}))
    weights = load(tmp_path)
    assert weights.ends == (5, weights.tokenizer.eos_token_id)
    assert weights.model.generation_config.repetition_penalty in (None, 1.0)


def test_no_token_that_ends_a_reply(tmp_path: Path) -> None:
    text_model(tmp_path, eos_token_id=None)
    for name in ("tokenizer_config.json", "generation_config.json"):
        path = tmp_path / name
        known = json.loads(path.read_text())
        path.write_text(json.dumps({k: v for k, v in known.items() if not k.startswith("eos")}))
    with pytest.raises(RefusedError, match="eos_token_id"):
        load(tmp_path)


def test_tensors_that_are_missing_are_not_made_up(tmp_path: Path) -> None:
    text_model(tmp_path)
    change_config(tmp_path, num_hidden_layers=3)
    with pytest.raises(RefusedError, match=r"lacks \d+ of the model's tensors, 'model\.layers\.2"):
        load(tmp_path)


def test_an_architecture_that_writes_no_text(tmp_path: Path) -> None:
    config = transformers.BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
    text_model(tmp_path)
    transformers.BertModel(config).save_pretrained(tmp_path)
    with pytest.raises(RefusedError, match="BertModel is neither"):
        load(tmp_path)


def test_an_unknown_architecture_is_named(tmp_path: Path) -> None:
    text_model(tmp_path)
    change_config(tmp_path, model_type="from_the_future")
    with pytest.raises(RefusedError, match="from_the_future"):
        load(tmp_path)


def test_broken_weights_are_named(tmp_path: Path) -> None:
    text_model(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors here")
    with pytest.raises(RefusedError, match="cannot be loaded"):
        load(tmp_path)


@pytest.mark.parametrize("device", ["cuda:99", "gpu", "tpu:1"])
def test_a_device_that_is_not_there(tmp_path: Path, device: str) -> None:
    with pytest.raises(RefusedError, match=device):
        load(tmp_path, device=device)


@pytest.mark.parametrize("place", ["from_pretrained", "to"])
def test_a_model_that_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    text_model(tmp_path)

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    target = transformers.LlamaForCausalLM
    monkeypatch.setattr(target, place, full)
    with pytest.raises(RefusedError, match="does not fit"):
        load(tmp_path)


def test_a_reply_that_leaves_no_room_for_a_prompt(tmp_path: Path) -> None:
    text_model(tmp_path, max_position_embeddings=64)
    with pytest.raises(RefusedError, match="--reply-tokens"):
        open_model(WeightsOptions(str(tmp_path), reply_tokens=64))


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_weights, "find_spec", lambda name: None if name == "torch" else name)
    with pytest.raises(RefusedError, match=r"torch\. .*houseguest-model-guest\[local\]"):
        open_model(WeightsOptions("anything"))
    (check,) = check_weights(WeightsOptions("anything"))
    assert (check.state, check.found) == ("problem", "not installed: torch")


def test_checks_of_a_model_that_works(tmp_path: Path) -> None:
    picture_model(tmp_path)
    checks = {
        each.name: each for each in check_weights(WeightsOptions(str(tmp_path), reply_tokens=8))
    }
    assert {each.state for each in checks.values()} <= {"ok", "note"}
    assert checks["pictures"].found == "accepts a picture"
    assert checks["choosing"].found.endswith("tree")


def test_a_model_that_cannot_choose_can_play(tmp_path: Path) -> None:
    text_model(tmp_path, template=CHAT_TEMPLATE + "<think>\n")
    checks = {
        each.name: each for each in check_weights(WeightsOptions(str(tmp_path), reply_tokens=8))
    }
    assert checks["choosing"].state == "note"
    assert "enable_thinking=false" in checks["choosing"].found
    assert "problem" not in {each.state for each in checks.values()}


def test_checks_end_with_what_is_wrong(tmp_path: Path) -> None:
    *_, last = check_weights(WeightsOptions(str(tmp_path)))
    assert last.state == "problem"
    assert "config.json" in last.found

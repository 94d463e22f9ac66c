"""Which GPUs there are, which are meant, and what is free on them."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from env_service.engine.placement import FreeMemory, Gpu, choose_gpus, installed_gpus
from tests.support.fake_nvidia import UUID, fake_nvidia, no_nvidia

TWO = (Gpu(0, UUID.format(0)), Gpu(1, UUID.format(1)))


def test_the_gpus_are_those_that_nvidia_smi_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvidia(tmp_path, monkeypatch)
    assert installed_gpus() == TWO


def test_a_machine_without_nvidia_smi_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_nvidia(tmp_path, monkeypatch)
    assert installed_gpus() is None


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("all", (0, 1)),
        ("none", ()),
        ("1", (1,)),
        ("1, 0", (1, 0)),
        (UUID.format(1), (1,)),
        (f"0,{UUID.format(1).lower()}", (0, 1)),
    ],
)
def test_gpus_are_meant_by_index_or_uuid(text: str, chosen: tuple[int, ...]) -> None:
    assert choose_gpus(text, TWO, {}) == chosen


@pytest.mark.parametrize("visible", ["1", f"{UUID.format(1)}"])
def test_all_keeps_to_what_a_scheduler_allows(visible: str) -> None:
    assert choose_gpus("all", TWO, {"CUDA_VISIBLE_DEVICES": visible}) == (1,)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2", r"no GPU 2; `nvidia-smi -L` lists 0 \(GPU-00000000"),
        ("GPU-beef", "no GPU GPU-beef"),
        ("first", "'first' is not a GPU: give all, none"),
        ("0,", "'' is not a GPU"),
        ("-1", "'-1' is not a GPU"),
        ("0,0", "GPU 0 is named twice"),
        (f"1,{UUID.format(1)}", "GPU 1 is named twice"),
    ],
)
def test_a_gpu_that_is_not_there_is_named_with_those_that_are(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        choose_gpus(text, TWO, {})


def test_all_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no GPU was found: give none"):
        choose_gpus("all", (), {})
    with pytest.raises(ValueError, match="among CUDA_VISIBLE_DEVICES=5"):
        choose_gpus("all", TWO, {"CUDA_VISIBLE_DEVICES": "5"})


def test_without_nvidia_smi_an_index_is_believed_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert choose_gpus("0,3", None, {}) == (0, 3)
    assert "GPU 0, 3 was not checked" in caplog.text
    for text in ("all", UUID.format(0)):
        with pytest.raises(ValueError, match="nvidia-smi is missing or does not answer"):
            choose_gpus(text, None, {})


def test_free_memory_is_asked_for_once_by_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake_nvidia(tmp_path, monkeypatch, free=("1000", "[N/A]"))

    async def ask() -> list[int | None]:
        memory = FreeMemory(fresh=3600)
        return await asyncio.gather(*(memory.of(gpu) for gpu in (0, 1, 0, 7)))

    assert asyncio.run(ask()) == [1000 * 2**20, None, 1000 * 2**20, None]
    assert (machine / "asked").read_text().count("memory.free") == 1


def test_free_memory_is_unknown_without_nvidia_smi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_nvidia(tmp_path, monkeypatch)
    assert asyncio.run(FreeMemory().of(0)) is None

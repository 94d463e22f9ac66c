"""Telling worlds where the floor plans are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api import floor_plans
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS


def test_the_floor_plans_of_the_pack_are_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FLOOR_PLANS, raising=False)
    monkeypatch.setattr(floor_plans, "floor_plan_folder", lambda: tmp_path)
    floor_plans.share_floor_plans()
    assert os.environ[FLOOR_PLANS] == str(tmp_path)


def test_what_the_user_has_set_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLOOR_PLANS, "mine")
    monkeypatch.setattr(floor_plans, "floor_plan_folder", lambda: tmp_path)
    floor_plans.share_floor_plans()
    assert os.environ[FLOOR_PLANS] == "mine"


def test_without_the_pack_nothing_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FLOOR_PLANS, raising=False)
    monkeypatch.setattr(floor_plans, "floor_plan_folder", lambda: None)
    floor_plans.share_floor_plans()
    assert FLOOR_PLANS not in os.environ

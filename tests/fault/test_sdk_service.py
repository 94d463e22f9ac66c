"""The library and a real service, with a link between them that someone keeps cutting."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from houseguest_agent import (
    Channel,
    Client,
    EpisodeStatus,
    ImageRequest,
    ObservationRequest,
    Options,
    RetryPolicy,
    SetupError,
)
from houseguest_agent.options import Transport

from env_service.gateway.run import Run
from tests.support.cutting_link import CuttingLink, cut_now_and_then
from tests.support.service import OpenService, assert_played, open_service


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def options(service: OpenService, run: Run, **changes: object) -> Options:
    retry = RetryPolicy(first_wait=0.01, longest_wait=0.1)
    given = {"address": service.address, "token": service.token(run), "retry": retry, **changes}
    return Options(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_a_link_that_keeps_breaking_costs_no_step_and_repeats_none(
    service: OpenService, transport: Transport, tmp_path: Path
) -> None:
    run = service.open_run(limit=8, fresh=True)
    link = CuttingLink(service.address, service.folder / f"{transport}.sock")
    given = options(service, run, address=link.address, transport=transport)
    with cut_now_and_then(link, seed=5) as cuts, Client("agent", options=given) as client:
        for episode in client.episodes():
            for number in range(1, 16):
                step = episode.act("slow", seconds=0.01)
                assert step.observation.text.endswith(f"step {number}")
            assert episode.act("win").status is EpisodeStatus.TERMINATED
    link.close()
    assert len(cuts) > 8
    assert_played(service, run, steps=16)


AGENT = """
import os, signal
from houseguest_agent import Client, ImageRequest, ObservationRequest, Channel, Options

with Client("doomed") as client:
    for episode in client.episodes():
        for _ in range(5):
            episode.act("noop")
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("picture", ["still", "changing"])
def test_a_killed_agent_goes_on_where_it_stopped(
    service: OpenService, picture: str, tmp_path: Path
) -> None:
    condition = {"frame": "64", "picture": picture}
    run = service.open_run(limit=2, fresh=True, condition=condition)
    state_file = tmp_path / "state.json"
    settings = {
        "HOUSEGUEST_ADDRESS": service.address,
        "HOUSEGUEST_TOKEN": service.token(run),
        "HOUSEGUEST_STATE_FILE": str(state_file),
    }
    doomed = subprocess.run(
        [sys.executable, "-c", AGENT], env={**os.environ, **settings}, check=False
    )
    assert doomed.returncode == -signal.SIGKILL
    with Client("agent", options=options(service, run, state_file=state_file)) as client:
        for number, episode in enumerate(client.episodes()):
            assert len(episode.history) == (5 if number == 0 else 0)
            before = episode.observation.image.data
            while len(episode.history) < 9:
                after = episode.act("noop").observation.image.data
                assert (after == before) == (picture == "still")
                before = after
            episode.act("win")
    assert_played(service, run, steps=10)
    assert not state_file.exists()


def test_pictures_come_whole_or_as_references_and_always_whole_to_the_agent(
    service: OpenService,
) -> None:
    condition = {"frame": "64", "picture": "still", "depth": "on"}
    run = service.open_run(limit=1, fresh=True, condition=condition)
    wanted = ObservationRequest((ImageRequest(Channel.RGB), ImageRequest(Channel.DEPTH)), text=True)
    with Client("agent", options=options(service, run, observation=wanted)) as client:
        assert [image.channel for image in client.observation.images] == [1, 2]
        for episode in client.episodes():
            for _ in range(3):
                colour, depth = episode.act("noop").observation.images
                assert colour.data == episode.opening.image.data
                assert colour.pixels.shape == (64, 64, 3)
                assert depth.pixels.shape == (64, 64)
            episode.act("win")
    assert_played(service, run, steps=4)


@pytest.mark.parametrize(("frame", "pictures"), [("none", 0), ("64", 1)])
def test_of_several_requests_the_first_that_is_offered_is_granted(
    service: OpenService, frame: str, pictures: int
) -> None:
    run = service.open_run(limit=1, fresh=True, condition={"frame": frame})
    wanted = (
        ObservationRequest((ImageRequest(Channel.DEPTH),), text=True),
        ObservationRequest((ImageRequest(Channel.RGB),), text=True),
        ObservationRequest(text=True),
    )
    with Client("agent", options=options(service, run, observation=wanted)) as client:
        assert len(client.observation.images) == pictures
        for episode in client.episodes():
            assert len(episode.observation.images) == pictures
            episode.act("win")


def test_no_request_at_all_is_refused(service: OpenService) -> None:
    run = service.open_run(limit=1, fresh=True)
    with pytest.raises(SetupError, match="is empty"):
        Client("agent", options=options(service, run, observation=())).connect()


def test_a_voided_episode_comes_back(service: OpenService, tmp_path: Path) -> None:
    run = service.open_run(limit=1, fresh=True)
    with Client("agent", options=options(service, run)) as client:
        statuses = []
        for episode in client.episodes():
            episode.act("once_crash", path=tmp_path / "crashed")
            if episode.running:
                episode.act("win")
            statuses.append(episode.status)
    assert statuses == [EpisodeStatus.VOIDED, EpisodeStatus.TERMINATED]
    assert_played(service, run, steps=2)


@pytest.mark.parametrize(("task_set", "answer"), [("plans", ["noop", "win"]), ("answers", None)])
def test_plans_and_answers_are_one_step(
    service: OpenService, task_set: str, answer: list[str] | None
) -> None:
    run = service.open_run(task_set=task_set, fresh=True)
    with Client("agent", options=options(service, run)) as client:
        for episode in client.episodes():
            if answer is None:
                numbers = episode.instruction.rstrip("?").split()
                episode.say(str(int(numbers[-1]) * 2))
            else:
                assert len(episode.plan(answer).outcomes) == 2
            assert not episode.running
    assert_played(service, run, steps=1)

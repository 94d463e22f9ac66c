from __future__ import annotations

from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2, observation_pb2
from houseguest_agent import (
    Channel,
    ImageEncoding,
    ImageRequest,
    Limits,
    ModelUsage,
    ObservationRequest,
    Options,
    SetupError,
    Trace,
    __version__,
)
from houseguest_agent.session import StateFile


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (Options(address="", token="t"), "HOUSEGUEST_ADDRESS"),
        (Options(address="/run/agent.sock", token="t"), "unix:/path/to/agent.sock"),
        (Options(address="unix:/run/agent.sock", token=""), "HOUSEGUEST_TOKEN"),
        (Options(address="host:1", token="t", transport="carrier"), "carrier"),  # type: ignore[arg-type]
    ],
)
def test_an_option_that_cannot_work_is_named(options: Options, named: str) -> None:
    with pytest.raises(SetupError, match=named):
        options.check()


def test_the_environment_fills_what_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_ADDRESS", "unix:/a")
    monkeypatch.setenv("HOUSEGUEST_TOKEN", "secret")
    options = Options(address="unix:/b")
    assert (options.address, options.token) == ("unix:/b", "secret")
    assert "secret" not in repr(options)


def test_an_observation_request_survives_the_journey() -> None:
    images = (
        ImageRequest(Channel.RGB, (ImageEncoding.PNG, ImageEncoding.RAW), previous_frame=True),
        ImageRequest(Channel.TOP_DOWN),
    )
    request = ObservationRequest(images, text=True)
    assert ObservationRequest.from_proto(request.to_proto()) == request


def test_depth_is_asked_for_in_metres() -> None:
    request = ObservationRequest((ImageRequest(Channel.DEPTH),)).to_proto()
    assert list(request.images[0].encodings) == [observation_pb2.IMAGE_ENCODING_RAW_F32]


def test_a_limit_that_is_absent_is_none() -> None:
    message = agent_pb2.Limits(max_plan_steps=7)
    message.agent_step_budget.FromMilliseconds(1500)
    limits = Limits.from_proto(message)
    assert (limits.agent_step_budget, limits.agent_episode_budget) == (1.5, None)
    assert limits.max_plan_steps == 7


def test_a_trace_travels_with_its_usage() -> None:
    usage = ModelUsage("m", input_tokens=3, output_tokens=4, latency=1.25, cost_usd=0.5)
    message = Trace("because", "Action: go", 2, (usage,)).to_proto()
    assert (message.thought, message.raw_model_output, message.plan_length) == (
        "because",
        "Action: go",
        2,
    )
    assert message.usage[0].latency.ToMilliseconds() == 1250


def test_a_state_file_keeps_the_newest_token(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    assert StateFile(path).load() == b""
    StateFile(path).save("session", b"older")
    StateFile(path).save("session", b"\x00newer")
    assert StateFile(path).load() == b"\x00newer"
    assert list(tmp_path.iterdir()) == [path], "no draft is left behind"
    StateFile(path).remove()
    assert StateFile(path).load() == b""


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"resume_token": 1}', "\x00"])
def test_a_state_file_that_is_none_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(SetupError, match=r"state\.json cannot be read"):
        StateFile(path).load()


def test_a_state_file_in_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="HOUSEGUEST_STATE_FILE"):
        StateFile(tmp_path / "absent" / "state.json").save("session", b"token")


def test_the_version_is_that_of_the_distribution() -> None:
    project = Path(__file__).parents[4] / "agents" / "sdk_python" / "pyproject.toml"
    assert f'version = "{__version__}"' in project.read_text()

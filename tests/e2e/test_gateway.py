"""What an agent meets at the gateway: a real service, real workers, bare stubs."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2
from houseguest.control.v1 import control_pb2, control_pb2_grpc

from env_service.gateway.run_state import RunState
from tests.support.service import (
    OpenService,
    RawAgent,
    open_service,
    reason_of,
    session_limits,
    skill,
)

RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
TRUNCATED = agent_pb2.EPISODE_STATUS_TRUNCATED
VOIDED = agent_pb2.EPISODE_STATUS_VOIDED


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service(session_limits(lease=5, grace=5)) as opened:
        yield opened


@pytest.fixture
def agent(service: OpenService) -> Iterator[RawAgent]:
    run = service.open_run(limit=3, fresh=True)
    raw = service.agent(run)
    yield raw
    raw.close()
    service.call(run.drain())


def fails(reason: str, status: grpc.StatusCode, call: object, *args: object) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as caught:
        call(*args)  # type: ignore[operator]
    assert (caught.value.code(), reason_of(caught.value)) == (status, reason)
    assert "Traceback" not in str(caught.value.details())
    return caught.value


def test_an_agent_plays_a_run_to_its_end_and_the_service_keeps_the_record(
    service: OpenService,
) -> None:
    run = service.open_run(limit=4, fresh=True)
    agent = service.agent(run)
    assert agent.play_out() == 4
    service.call(run.wait_until_over())
    assert run.state is RunState.SUCCEEDED
    records = run.context.folder.finished()
    assert [record.task_id for record in records] == ["lab/0", "lab/1", "lab/2", "lab/3"]
    assert all(record.success for record in records)


def test_two_sessions_share_the_tasks_and_each_is_played_once(service: OpenService) -> None:
    run = service.open_run(limit=10, sessions=2, fresh=True)
    played: list[int] = []
    agents = [service.agent(run, number) for number in range(2)]
    threads = [threading.Thread(target=lambda a=a: played.append(a.play_out())) for a in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(played) == 10
    assert len({record.task_id for record in run.context.folder.finished()}) == 10


class TestIdempotency:
    def test_a_repeated_step_gets_its_answer_and_is_executed_once(self, agent: RawAgent) -> None:
        agent.begin()
        first = agent.step(skill("noop"))
        assert agent.repeat(skill("noop"), 0) == first
        assert agent.step(skill("noop")).observation.text.endswith("step 2")

    def test_the_trace_is_no_part_of_the_comparison(self, agent: RawAgent) -> None:
        agent.begin()
        first = agent.step(skill("noop"))
        request = agent.step_request(skill("noop"), 0)
        request.trace.thought = "I have thought again"
        assert agent.stub.Step(request, metadata=agent.metadata) == first

    def test_a_trace_that_has_no_json_harms_nothing(self, agent: RawAgent) -> None:
        agent.begin()
        request = agent.step_request(skill("noop"), 0)
        request.trace.usage.add(latency={"seconds": 10**15}, cost_usd=float("nan"))
        agent.stub.Step(request, metadata=agent.metadata)
        agent.index = 1
        assert agent.step(skill("win")).status == TERMINATED

    def test_conflict_and_order(self, agent: RawAgent) -> None:
        agent.begin()
        agent.step(skill("noop"))
        code = grpc.StatusCode
        fails("STEP_CONFLICT", code.ABORTED, agent.repeat, skill("win"), 0)
        fails("STEP_OUT_OF_ORDER", code.OUT_OF_RANGE, agent.repeat, skill("noop"), 2)

    def test_a_repeat_joins_the_running_step(self, agent: RawAgent) -> None:
        agent.begin()
        slow = agent.step_request(skill("slow", seconds="0.5"), 0)
        with pytest.raises(grpc.RpcError) as caught:
            agent.stub.Step(slow, metadata=agent.metadata, timeout=0.1)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        answer = agent.stub.Step(slow, metadata=agent.metadata, timeout=30)
        assert answer.observation.text.endswith("step 1")
        agent.index = 1
        assert agent.step(skill("noop")).observation.text.endswith("step 2"), "it was played twice"

    def test_a_terminal_answer_is_repeated_until_the_next_episode(self, agent: RawAgent) -> None:
        agent.begin()
        last = agent.step(skill("win"))
        assert last.status == TERMINATED
        assert agent.repeat(skill("win"), 0) == last
        code = grpc.StatusCode.FAILED_PRECONDITION
        fails("EPISODE_NOT_OPEN", code, agent.repeat, skill("win"), 1)
        finished = agent.step_request(skill("win"), 0)
        agent.begin()
        with pytest.raises(grpc.RpcError) as caught:
            agent.stub.Step(finished, metadata=agent.metadata)
        assert reason_of(caught.value) == "EPISODE_NOT_OPEN"

    def test_begin_and_end_may_be_repeated(self, agent: RawAgent) -> None:
        begun = agent.begin()
        assert agent.begin(0) == begun
        code = grpc.StatusCode
        fails("EPISODE_STILL_OPEN", code.FAILED_PRECONDITION, agent.begin, 1)
        fails("EPISODE_OUT_OF_ORDER", code.OUT_OF_RANGE, agent.begin, 7)
        assert agent.end().status == TERMINATED
        assert agent.end().status == TERMINATED

    def test_all_done_is_said_as_often_as_asked(self, agent: RawAgent) -> None:
        assert agent.play_out() == 3
        assert agent.begin().HasField("all_done")
        assert agent.begin().HasField("all_done")


class TestResume:
    def test_a_new_holder_goes_on_and_the_old_one_is_out(
        self, service: OpenService, agent: RawAgent
    ) -> None:
        agent.begin()
        agent.step(skill("noop"))
        newcomer = RawAgent(service.address, agent.metadata[0][1].split()[1])
        grant = newcomer.attach(resume_token=agent.grant.resume_token)
        assert grant.session_epoch == 2
        assert grant.open_episode_id == agent.episode.episode_id
        told = newcomer.get_episode(grant.open_episode_id)
        assert told.episode == agent.episode
        assert [step.action.skill.name for step in told.history] == ["noop"]
        assert told.next_step_index == 1
        newcomer.episode, newcomer.index = told.episode, told.next_step_index
        assert newcomer.step(skill("win")).status == TERMINATED
        fails("SESSION_SUPERSEDED", grpc.StatusCode.ABORTED, agent.step, skill("noop"))
        newcomer.close()

    def test_a_resume_token_is_good_once_and_a_seat_is_taken_once(
        self, service: OpenService, agent: RawAgent
    ) -> None:
        token = agent.grant.resume_token
        other = RawAgent(service.address, agent.metadata[0][1].split()[1])
        other.attach(resume_token=token)
        other.begin(0)
        third = RawAgent(service.address, agent.metadata[0][1].split()[1])
        code = grpc.StatusCode.FAILED_PRECONDITION

        def attach(resume: bytes) -> None:
            third.attach(resume_token=resume)

        fails("RESUME_REFUSED", code, attach, token)
        fails("SEAT_TAKEN", code, attach, b"")
        other.close()
        third.close()

    def test_after_a_resume_pictures_come_whole(self, service: OpenService) -> None:
        condition = {"frame": "64", "picture": "still"}
        run = service.open_run(limit=1, condition=condition, fresh=True)
        references = (agent_pb2.FEATURE_FRAME_REFERENCE,)
        agent = service.agent(run, features=references)
        opening = agent.begin().episode.observation.images[0]
        assert len(opening.data) == 64 * 64 * 3
        assert agent.step(skill("noop")).observation.images[0].same_as_observation == 0
        assert agent.step(skill("noop")).observation.images[0].WhichOneof("content") != "data"
        newcomer = RawAgent(service.address, service.token(run))
        newcomer.attach(resume_token=agent.grant.resume_token, features=references)
        told = newcomer.get_episode(agent.episode.episode_id)
        assert told.last_step.observation.images[0].data == opening.data
        assert told.last_step.observation.index == 2
        newcomer.episode, newcomer.index = told.episode, told.next_step_index
        assert newcomer.step(skill("noop")).observation.images[0].data == opening.data


class TestCredentials:
    def test_tokens(self, service: OpenService, agent: RawAgent) -> None:
        code = grpc.StatusCode.UNAUTHENTICATED
        hello = agent_pb2.HelloRequest(protocol_revision=1)
        good = agent.metadata[0][1]
        for metadata, reason in (
            ((), "TOKEN_MISSING"),
            ((("authorization", good.removesuffix(good[-3:]) + "AAA"),), "TOKEN_INVALID"),
            ((("authorization", "Basic abc"),), "TOKEN_MISSING"),
            (service.operator, "TOKEN_INVALID"),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                agent.stub.Hello(hello, metadata=metadata)
            assert (caught.value.code(), reason_of(caught.value)) == (code, reason)

    def test_another_sessions_token_opens_nothing(self, service: OpenService) -> None:
        run = service.open_run(limit=2, sessions=2, fresh=True)
        mine, theirs = service.agent(run, 0), service.agent(run, 1)
        mine.begin()
        theirs.grant = mine.grant
        theirs.episode = mine.episode
        code = grpc.StatusCode.PERMISSION_DENIED
        fails("SESSION_FOREIGN", code, theirs.step, skill("win"))
        assert mine.step(skill("win")).status == TERMINATED

    def test_the_control_listener_does_not_know_lease_tokens(
        self, service: OpenService, agent: RawAgent
    ) -> None:
        with pytest.raises(grpc.RpcError) as caught:
            service.control().ListRuns(control_pb2.ListRunsRequest(), metadata=agent.metadata)
        assert reason_of(caught.value) == "TOKEN_INVALID"

    def test_the_agents_listener_does_not_serve_control(
        self, service: OpenService, agent: RawAgent
    ) -> None:
        stub = control_pb2_grpc.ControlServiceStub(agent.channel)
        with pytest.raises(grpc.RpcError) as caught:
            stub.ListRuns(control_pb2.ListRunsRequest(), metadata=service.operator)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


class TestBadActions:
    @pytest.mark.parametrize(
        ("action", "code"),
        [
            (skill("fly"), "UNKNOWN_SKILL"),
            (skill("noop", to="there"), "UNKNOWN_SKILL"),
            (action_pb2.Action(text="¯\\_(ツ)_/¯"), "UNPARSABLE"),
            (action_pb2.Action(text=""), "UNPARSABLE"),
            (action_pb2.Action(), "UNPARSABLE"),
            (action_pb2.Action(text="x" * 10_000_000), "UNPARSABLE"),
            (skill("noop", word="y" * 1_000_000), "UNPARSABLE"),
        ],
    )
    def test_a_bad_action_is_an_ordinary_outcome_and_costs_a_turn(
        self, agent: RawAgent, action: action_pb2.Action, code: str
    ) -> None:
        agent.begin()
        answer = agent.step(action)
        assert action_pb2.OutcomeCode.Name(answer.outcomes[0].code) == f"OUTCOME_CODE_{code}"
        assert answer.status == RUNNING
        assert agent.step(skill("noop")).observation.text.endswith("step 2")

    def test_two_different_oversize_texts_conflict(self, agent: RawAgent) -> None:
        agent.begin()
        agent.step(action_pb2.Action(text="x" * 100_000))
        with pytest.raises(grpc.RpcError) as caught:
            agent.repeat(action_pb2.Action(text="x" * 100_001), 0)
        assert reason_of(caught.value) == "STEP_CONFLICT"

    def test_a_plan_outside_plan_mode(self, agent: RawAgent) -> None:
        agent.begin()
        plan = action_pb2.Action(plan=action_pb2.Plan())
        code = grpc.StatusCode.INVALID_ARGUMENT
        fails("ACTION_KIND_NOT_ALLOWED", code, agent.step, plan)
        assert agent.step(skill("noop")).step_index == 0

    def test_a_message_over_the_cap(self, agent: RawAgent) -> None:
        agent.begin()
        with pytest.raises(grpc.RpcError) as caught:
            agent.step(action_pb2.Action(text="x" * (17 << 20)))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert agent.step(skill("noop")).status == RUNNING

    def test_malformed_protobuf(self, agent: RawAgent) -> None:
        agent.begin()
        call = agent.channel.unary_unary("/houseguest.agent.v1.AgentService/Step")
        with pytest.raises(grpc.RpcError) as caught:
            call(b"\xff\xff\xff\xff", metadata=agent.metadata)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert reason_of(caught.value) == "MALFORMED_REQUEST"
        assert agent.step(skill("noop")).status == RUNNING


def test_an_error_that_repeats_a_long_name_still_has_its_reason(agent: RawAgent) -> None:
    agent.begin()
    code = grpc.StatusCode.FAILED_PRECONDITION
    fails("EPISODE_NOT_OPEN", code, agent.get_episode, "x" * 100_000)


class TestModes:
    def test_a_plan_is_one_step(self, service: OpenService) -> None:
        run = service.open_run(task_set="plans", limit=2, fresh=True)
        agent = service.agent(run)
        assert agent.begin().episode.mode == agent_pb2.MODE_PLAN
        calls = [action_pb2.SkillCall(name=name) for name in ("noop", "fly", "win", "noop")]
        answer = agent.step(action_pb2.Action(plan=action_pb2.Plan(steps=calls)))
        assert len(answer.outcomes) == 3
        assert answer.status == TERMINATED
        agent.begin()
        long = action_pb2.Plan(steps=[action_pb2.SkillCall(name="noop")] * 600)
        code = grpc.StatusCode.INVALID_ARGUMENT
        fails("PLAN_TOO_LONG", code, agent.step, action_pb2.Action(plan=long))

    def test_an_answer_is_one_step(self, service: OpenService) -> None:
        run = service.open_run(task_set="answers", limit=1, fresh=True)
        agent = service.agent(run)
        episode = agent.begin().episode
        assert episode.mode == agent_pb2.MODE_ANSWER
        assert not episode.action_space.skills
        code = grpc.StatusCode.INVALID_ARGUMENT
        fails("ACTION_KIND_NOT_ALLOWED", code, agent.step, skill("win"))
        assert agent.step(action_pb2.Action(text="0")).status == TERMINATED
        service.call(run.wait_until_over())
        assert run.context.folder.finished()[0].success


class TestObservations:
    def test_only_what_was_asked_for_is_sent(self, service: OpenService) -> None:
        run = service.open_run(limit=1, condition={"frame": "64"}, fresh=True)
        image = observation_pb2.ImageRequest(
            channel=observation_pb2.CHANNEL_RGB, encodings=[observation_pb2.IMAGE_ENCODING_PNG]
        )
        agent = service.agent(run, observation=observation_pb2.ObservationRequest(images=[image]))
        observation = agent.begin().episode.observation
        assert observation.text == ""
        assert observation.images[0].data.startswith(b"\x89PNG")

    def test_what_is_not_offered_is_refused(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        image = observation_pb2.ImageRequest(channel=observation_pb2.CHANNEL_DEPTH)
        request = observation_pb2.ObservationRequest(images=[image])
        raw = RawAgent(service.address, service.token(run))
        code = grpc.StatusCode.INVALID_ARGUMENT
        fails("OBSERVATION_NOT_OFFERED", code, raw.attach, request)
        fails("FEATURE_NOT_OFFERED", grpc.StatusCode.FAILED_PRECONDITION, raw.attach, None, (4,))
        raw.attach()
        assert raw.begin().HasField("episode")


def test_play_answers_in_order_and_survives_errors(agent: RawAgent) -> None:
    def requests() -> Iterator[agent_pb2.PlayRequest]:
        begin = agent_pb2.BeginEpisodeRequest(**agent.who)
        yield agent_pb2.PlayRequest(request_id=7, begin_episode=begin)
        assert arrived.wait(60)
        agent.episode = episode[0]
        yield agent_pb2.PlayRequest(request_id=8, step=agent.step_request(skill("noop"), 0))
        yield agent_pb2.PlayRequest(request_id=9, step=agent.step_request(skill("noop"), 5))
        yield agent_pb2.PlayRequest(request_id=10)
        yield agent_pb2.PlayRequest(request_id=11, step=agent.step_request(skill("win"), 1))

    arrived, episode, answers = threading.Event(), [], []
    for answer in agent.stub.Play(requests(), metadata=agent.metadata, timeout=60):
        answers.append(answer)
        if answer.request_id == 7:
            episode.append(answer.begin_episode.episode)
            arrived.set()
    assert [answer.request_id for answer in answers] == [7, 8, 9, 10, 11]
    assert [a.WhichOneof("response") for a in answers[1:]] == ["step", "error", "error", "step"]
    assert answers[2].error.reason == "STEP_OUT_OF_ORDER"
    assert answers[3].error.reason == "MALFORMED_REQUEST"
    assert answers[4].step.status == TERMINATED


def test_health_and_reflection_on_both_listeners(service: OpenService) -> None:
    for addresses, name in (
        (service.server.agent_addresses, "houseguest.agent.v1.AgentService"),
        (service.server.control_addresses, "houseguest.control.v1.ControlService"),
    ):
        for address in addresses:
            with grpc.insecure_channel(address) as channel:
                health = health_pb2_grpc.HealthStub(channel)
                status = health.Check(health_pb2.HealthCheckRequest(service=name)).status
                assert status == health_pb2.HealthCheckResponse.SERVING
                ask = reflection_pb2.ServerReflectionRequest(list_services="")
                stub = reflection_pb2_grpc.ServerReflectionStub(channel)
                answer = next(stub.ServerReflectionInfo(iter([ask])))
                names = [entry.name for entry in answer.list_services_response.service]
                assert name in names


def test_hello_tells_limits_and_features(agent: RawAgent) -> None:
    hello = agent.stub.Hello(agent_pb2.HelloRequest(protocol_revision=1), metadata=agent.metadata)
    assert hello.limits.max_message_bytes == 16 << 20
    assert agent_pb2.FEATURE_STREAMING_PLAY in hello.features
    assert hello.limits.max_action_bytes == 64 << 10

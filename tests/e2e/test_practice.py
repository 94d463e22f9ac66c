"""Practice leases over a real service: what they may do, and what no other lease may."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import timedelta

import grpc
import pytest
from houseguest.agent.v1 import action_pb2, agent_pb2
from houseguest.control.v1 import control_pb2
from houseguest_agent import Client, EpisodeStatus, Options, PracticeResult, SetupError

from env_service.domain.schedule import Assignment
from env_service.gateway.episode_in_play import EpisodeInPlay
from env_service.gateway.limits import PROTOCOL_REVISION
from env_service.gateway.practice import PracticeRequest
from tests.support.command_line import until
from tests.support.practice import practising, pupil, reset, reset_request, tokens
from tests.support.service import (
    LAB,
    OpenService,
    RawAgent,
    bearer,
    open_service,
    reason_of,
    skill,
)

RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
TRUNCATED = agent_pb2.EPISODE_STATUS_TRUNCATED
WON = agent_pb2.PracticeResult(
    success=True, goal_conditions_met=1, goal_conditions_total=1, goal_conditions_gained=1.0
)


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def refusal(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    return reason_of(caught.value)


def hello(agent: RawAgent) -> agent_pb2.HelloResponse:
    request = agent_pb2.HelloRequest(protocol_revision=3)
    return agent.stub.Hello(request, metadata=agent.metadata)


class TestPracticeLeases:
    def test_the_task_is_begun_again_as_often_as_one_likes(self, service: OpenService) -> None:
        with practising(service, tasks=("lab/7",)) as practice:
            agent = pupil(service, practice)
            assert agent.grant.episodes_total == 0
            for _ in range(3):
                assert agent.begin().HasField("episode")
                assert agent.episode.observation.text.startswith("lab/7 ")
                assert agent.step(skill("win")).practice_result == WON

    def test_an_open_episode_is_dropped_by_a_reset_alone(self, service: OpenService) -> None:
        with practising(service) as practice:
            agent = pupil(service, practice)
            agent.begin()
            agent.step(skill("noop"))
            assert refusal(agent.begin) == "EPISODE_STILL_OPEN"
            first = agent.episode.episode_id
            assert reset(agent).episode_id != first
            assert agent.step(skill("noop")).status == RUNNING
            assert refusal(agent.get_episode, first) == "EPISODE_NOT_OPEN"

    def test_a_repeated_reset_gets_the_same_episode(self, service: OpenService) -> None:
        with practising(service) as practice:
            agent = pupil(service, practice)
            opened = reset(agent, 7)
            agent.step(skill("noop"))
            request = reset_request(agent, 0, 8)
            again = agent.stub.BeginEpisode(request, metadata=agent.metadata)
            assert again.episode == opened
            assert agent.step(skill("noop")).status == RUNNING

    def test_equal_seeds_give_equal_episodes(self, service: OpenService) -> None:
        def play(agent: RawAgent, seed: int) -> list[object]:
            opening = reset(agent, seed)
            steps = [agent.step(skill("noop")) for _ in range(3)]
            shown = [(step.observation, list(step.outcomes)) for step in steps]
            return [opening.observation, opening.agent_seed, *shown]

        with practising(service, sessions=2, condition={"frame": "64"}) as practice:
            one, other = pupil(service, practice), pupil(service, practice, 1)
            assert play(one, 3) == play(one, 3) == play(other, 3)
            assert play(one, 3) != play(one, 4)

    def test_a_seed_gives_what_a_run_with_it_gives_first(self, service: OpenService) -> None:
        run = service.open_run(seed=11, limit=1, fresh=True)
        scored = service.agent(run)
        scored.begin()
        with practising(service) as practice:
            opening = reset(pupil(service, practice), 11)
        assert opening.observation == scored.episode.observation
        assert opening.agent_seed == scored.episode.agent_seed

    def test_without_a_seed_the_service_goes_through_its_own(self, service: OpenService) -> None:
        with practising(service, sessions=2, seed=100) as practice:
            agent = pupil(service, practice, 1)
            shown = [reset(agent).observation.text, reset(agent).observation.text]
            (task, _) = practice.tasks
        for text, seed in zip(shown, (101, 103), strict=True):
            assert f" seed {Assignment(task, 0).seed(seed)} " in text

    @pytest.mark.parametrize(
        ("deeds", "status", "success", "failure"),
        [
            (["win"], TERMINATED, True, ""),
            (["lose"], TERMINATED, False, "goal_not_reached"),
            (["noop", "noop", "noop"], TRUNCATED, False, "max_steps"),
        ],
    )
    def test_the_last_answer_tells_the_result_and_no_other(
        self, service: OpenService, deeds: list[str], status: int, success: bool, failure: str
    ) -> None:
        with practising(service, condition={"steps": "3"}) as practice:
            agent = pupil(service, practice)
            agent.begin()
            *before, last = [agent.step(skill(deed)) for deed in deeds]
            assert not any(step.HasField("practice_result") for step in before)
            assert last.status == status
            assert last.practice_result.success is success
            assert last.practice_result.failure == failure
            assert agent.repeat(skill(deeds[-1]), len(deeds) - 1) == last
            assert agent.get_episode().last_step.practice_result == last.practice_result
            assert agent.end().practice_result == last.practice_result

    def test_an_episode_that_the_agent_ends_tells_its_result(self, service: OpenService) -> None:
        with practising(service) as practice:
            agent = pupil(service, practice)
            agent.begin()
            agent.step(skill("noop"))
            told = agent.end(agent_pb2.END_REASON_AGENT_GAVE_UP).practice_result
            assert (told.success, told.failure) == (False, "gave_up")
            assert not agent.get_episode().last_step.HasField("practice_result")

    def test_play_carries_resets_and_results(self, service: OpenService) -> None:
        with practising(service) as practice:
            agent = pupil(service, practice)
            begin = agent_pb2.PlayRequest(request_id=1, begin_episode=reset_request(agent, 0, 5))
            (opened,) = agent.stub.Play(iter([begin]), metadata=agent.metadata)
            agent.episode = opened.begin_episode.episode
            step = agent_pb2.PlayRequest(step=agent.step_request(skill("win"), 0))
            again = agent_pb2.PlayRequest(begin_episode=reset_request(agent, 1))
            answers = list(agent.stub.Play(iter([step, again]), metadata=agent.metadata))
            assert answers[0].step.practice_result == WON
            assert answers[1].begin_episode.episode.episode_id != agent.episode.episode_id

    def test_plans_and_answers_are_practised_too(self, service: OpenService) -> None:
        with practising(service, task_set="answers", tasks=("answers/3",)) as practice:
            agent = pupil(service, practice)
            agent.begin()
            assert agent.step(action_pb2.Action(text="6")).practice_result == WON

    def test_tasks_are_spread_over_the_sessions(self, service: OpenService) -> None:
        with practising(service, tasks=("lab/3", "lab/4"), sessions=3) as practice:
            assert [task.id for task in practice.tasks] == ["lab/3", "lab/4", "lab/3"]

    def test_hello_says_that_it_is_practice(self, service: OpenService) -> None:
        with practising(service) as practice:
            response = hello(pupil(service, practice))
        assert response.protocol_revision == PROTOCOL_REVISION
        assert agent_pb2.FEATURE_PRACTICE in response.features
        assert response.limits.agent_step_budget.ToTimedelta() == timedelta(hours=1)
        assert not response.limits.HasField("agent_episode_budget")


class TestSeats:
    def test_a_seat_that_is_held_is_taken(self, service: OpenService) -> None:
        with practising(service) as practice:
            holder = pupil(service, practice)
            holder.begin()
            assert refusal(pupil, service, practice) == "SEAT_TAKEN"
            assert holder.step(skill("noop")).status == RUNNING

    def test_a_seat_that_nobody_holds_is_free_at_once(self, service: OpenService) -> None:
        with practising(service) as practice:
            first = pupil(service, practice)
            first.begin()
            first.events.cancel()
            until(lambda: not practice.session(0, 0).has_listeners)  # type: ignore[union-attr]
            second = pupil(service, practice)
            second.begin()
            assert second.step(skill("win")).practice_result == WON
            assert refusal(first.step, skill("noop")) == "SESSION_FOREIGN"

    def test_a_session_that_withdrew_makes_room(self, service: OpenService) -> None:
        with practising(service) as practice:
            first = pupil(service, practice)
            first.begin()
            first.withdraw()
            second = pupil(service, practice)
            assert second.begin().HasField("episode")

    def test_a_lost_link_is_resumed_as_ever(self, service: OpenService) -> None:
        with practising(service) as practice:
            agent = pupil(service, practice)
            agent.begin()
            agent.step(skill("noop"))
            agent.attach(resume_token=agent.grant.resume_token)
            assert agent.grant.open_episode_id == agent.episode.episode_id
            assert agent.step(skill("win")).practice_result == WON


class TestScoredLeases:
    def test_a_reset_is_refused_and_changes_nothing(self, service: OpenService) -> None:
        agent = service.agent(service.open_run(limit=2, fresh=True))
        for ordinal in (0, 1):
            request = reset_request(agent, ordinal, 5)
            begin = agent.stub.BeginEpisode
            assert refusal(begin, request, metadata=agent.metadata) == "PRACTICE_ONLY"
            if ordinal == 0:
                agent.begin()
                agent.step(skill("noop"))
        assert refusal(agent.begin) == "EPISODE_STILL_OPEN"
        assert agent.step(skill("win")).step_index == 1
        play = agent_pb2.PlayRequest(begin_episode=reset_request(agent, 1))
        (answer,) = agent.stub.Play(iter([play]), metadata=agent.metadata)
        assert answer.error.reason == "PRACTICE_ONLY"
        assert agent.play_out() == 1

    def test_no_answer_ever_carries_a_result(self, service: OpenService) -> None:
        agent = service.agent(service.open_run(limit=3, fresh=True, condition={"steps": "3"}))
        assert agent_pb2.FEATURE_PRACTICE not in hello(agent).features
        agent.begin()
        answers: list[object] = [agent.step(skill("win")), agent.end()]
        agent.begin()
        answers += [agent.step(skill("noop")) for _ in range(3)]
        answers.append(agent.get_episode().last_step)
        agent.begin()
        answers.append(agent.end())
        assert not any(answer.HasField("practice_result") for answer in answers)  # type: ignore[attr-defined]

    def test_practice_is_refused_as_a_feature(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        features = (agent_pb2.FEATURE_PRACTICE,)
        assert refusal(service.agent, run, features=features) == "FEATURE_NOT_OFFERED"


class TestSdk:
    def test_a_task_is_begun_anew_and_tells_how_it_went(self, service: OpenService) -> None:
        with practising(service) as practice:
            (token,) = tokens(service, practice)
            with Client("pupil", options=Options(address=service.address, token=token)) as client:
                dropped = client.reset(5)
                dropped.act("noop")
                episode = client.reset(5)
                assert not dropped.running
                assert episode.opening.text == dropped.opening.text
                assert episode.act("win").status is EpisodeStatus.TERMINATED
                assert episode.result == PracticeResult(True, 1, 1, goal_conditions_gained=1.0)
                begun = next(client.episodes())
                begun.give_up()
                assert begun.result == PracticeResult(False, 0, 1, "gave_up", 0.0)
                assert client.protocol_revision == PROTOCOL_REVISION

    def test_a_scored_lease_has_neither(self, service: OpenService) -> None:
        token = service.token(service.open_run(limit=1, fresh=True))
        with Client("pupil", options=Options(address=service.address, token=token)) as client:
            with pytest.raises(SetupError, match="not for practice"):
                client.reset()
            episode = next(client.episodes())
            episode.act("win")
            assert episode.result is None


class TestOperators:
    def request(self, **changes: object) -> control_pb2.CreatePracticeRequest:
        asked = {"request_id": "p", "suite": LAB, "tasks": ["lab/2"], "sessions": 2, **changes}
        return control_pb2.CreatePracticeRequest(**asked)  # type: ignore[arg-type]

    def test_a_practice_is_created_once_and_closed(self, service: OpenService) -> None:
        control, who = service.control(), service.operator
        created = control.CreatePractice(self.request(seed=4), metadata=who)
        assert control.CreatePractice(self.request(seed=4), metadata=who) == created
        assert list(created.practice.task_ids) == ["lab/2", "lab/2"]
        assert (created.practice.task_set, created.practice.world) == ("lab", "light")
        agent = RawAgent(service.address, created.lease_tokens[1])
        agent.attach()
        assert reset(agent).observation.text.startswith("lab/2 ")
        runs = control.ListRuns(control_pb2.ListRunsRequest(), metadata=who).runs
        assert created.practice.practice_id not in [run.run_id for run in runs]
        close = control_pb2.ClosePracticeRequest(practice_id=created.practice.practice_id)
        control.ClosePractice(close, metadata=who)
        assert refusal(control.ClosePractice, close, metadata=who) == "RUN_NOT_FOUND"
        assert refusal(hello, agent) == "RUN_NOT_FOUND"
        anew = control.CreatePractice(self.request(seed=4), metadata=who)
        assert anew.practice.practice_id != created.practice.practice_id
        service.call(service.server.environment.practice(anew.practice.practice_id).close())

    def test_what_cannot_be_created_says_why(self, service: OpenService) -> None:
        control, who = service.control(), service.operator
        wrong = self.request(request_id="x", tasks=["lab/222"])
        with pytest.raises(grpc.RpcError) as caught:
            control.CreatePractice(wrong, metadata=who)
        assert reason_of(caught.value) == "BAD_RUN"
        assert "'lab/22'" in str(caught.value.details())
        empty = self.request(request_id="")
        assert refusal(control.CreatePractice, empty, metadata=who) == "MALFORMED_REQUEST"
        stranger = bearer("guess")
        assert refusal(control.CreatePractice, wrong, metadata=stranger) == "TOKEN_INVALID"

    def test_one_that_nobody_uses_closes_itself(self, service: OpenService) -> None:
        control, who = service.control(), service.operator
        unused = self.request(request_id="unused", unused_for=timedelta(seconds=1.5))
        practice_id = control.CreatePractice(unused, metadata=who).practice.practice_id
        practice = service.server.environment.practice(practice_id)
        until(practice.closed.is_set)
        assert practice.stopped == "no agent used it for 1.5 s"


def test_a_practice_leaves_nothing_beside_the_runs() -> None:
    with open_service() as service:
        with practising(service, sessions=2, condition={"frame": "64"}) as practice:
            logs = practice.context.folder.logs
            for number, token in enumerate(tokens(service, practice)):
                agent = RawAgent(service.address, token)
                agent.attach()
                for seed in range(5):
                    reset(agent, seed)
                    agent.step(skill("noop"))
                agent.step(skill("win" if number else "crash"))
            before = sorted(path.name for path in logs.iterdir())
            assert before == ["worker-0.log", "worker-1.log"]
        assert not logs.exists()
        left = {path.name for path in service.folder.iterdir()}
        assert left <= {"agent.sock", "control.sock", "key.pem"}


def test_a_service_that_closes_closes_its_practices() -> None:
    with open_service() as service:
        practice = service.call(service.server.environment.open_practice(PracticeRequest(LAB)))
        agent = pupil(service, practice)
        agent.begin()
    assert practice.closed.is_set()
    assert not practice.context.folder.logs.exists()


def test_episodes_that_were_dropped_leave_nothing_in_memory(service: OpenService) -> None:
    def alive() -> int:
        gc.collect()
        # By its type: a proxy whose object is gone cannot be asked.
        return sum(type(each) is EpisodeInPlay for each in gc.get_objects())

    before = alive()
    with practising(service, condition={"frame": "64"}) as practice:
        agent = pupil(service, practice)
        for _ in range(60):
            reset(agent)
            agent.step(skill("noop"))
        until(lambda: alive() <= before + 3)


def test_an_episode_has_no_time_budget(service: OpenService) -> None:
    with practising(service) as practice:
        agent = pupil(service, practice)
        assert not agent.begin().episode.HasField("agent_time_budget")
        assert not agent.step(skill("noop")).HasField("remaining")

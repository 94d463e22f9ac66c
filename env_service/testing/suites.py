"""The contract of a suite, as tests for any suite.

Subclass `SuiteConformance` under a name that starts with ``Test``, set the suite, and pytest
does the rest. The tests check what ``env_service.suites.base`` and ``env_service.domain.episode``
promise.
"""

from __future__ import annotations

import itertools
import json
import math
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from env_service.domain.action import Action, Plan, Skill, SkillCall, Text, Unreadable
from env_service.domain.episode import (
    Episode,
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    Mode,
    StepReport,
    share_gained,
)
from env_service.domain.moment import Moment, Note, WatchedEpisode
from env_service.domain.observation import (
    Channel,
    Frame,
    ImageRequest,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import OutcomeCode
from env_service.domain.task import Task
from env_service.suites.base import Condition, EpisodeOrder, Suite
from env_service.suites.registry import load_suite

BAD_ACTIONS: tuple[Action, ...] = (
    SkillCall("no such skill"),
    SkillCall(""),
    SkillCall("no such skill", (("argument", "value"), ("argument", "twice"))),
    Text("?!"),
    Text(""),
    Text("\x00 \ufffd " + "very long " * 500),
    Unreadable("the action has no kind", "0" * 64),
)
"""Actions that no suite can carry out, and that none may fail on."""


class SuiteConformance:
    """Set ``suite``; override the rest only if the defaults would be slow or wrong."""

    suite: str | type[Suite]
    """The suite: its installed name, its ``module:class``, or its class."""

    world: str | None = None
    """The world to play in; None for the suite's default."""

    def make_suite(self) -> Suite:
        """A new instance of the suite. Raises UnknownNameError and SuiteLoadError."""
        return make_suite(self.suite)

    def sample_tasks(self, suite: Suite) -> Sequence[Task]:
        """A few tasks to play."""
        return next(iter(suite.task_sets().values())).tasks[:1]

    def expert_tasks(self, suite: Suite) -> Sequence[Task]:
        """Tasks that the expert must solve."""
        return self.sample_tasks(suite)

    def conditions(self, suite: Suite) -> Sequence[Condition]:
        """The conditions under which to open episodes; by default, all combinations of settings."""
        names = [setting.name for setting in suite.settings]
        values = itertools.product(*(setting.values for setting in suite.settings))
        return [dict(zip(names, combination, strict=True)) for combination in values]

    @pytest.fixture(name="suite")
    def _suite(self) -> Suite:
        return self.make_suite()

    def order(
        self,
        suite: Suite,
        condition: Condition | None = None,
        request: ObservationRequest | None = None,
    ) -> EpisodeOrder:
        """An order for the first sample task; by default under the first condition, with the whole
        offer."""
        settled = condition or {setting.name: setting.default for setting in suite.settings}
        grant = suite.offer(settled).grant(request or ObservationRequest())
        task = self.sample_tasks(suite)[0]
        return EpisodeOrder(task, self.world or suite.worlds[0], settled, grant, seed=3)

    def orders(self, suite: Suite) -> list[EpisodeOrder]:
        """The order of each sample task under the default condition."""
        first = self.order(suite)
        return [
            EpisodeOrder(task, first.world, first.condition, first.request, first.seed)
            for task in self.sample_tasks(suite)
        ]

    # ---- the suite's description

    def test_the_suite_describes_itself(self, suite: Suite) -> None:
        assert suite.name
        assert suite.version
        assert suite.description
        assert suite.worlds
        assert suite.modes
        assert all(suite.episodes_per_worker(world) >= 1 for world in suite.worlds)
        assert all(suite.skills_per_step(each) >= 1 for each in self.conditions(suite))

    def test_settings_have_unique_names_and_values(self, suite: Suite) -> None:
        names = [setting.name for setting in suite.settings]
        assert len(set(names)) == len(names)
        for setting in suite.settings:
            assert setting.description, setting.name
            assert setting.values, setting.name
            assert len(set(setting.values)) == len(setting.values), setting.name

    def test_tasks_are_unique_in_their_set_and_made_of_json(self, suite: Suite) -> None:
        assert suite.task_sets()
        for name, task_set in suite.task_sets().items():
            assert task_set.name == name
            assert task_set.description, name
            assert task_set.tasks, name
            ids = [task.id for task in task_set.tasks]
            assert len(set(ids)) == len(ids), f"task ids repeat in {name}"
            for task in task_set.tasks:
                assert task.id, name
                assert task.group, task.id
                assert task.cluster, task.id
                assert json.loads(json.dumps(dict(task.data))) == dict(task.data), task.id

    def test_digests_of_task_sets_are_stable_and_differ(self, suite: Suite) -> None:
        def digests(of: Suite) -> dict[str, str]:
            sets = of.task_sets().items()
            return {name: tasks.digest(of.name, of.version) for name, tasks in sets}

        found = digests(suite)
        assert found == digests(self.make_suite())
        assert len(set(found.values())) == len(found)

    # ---- conditions and observations

    def test_no_task_is_both_for_training_and_for_evaluation(self, suite: Suite) -> None:
        task_sets = suite.task_sets()
        default = next(iter(task_sets))
        assert not any(suite.for_training(default, each.id) for each in task_sets[default].tasks), (
            "the default task set is for evaluation"
        )
        assert not suite.for_training("no such task set", "no such task")
        assert not suite.for_training(default, "no such task")

    def test_every_condition_offers_something_and_opens(self, suite: Suite) -> None:
        for condition in self.conditions(suite):
            offer = suite.offer(condition)
            suite.disclosure(condition)
            assert offer.text or offer.channels, condition
            assert all(encodings for _, encodings in offer.channels), condition
            with opened(suite, self.order(suite, condition)) as episode:
                first = episode.start()
                check_first(first)
                assert first.mode in suite.modes, condition

    def test_nothing_is_shown_that_was_not_granted(self, suite: Suite) -> None:
        for condition in self.conditions(suite):
            offer = suite.offer(condition)
            requests = [ObservationRequest(text=True)] if offer.text else []
            for channel, legal in offer.channels:
                for previous in {False, offer.previous_frame}:
                    image = ImageRequest(channel, legal[:1], previous)
                    requests.append(ObservationRequest((image,)))
            for request in requests:
                order = self.order(suite, condition, request)
                with opened(suite, order) as episode:
                    first = episode.start()
                    check_observation(first.observation, order.request, opening=True)
                    report = episode.act(plausible_actions(first)[0])
                    check_observation(report.observation, order.request, opening=False)

    # ---- playing

    def test_episodes_keep_the_contract_step_by_step(self, suite: Suite) -> None:
        for order in self.orders(suite):
            with opened(suite, order) as episode:
                first = episode.start()
                turns = 0
                for action in plausible_actions(first):
                    report = episode.act(action)
                    turns += 1
                    check_report(report, first.max_steps)
                    if report.status is not EpisodeStatus.RUNNING:
                        break
                check_result(episode.finish(FinishReason.AGENT_DONE), turns)

    @pytest.mark.parametrize("action", BAD_ACTIONS, ids=range(len(BAD_ACTIONS)))
    def test_a_bad_action_is_an_ordinary_outcome(self, suite: Suite, action: Action) -> None:
        with opened(suite, self.order(suite)) as episode:
            first = episode.start()
            report = episode.act(action)
            check_report(report, first.max_steps)
            assert all(outcome.code is not OutcomeCode.SUCCEEDED for outcome in report.outcomes)
            if isinstance(action, Unreadable):
                assert [outcome.code for outcome in report.outcomes] == [OutcomeCode.UNPARSABLE]

    def test_a_plan_is_never_a_fault(self, suite: Suite) -> None:
        for plan in (Plan(()), Plan((SkillCall("no such skill"),) * 3)):
            with opened(suite, self.order(suite)) as episode:
                first = episode.start()
                check_report(episode.act(plan), first.max_steps)

    def test_the_limit_ends_an_episode_that_makes_no_sense(self, suite: Suite) -> None:
        with opened(suite, self.order(suite)) as episode:
            first = episode.start()
            turns, status = 0, EpisodeStatus.RUNNING
            while status is EpisodeStatus.RUNNING:
                assert turns < first.max_steps, "still running after max_steps turns"
                report = episode.act(Text("?!"))
                check_report(report, first.max_steps)
                turns, status = turns + 1, report.status
            result = episode.finish(FinishReason.OVER)
            check_result(result, turns)
            assert not result.success

    @pytest.mark.parametrize("reason", FinishReason)
    def test_an_episode_can_be_closed_for_any_reason(
        self, suite: Suite, reason: FinishReason
    ) -> None:
        with opened(suite, self.order(suite)) as episode:
            episode.start()
            check_result(episode.finish(reason), 0)

    def test_closing_is_always_allowed(self, suite: Suite) -> None:
        episode = suite.open_episode(self.order(suite))
        episode.close()
        episode.close()

    # ---- equal orders, equal episodes

    def test_equal_orders_and_actions_give_equal_episodes(self, suite: Suite) -> None:
        for condition in self.conditions(suite):
            order = self.order(suite, condition)
            travelled = pickle.loads(pickle.dumps(order))
            assert travelled == order
            one, other = record(suite, order), record(self.make_suite(), travelled)
            compare(one, other, pixels=order.world in suite.deterministic)

    def test_watching_an_episode_changes_nothing(self, suite: Suite) -> None:
        """An episode may offer `watch`. Then the start and each action note a moment, and the
        answers stay the same."""
        order = self.order(suite)
        with opened(suite, order) as episode:
            if not isinstance(episode, WatchedEpisode):
                return
        moments: list[Moment] = []
        counts = [0]
        watched = record(suite, order, moments.append, lambda: counts.append(len(moments)))
        compare(record(suite, order), watched, pixels=False)
        assert all(before < after for before, after in itertools.pairwise(counts)), counts

    def test_episodes_at_once_do_not_disturb_each_other(self, suite: Suite) -> None:
        order = self.order(suite)
        if suite.episodes_per_worker(order.world) < 2:
            pytest.skip("this world hosts one episode at a time")
        alone = record(suite, order)
        with opened(suite, order) as second:
            second.start()
            beside = record(suite, order)
            compare(alone, beside, pixels=order.world in suite.deterministic)

    def test_the_expert_solves_its_tasks_within_the_limit(self, suite: Suite) -> None:
        template = self.order(suite)
        for task in self.expert_tasks(suite):
            order = EpisodeOrder(
                task, template.world, template.condition, template.request, template.seed
            )
            run = suite.expert(order)
            assert run.success, task.id
            assert run == suite.expert(order), f"{task.id}: the expert is not repeatable"
            with opened(suite, order) as episode:
                first = episode.start()
                reports = [episode.act(action) for action in run.actions]
                assert len(run.actions) <= first.max_steps, task.id
                over = reports[-1].status is not EpisodeStatus.RUNNING
                reason = FinishReason.OVER if over else FinishReason.AGENT_DONE
                result = episode.finish(reason)
                check_result(result, len(run.actions))
                assert result.success, task.id


def make_suite(suite: str | type[Suite]) -> Suite:
    """The suite with this name, ``module:class`` or class. Raises UnknownNameError and
    SuiteLoadError."""
    return load_suite(suite) if isinstance(suite, str) else suite()


@contextmanager
def opened(suite: Suite, order: EpisodeOrder) -> Iterator[Episode]:
    """Opens an episode, and closes it afterwards."""
    episode = suite.open_episode(order)
    try:
        yield episode
    finally:
        episode.close()


Record = list[tuple[FirstObservation | StepReport | EpisodeResult, str]]
"""Each answer of an episode, with the digest of the world after it."""


def record(
    suite: Suite,
    order: EpisodeOrder,
    note: Note | None = None,
    answered: Callable[[], None] = lambda: None,
) -> Record:
    """Plays some actions, valid and invalid, and returns all answers.

    ``note`` gets the true states of an episode that can be watched. ``answered`` is called after
    the start and after each action.
    """
    with opened(suite, order) as episode:
        if note is not None and isinstance(episode, WatchedEpisode):
            episode.watch(note)
        first = episode.start()
        answered()
        answers: Record = [(first, episode.state_digest())]
        for action in (*plausible_actions(first), *BAD_ACTIONS):
            report = episode.act(action)
            answered()
            answers.append((report, episode.state_digest()))
            assert episode.state_digest() == answers[-1][1], "asking for the digest changed it"
            if report.status is not EpisodeStatus.RUNNING:
                break
        answers.append((episode.finish(FinishReason.AGENT_DONE), episode.state_digest()))
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for _, digest in answers)
        return answers


def plausible_actions(first: FirstObservation) -> list[Action]:
    """Actions that fit an episode's mode and action space, whether or not they make sense."""
    calls = [_call(skill) for skill in first.action_space.skills]
    match first.mode:
        case Mode.STEPWISE:
            return [*calls, *reversed(calls)]
        case Mode.PLAN:
            return [Plan(tuple(calls))]
        case Mode.ANSWER:
            return [Text("I do not know.")]


def _call(skill: Skill) -> SkillCall:
    values = [(item.name, item.choices[0] if item.choices else "x") for item in skill.parameters]
    return SkillCall(skill.name, tuple(values))


def check_first(first: FirstObservation) -> None:
    """Checks that the opening is complete."""
    assert first.instruction
    assert first.language
    assert first.max_steps >= 1
    assert all(name and text for name, text in first.context.items())
    skills = first.action_space.skills
    if first.mode is Mode.ANSWER:
        assert not skills
        assert first.action_space.answer_format
        return
    assert skills
    assert len({skill.name for skill in skills}) == len(skills)
    for skill in skills:
        assert skill.description, skill.name
        assert len({item.name for item in skill.parameters}) == len(skill.parameters)
        assert all(item.description for item in skill.parameters), skill.name
    json.loads(first.action_space.json_schema())


def check_observation(
    observation: Observation, granted: ObservationRequest, *, opening: bool
) -> None:
    """Checks that the observation holds exactly what was granted."""
    assert bool(observation.text) == granted.text
    wanted = {image.channel: image for image in granted.images}
    assert {frame.channel for frame in observation.frames} == set(wanted)
    keys = [(frame.channel, frame.role, frame.view) for frame in observation.frames]
    assert len(set(keys)) == len(keys)
    for frame in observation.frames:
        check_frame(frame)
        if frame.role is ImageRole.PREVIOUS:
            assert wanted[frame.channel].previous_frame
            assert not opening


def check_frame(frame: Frame) -> None:
    """Checks that the pixels have their channel's form."""
    pixels = frame.pixels
    assert pixels.flags.c_contiguous
    assert pixels.size
    if frame.channel is Channel.DEPTH:
        assert (pixels.dtype.name, pixels.ndim) == ("float32", 2)
    else:
        assert (pixels.dtype.name, pixels.ndim, pixels.shape[-1]) == ("uint8", 3, 3)
    assert bool(frame.view) == (frame.role is ImageRole.VIEW)


def check_report(report: StepReport, max_steps: int) -> None:
    """Checks a step's answer."""
    assert report.status is not EpisodeStatus.VOIDED
    assert 0 <= report.steps_left <= max_steps
    if report.steps_left == 0:
        assert report.status is not EpisodeStatus.RUNNING
    reserved = {OutcomeCode.REFUSED, OutcomeCode.WITHHELD}
    assert not reserved & {outcome.code for outcome in report.outcomes}, (
        "a suite must not withhold outcomes"
    )


def check_result(result: EpisodeResult, turns: int) -> None:
    """Checks a score."""
    assert result.steps == turns
    assert result.goal_conditions
    assert all(condition.name for condition in result.goal_conditions)
    assert result.success == all(condition.met for condition in result.goal_conditions)
    assert all(condition.held_at_start is not None for condition in result.goal_conditions)
    if not turns:
        assert share_gained(result.goal_conditions) in (0, None), "no action was taken"
    assert (result.failure is None) == result.success
    assert all(math.isfinite(value) for value in result.metrics.values())


def compare(one: Record, other: Record, *, pixels: bool) -> None:
    """Checks that two records are equal: in digests, answers and text, and in ``pixels``."""
    assert [digest for _, digest in one] == [digest for _, digest in other]
    for (left, _), (right, _) in zip(one, other, strict=True):
        if isinstance(left, EpisodeResult) or isinstance(right, EpisodeResult):
            assert left == right
            continue
        blank = Observation()
        assert replace(left, observation=blank) == replace(right, observation=blank)
        assert left.observation.text == right.observation.text
        for mine, yours in zip(left.observation.frames, right.observation.frames, strict=True):
            key = (mine.channel, mine.role, mine.view)
            assert key == (yours.channel, yours.role, yours.view)
            assert not pixels or np.array_equal(mine.pixels, yours.pixels)

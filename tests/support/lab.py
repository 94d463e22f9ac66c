"""A laboratory: a suite whose skills break things on purpose.

For fault injection, for the tests of everything above the worlds, and for benchmarks that
want a world without cost. Load it as ``tests.support.lab:LabSuite``. Nothing in it is a
benchmark: an agent wins by calling ``win``.

Task sets: ``lab`` (50 stepwise tasks), ``plans`` (5, one plan each), ``answers`` (5, one
answer each). Worlds: ``light`` (64 episodes to a worker) and ``heavy`` (one).
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
    StepReport,
    failure_class,
)
from env_service.domain.failure import FailureClass, FaultClass, WorldFault
from env_service.domain.observation import (
    LOSSLESS,
    Channel,
    Frame,
    ImageEncoding,
    ImageRole,
    Observation,
    ObservationOffer,
)
from env_service.domain.outcome import Disclosure, FeedbackMode, Outcome, OutcomeCode
from env_service.domain.task import Task, TaskSet
from env_service.suites.base import Condition, EpisodeOrder, ExpertRun, PlainSuite, Setting
from env_service.wire.images import Pixels
from tests.support.lab_report import LAB_DESIGN

REFUSALS = ("UNPARSABLE", "UNKNOWN_OBJECT", "PRECONDITION_FAILED", "PHYSICALLY_BLOCKED")
FAULTS = (
    *("none", "start_crash", "start_hang", "start_raise", "start_data"),
    *("finish_crash", "finish_hang", "finish_raise", "close_raise"),
)
HOUR = 3600
_DONE = Outcome(OutcomeCode.SUCCEEDED, "done")

SKILLS = (
    Skill("noop", "Does nothing, and succeeds."),
    Skill("win", "Reaches the goal: terminated, success."),
    Skill("lose", "Ends the episode short of the goal: terminated, no success."),
    Skill("refuse", "Is refused.", (Parameter("code", "The outcome code.", REFUSALS),)),
    Skill("slow", "Takes its time.", (Parameter("seconds", "How long: '0.5'."),)),
    Skill("big", "Shows a megabyte of text."),
    Skill("spew", "Writes 20 MB to standard output."),
    Skill("raise", "Raises an exception in the rules."),
    Skill("crash", "Kills the worker process."),
    Skill("exit", "Ends the worker process with status 3."),
    Skill("hang", "Sleeps for an hour."),
    Skill("freeze", "Sleeps for an hour in native code, with the interpreter locked."),
    Skill("spawn", "Starts a child process that sleeps for an hour; the text tells its pid."),
    Skill("once_crash", "Kills the worker, once.", (Parameter("path", "Of the marker file."),)),
)

SETTINGS = (
    Setting("feedback", "How much of an outcome is told.", ("detailed", "simple", "none")),
    Setting("step_limit", "Whether the step limit is told.", ("hidden", "told")),
    Setting("time_budget", "Whether the time budget is told.", ("told", "hidden")),
    Setting("steps", "The step limit of a stepwise episode.", ("20", "3", "1000000")),
    Setting("frame", "Width and height of the colour picture.", ("none", "64", "512")),
    Setting("picture", "Whether the picture changes at each step.", ("changing", "still")),
    Setting("depth", "Whether a 64×64 depth picture is on offer.", ("off", "on")),
    Setting("previous", "Whether the frame before the last action is on offer.", ("off", "on")),
    Setting("fault", "What goes wrong outside a step, and when.", FAULTS),
)


def default_condition(**changes: str) -> dict[str, str]:
    """Every setting at its default, but for ``changes``."""
    return {setting.name: setting.default for setting in SETTINGS} | changes


class LabSuite(PlainSuite):
    """The laboratory suite. Deterministic; frames are valid until the next observation."""

    name = "lab"
    version = "1"
    description = "Skills that crash, hang and raise, for fault injection."
    worlds: tuple[str, ...] = ("light", "heavy")
    settings = SETTINGS
    modes = (Mode.STEPWISE, Mode.PLAN, Mode.ANSWER)
    packages = ("numpy",)
    deterministic = worlds
    report = LAB_DESIGN

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``lab``, ``plans`` and ``answers``."""
        return {
            name: TaskSet(name, f"Laboratory tasks, {mode}.", _tasks(name, mode, count))
            for name, mode, count in (
                ("lab", "stepwise", 50),
                ("plans", "plan", 5),
                ("answers", "answer", 5),
            )
        }

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        return {}

    def episodes_per_worker(self, world: str) -> int:
        """64 in the light world, 1 in the heavy one."""
        return 64 if world == "light" else 1

    def disclosure(self, condition: Condition) -> Disclosure:
        """As the settings ``feedback``, ``step_limit`` and ``time_budget`` say."""
        return Disclosure(
            FeedbackMode(condition["feedback"]),
            step_limit=condition["step_limit"] == "told",
            time_budget=condition["time_budget"] == "told",
        )

    def offer(self, condition: Condition) -> ObservationOffer:
        """Text always; pictures as the settings ``frame`` and ``depth`` say."""
        channels: list[tuple[Channel, tuple[ImageEncoding, ...]]] = []
        if condition["frame"] != "none":
            channels.append((Channel.RGB, LOSSLESS))
        if condition["depth"] == "on":
            channels.append((Channel.DEPTH, (ImageEncoding.RAW_F32,)))
        return ObservationOffer(
            tuple(channels), text=True, previous_frame=condition["previous"] == "on"
        )

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return LabEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Wins at once, in the way that the task's mode asks for."""
        win = SkillCall("win")
        ways: dict[str, Action] = {
            "stepwise": win,
            "plan": Plan((win,)),
            "answer": Text(str(order.task.data["answer"])),
        }
        return ExpertRun((ways[order.task.data["mode"]],), success=True)


def _tasks(name: str, mode: str, count: int) -> tuple[Task, ...]:
    return tuple(
        Task(
            f"{name}/{n}", f"group-{n % 5}", f"scene-{n % 10}", {"mode": mode, "answer": str(2 * n)}
        )
        for n in range(count)
    )


class LabEpisode:
    """One laboratory episode: counts its turns, and does what each action says."""

    def __init__(self, order: EpisodeOrder) -> None:
        self._order = order
        self._mode = Mode[str(order.task.data["mode"]).upper()]
        self._limit = int(order.condition["steps"]) if self._mode is Mode.STEPWISE else 1
        self._steps = 0
        self._refusals = 0
        self._won = False
        self._status = EpisodeStatus.RUNNING
        self._note = ""
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> FirstObservation:
        """Opens, or fails as the setting ``fault`` says."""
        self._fault("start")
        task = self._order.task
        answering = self._mode is Mode.ANSWER
        half = int(task.data["answer"]) // 2
        return FirstObservation(
            mode=self._mode,
            instruction=f"How much is {half} + {half}?" if answering else "Win.",
            action_space=ActionSpace(answer_format="A number.")
            if answering
            else ActionSpace(SKILLS),
            observation=self._observe(),
            max_steps=self._limit,
            context={"task_group": task.group},
        )

    def act(self, action: Action) -> StepReport:
        """Executes one action; every one costs a step."""
        self._note = ""
        self._steps += 1
        outcomes = self._execute(action)
        self._refusals += sum(outcome.code is not OutcomeCode.SUCCEEDED for outcome in outcomes)
        if self._status is EpisodeStatus.RUNNING:
            if self._mode is not Mode.STEPWISE:
                self._status = EpisodeStatus.TERMINATED
            elif self._steps >= self._limit:
                self._status = EpisodeStatus.TRUNCATED
        left = self._limit - self._steps
        return StepReport(outcomes, self._observe(), self._status, left)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Success if ``win`` was called, or the answer was right."""
        self._fault("finish")
        truncated = self._status is EpisodeStatus.TRUNCATED
        own = FailureClass.MAX_STEPS if truncated else None
        return EpisodeResult(
            success=self._won,
            goal_conditions=(GoalCondition("won", self._won, held_at_start=False),),
            failure=failure_class(success=self._won, reason=reason, own=own),
            steps=self._steps,
            metrics={"refusals": float(self._refusals)},
        )

    def state_digest(self) -> str:
        """Of the task, the seed and all that happened."""
        state = [self._order.task.id, self._order.seed, self._steps, self._refusals, self._won]
        return hashlib.sha256(json.dumps(state).encode()).hexdigest()

    def close(self) -> None:
        """Ends the child process, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None
        self._fault("close")

    def _execute(self, action: Action) -> tuple[Outcome, ...]:
        match action:
            case SkillCall():
                return (self._call(action),)
            case Plan(steps):
                return self._follow(steps)
            case Text(text) if self._mode is Mode.ANSWER:
                self._won = text.strip() == self._order.task.data["answer"]
                number = text.strip().isdecimal()
                return (_DONE if number else Outcome(OutcomeCode.UNPARSABLE, "not a number"),)
            case Text(text):
                return (self._call(_parse(text)),)
            case Unreadable(problem):
                return (Outcome(OutcomeCode.UNPARSABLE, problem),)

    def _follow(self, steps: tuple[SkillCall, ...]) -> tuple[Outcome, ...]:
        outcomes = []
        for call in steps:
            outcomes.append(self._call(call))
            if self._status is not EpisodeStatus.RUNNING:
                break
        return tuple(outcomes)

    def _call(self, call: SkillCall) -> Outcome:
        skill = next((skill for skill in SKILLS if skill.name == call.name), None)
        names = tuple(name for name, _ in call.arguments)
        if skill is None or names != tuple(parameter.name for parameter in skill.parameters):
            return Outcome(OutcomeCode.UNKNOWN_SKILL, f"no such skill: {call.name}")
        return _DEEDS[call.name](self, *(value for _, value in call.arguments)) or _DONE

    def _fault(self, moment: str) -> None:
        if self._order.condition["fault"] == f"{moment}_data":
            raise WorldFault(FaultClass.DATA_FAULT, "scene-7.json is missing")
        kind = self._order.condition["fault"].removeprefix(f"{moment}_")
        if kind in ("crash", "hang", "raise"):
            _DEEDS[kind](self)

    def _observe(self) -> Observation:
        order = self._order
        text, frames = f"{order.task.id} seed {order.seed} step {self._steps}", list[Frame]()
        for image in order.request.images:
            frames.append(Frame(image.channel, self._pixels(image.channel, self._steps)))
            if image.previous_frame and self._steps:
                before = self._pixels(image.channel, self._steps - 1)
                frames.append(Frame(image.channel, before, ImageRole.PREVIOUS))
        return Observation(text + self._note if order.request.text else "", tuple(frames))

    def _pixels(self, channel: Channel, step: int) -> Pixels:
        moment = step if self._order.condition["picture"] == "changing" else 0
        if channel is Channel.DEPTH:
            return np.full((64, 64), 0.25 * (moment + 1), np.float32)
        pictures = _pictures(int(self._order.condition["frame"]))
        pixels: npt.NDArray[np.uint8] = pictures[moment % len(pictures)]
        stamp = (moment, self._order.seed, zlib.crc32(self._order.task.id.encode()))
        pixels.reshape(-1)[:24] = np.array(stamp, "<u8").view(np.uint8)
        return pixels

    def _deed_win(self) -> None:
        self._won, self._status = True, EpisodeStatus.TERMINATED

    def _deed_lose(self) -> None:
        self._status = EpisodeStatus.TERMINATED

    def _deed_spawn(self) -> None:
        self._child = subprocess.Popen(["sleep", str(HOUR)])
        self._note = f" child {self._child.pid}"

    def _deed_big(self) -> None:
        self._note = " " + "large " * (2**20 // 6)


def _parse(text: str) -> SkillCall:
    """Reads "name value": the value goes to the skill's only parameter."""
    name, _, value = text.strip().partition(" ")
    skill = next((skill for skill in SKILLS if skill.name == name), None)
    if skill is None or not skill.parameters:
        unreadable = SkillCall("refuse", (("code", "UNPARSABLE"),))
        return unreadable if skill is None else SkillCall(name)
    return SkillCall(name, ((skill.parameters[0].name, value),))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _slow(seconds: str) -> Outcome | None:
    try:
        time.sleep(float(seconds))
    except ValueError:
        return Outcome(OutcomeCode.UNKNOWN_SKILL, f"seconds is a number, not {seconds!r}")
    return None


def _spew() -> None:
    for _ in range(20 * 2**10):
        sys.stdout.write("spew " * 204 + "\n")
    sys.stdout.flush()


def _raise() -> None:
    raise LookupError("raised on purpose")


def _freeze() -> None:
    ctypes.PyDLL(None).sleep(HOUR)


def _once_crash(path: str) -> None:
    marker = Path(path)
    if not marker.exists():
        marker.touch()
        _die()


def _refuse(code: str) -> Outcome:
    if code not in REFUSALS:
        return Outcome(OutcomeCode.UNKNOWN_SKILL, f"code is one of {', '.join(REFUSALS)}")
    return Outcome(OutcomeCode[code], f"refused: {code}")


_DEEDS: dict[str, Callable[..., Outcome | None]] = {
    "noop": lambda _: None,
    "win": LabEpisode._deed_win,
    "lose": LabEpisode._deed_lose,
    "refuse": lambda _, code: _refuse(code),
    "slow": lambda _, seconds: _slow(seconds),
    "big": LabEpisode._deed_big,
    "spew": lambda _: _spew(),
    "raise": lambda _: _raise(),
    "crash": lambda _: _die(),
    "exit": lambda _: os._exit(3),
    "hang": lambda _: time.sleep(HOUR),
    "freeze": lambda _: _freeze(),
    "spawn": LabEpisode._deed_spawn,
    "once_crash": lambda _, path: _once_crash(path),
}


@functools.cache
def _pictures(size: int) -> npt.NDArray[np.uint8]:
    """Eight pictures uint8 [8, size, size, 3]: gradients with a fine grain, never blank."""
    generator = np.random.default_rng(8)
    ramp = np.linspace(0, 180, size)
    base = ramp[:, None, None] / 2 + ramp[None, :, None] / 2 + np.arange(0, 60, 20)
    grain = generator.integers(0, 16, (8, size, size, 3), dtype=np.uint8)
    return (base[None].astype(np.uint8) + grain).astype(np.uint8)

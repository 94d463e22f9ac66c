"""Runs as logs of inspect_ai: one ``.eval`` file per run, for `inspect view` and its Python API.

Fields are those of ``inspect_ai.log.EvalLog``, format version 2, as in inspect_ai 0.3.285.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

from env_service.domain.usage import Usage
from env_service.exports.conversation import Call, Conversation, Turn
from env_service.exports.job import Job, model_of
from env_service.results.episode_reader import Shot
from env_service.results.records import EpisodeRecord
from env_service.results.report.runs import agent_name
from env_service.results.run_layout import EPISODES
from env_service.results.run_reader import RunContents
from env_service.results.summary import Rate

SUFFIX = ".eval"
SUCCESS, GOALS = "success", "goal_conditions"
_CORRECT, _INCORRECT = "C", "I"
"""inspect_ai's values of a sample that succeeded and of one that failed."""


def write(job: Job) -> None:
    """Writes one log per run. Raises UnreadableEpisodeError."""
    for run in job.runs:
        samples = []
        for record in job.episodes(run):
            samples.append(_Sample(run, record, pictures=job.pictures).build())
            job.advance()
        write_eval_log(_log(run, samples), str(job.out / f"{job.name(run)}{SUFFIX}"))


def _log(run: RunContents, samples: list[EvalSample]) -> EvalLog:
    manifest = run.manifest
    scored = [each for each in run.episodes if each.fault is None]
    kept = {sample.uuid for sample in samples}
    chosen = [each for each in scored if each.episode_id in kept]
    complete = len(run.episodes) == len(manifest.task_ids) * manifest.repeats
    spec = EvalSpec(
        run_id=manifest.run_id,
        eval_id=manifest.run_id,
        created=manifest.created,
        task=f"{manifest.suite}/{manifest.task_set}",
        # Logs with one task id are retries for inspect_ai, which shows only the newest of them.
        task_id=manifest.run_id,
        task_version=manifest.suite_version,
        task_args=dict(manifest.condition),
        solver=agent_name(manifest),
        dataset=EvalDataset(
            name=manifest.task_set,
            samples=len(manifest.task_ids),
            sample_ids=list(manifest.task_ids),
            shuffled=False,
        ),
        model=model_of(manifest) or agent_name(manifest),
        config=EvalConfig(epochs=manifest.repeats),
        packages={"houseguest": version("houseguest")},
        metadata={
            "world": manifest.world,
            "identity": manifest.identity(),
            "task_set_digest": manifest.task_set_digest,
            "seed": manifest.seed,
            "budgets": dict(manifest.budgets),
            "unscored": len(run.episodes) - len(scored),
        },
    )
    used = Usage.total(each.usage for each in chosen)
    return EvalLog(
        status="success" if complete else "started",
        eval=spec,
        results=EvalResults(
            total_samples=len(manifest.task_ids) * manifest.repeats,
            completed_samples=len(chosen),
            scores=_scores(chosen),
        ),
        stats=EvalStats(
            started_at=manifest.created,
            completed_at=_last_change(run),
            model_usage={spec.model: _usage(used)} if used else {},
        ),
        samples=samples,
    )


def _last_change(run: RunContents) -> str:
    """When the last episode was recorded: a copy of a run may have a later time."""
    seconds = (run.path / EPISODES).stat().st_mtime
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _scores(records: Sequence[EpisodeRecord]) -> list[EvalScore]:
    rate = Rate.of(records)
    success = {"accuracy": rate.rate, "ci_low": rate.low, "ci_high": rate.high}
    goals = {"mean": rate.goal_conditions, "gained": rate.goals_gained}
    return [
        EvalScore(
            name=name,
            scorer=name,
            scored_samples=len(records),
            metrics={
                key: EvalMetric(name=key, value=value)
                for key, value in values.items()
                if value is not None
            },
        )
        for name, values in ((SUCCESS, success), (GOALS, goals))
    ]


@dataclass(frozen=True, slots=True)
class _Sample:
    """Makes the sample of one episode."""

    run: RunContents
    record: EpisodeRecord
    pictures: bool

    def build(self) -> EvalSample:
        record = self.record
        conversation = Conversation(self.run, record)
        model = model_of(self.run.manifest) or agent_name(self.run.manifest)
        opening = ChatMessageUser(
            content=self._content(conversation, conversation.opening, conversation.shots)
        )
        messages: list[ChatMessage] = [opening]
        for turn in conversation.turns():
            messages += self._exchange(conversation, turn, model)
        usage = {model: _usage(record.usage)} if record.usage else {}
        seconds = record.agent_seconds + record.environment_seconds
        return EvalSample(
            id=record.task_id,
            epoch=record.repeat + 1,
            uuid=record.episode_id,
            input=[opening],
            target="",
            messages=messages,
            output=_output(messages, model),
            scores=None if record.fault else _sample_scores(record),
            metadata={
                "group": record.group,
                "seed": record.seed,
                "steps": record.steps,
                "failure": record.failure,
                "fault": record.fault,
                "labels": dict(record.labels),
                "metrics": dict(record.metrics),
                "transcript_head": record.transcript_head,
            },
            model_usage=usage,
            total_time=seconds,
            working_time=seconds,
        )

    def _exchange(self, conversation: Conversation, turn: Turn, model: str) -> list[ChatMessage]:
        calls = [_tool_call(turn, place, call) for place, call in enumerate(turn.calls)]
        said: list[Content] = [ContentReasoning(reasoning=turn.thought)] if turn.thought else []
        said.append(ContentText(text=turn.message))
        answer = self._content(conversation, turn.answer, turn.shots)
        agent = ChatMessageAssistant(
            content=said,
            tool_calls=calls or None,
            model=model,
            source="generate",
            metadata={"step": turn.step, "true_outcomes": [each.code for each in turn.true]},
        )
        if not calls:
            return [agent, ChatMessageUser(content=answer)]
        # The observation follows the last action of a plan.
        earlier = [
            ChatMessageTool(content="", tool_call_id=call.id, function=call.function)
            for call in calls[:-1]
        ]
        last = ChatMessageTool(
            content=answer, tool_call_id=calls[-1].id, function=calls[-1].function
        )
        return [agent, *earlier, last]

    def _content(
        self, conversation: Conversation, text: str, shots: Iterable[Shot]
    ) -> list[Content]:
        content: list[Content] = [ContentText(text=text)]
        if self.pictures:
            for shot in shots:
                picture = conversation.picture(shot)
                data = b64encode(picture.data).decode()
                content.append(ContentImage(image=f"data:{picture.kind};base64,{data}"))
        return content


def _tool_call(turn: Turn, place: int, call: Call) -> ToolCall:
    return ToolCall(
        id=f"step-{turn.step}-{place}", function=call.name, arguments=dict(call.arguments)
    )


def _output(messages: Sequence[ChatMessage], model: str) -> ModelOutput:
    last = next((each for each in reversed(messages) if each.role == "assistant"), None)
    return ModelOutput.from_content(model, last.text if last is not None else "")


def _sample_scores(record: EpisodeRecord) -> dict[str, Score]:
    met = [each.name for each in record.goal_conditions if each.met]
    open_goals = [each.name for each in record.goal_conditions if not each.met]
    explanation = f"failure: {record.failure}" if record.failure else None
    metadata: dict[str, Any] = {"met": met, "open": open_goals, "gained": record.goals_gained}
    return {
        SUCCESS: Score(value=_CORRECT if record.success else _INCORRECT, explanation=explanation),
        GOALS: Score(value=record.goals_met, metadata=metadata),
    }


def _usage(usage: Usage) -> ModelUsage:
    return ModelUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_input_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        total_cost=usage.cost_usd,
    )

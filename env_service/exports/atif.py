"""Episodes in the Agent Trajectory Interchange Format (ATIF), version 1.7.

Writes `RUN/EPISODE/trajectory.json` for each episode, with its pictures in `images/`. Harbor's
models ``harbor.models.trajectories`` (harbor 0.25) define the fields.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from env_service.domain.usage import Usage
from env_service.exports.conversation import Conversation, Turn
from env_service.exports.job import Job, model_of
from env_service.results.episode_reader import Shot
from env_service.results.records import EpisodeRecord
from env_service.results.report.runs import agent_name
from env_service.results.run_reader import RunContents
from env_service.storage.atomic_files import document

SCHEMA = "ATIF-v1.7"
FILE, IMAGES = "trajectory.json", "images"


def write(job: Job) -> None:
    """Writes a trajectory per episode. Raises UnreadableEpisodeError."""
    for run in job.runs:
        for record in job.episodes(run):
            folder = job.out / job.name(run) / record.episode_id
            folder.mkdir(parents=True)
            trajectory = _Trajectory(Conversation(run, record), folder, pictures=job.pictures)
            (folder / FILE).write_bytes(document(trajectory.build()))
            job.advance()


@dataclass(frozen=True, slots=True)
class _Trajectory:
    """Makes the trajectory of one episode and writes its pictures."""

    conversation: Conversation
    folder: Path
    pictures: bool

    def build(self) -> dict[str, Any]:
        run, record = self.conversation.run, self.conversation.record
        opening = self._content(self.conversation.opening, self.conversation.shots)
        steps = [{"step_id": 1, "source": "user", "message": opening}]
        steps += [self._step(turn) for turn in self.conversation.turns()]
        return {
            "schema_version": SCHEMA,
            "session_id": run.manifest.run_id,
            "trajectory_id": record.episode_id,
            "agent": self._agent(run),
            "steps": steps,
            "final_metrics": _final(record, len(steps)),
            "extra": _extra(run, record),
        }

    def _agent(self, run: RunContents) -> dict[str, Any]:
        manifest = run.manifest
        first = manifest.declared[0] if manifest.declared else {}
        agent: dict[str, Any] = {
            "name": agent_name(manifest),
            "version": str(first.get("agent_version") or "unknown"),
            "tool_definitions": _tools(self.conversation.begin.action_space),
        }
        model = model_of(manifest)
        return agent | ({"model_name": model} if model else {})

    def _step(self, turn: Turn) -> dict[str, Any]:
        calls = [
            {
                "tool_call_id": f"step-{turn.step}-{place}",
                "function_name": call.name,
                "arguments": dict(call.arguments),
            }
            for place, call in enumerate(turn.calls)
        ]
        result: dict[str, Any] = {"content": self._content(turn.answer, turn.shots)}
        if calls:
            result["source_call_id"] = calls[-1]["tool_call_id"]
        step: dict[str, Any] = {
            # The first step is the task.
            "step_id": turn.step + 2,
            "source": "agent",
            "message": turn.message,
            "observation": {"results": [result]},
            "extra": {
                "true_outcomes": [each.code for each in turn.true],
                "status": turn.status,
                "agent_seconds": turn.agent_seconds,
                "environment_seconds": turn.environment_seconds,
            },
        }
        if turn.thought:
            step["reasoning_content"] = turn.thought
        if calls:
            step["tool_calls"] = calls
        if turn.usage:
            step |= {"metrics": _metrics(turn.usage), "llm_call_count": turn.usage.calls}
        return step

    def _content(self, text: str, shots: Iterable[Shot]) -> str | list[dict[str, Any]]:
        sources = [self._source(shot) for shot in shots] if self.pictures else []
        if not sources:
            return text
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        return parts + [{"type": "image", "source": source} for source in sources]

    def _source(self, shot: Shot) -> dict[str, str]:
        picture = self.conversation.picture(shot)
        name = f"{IMAGES}/{shot.sha256}.{picture.kind.partition('/')[2]}"
        path = self.folder / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(picture.data)
        return {"media_type": picture.kind, "path": name}


def _tools(space: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The skills of a transcript's action space in OpenAI's function calling schema."""
    return [_tool(*skill) for skill in space.get("skills", ())]


def _tool(name: str, description: str, parameters: Sequence[Sequence[Any]]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {each[0]: _parameter(*each[1:]) for each in parameters},
        "required": [each[0] for each in parameters],
    }
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _parameter(description: str, choices: Sequence[str]) -> dict[str, Any]:
    limits = {"enum": list(choices)} if choices else {}
    return {"type": "string", "description": description, **limits}


def _metrics(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_input_tokens,
        "cost_usd": usage.cost_usd,
        "extra": {"reasoning_tokens": usage.reasoning_tokens, "seconds": usage.seconds},
    }


def _final(record: EpisodeRecord, steps: int) -> dict[str, Any]:
    used = record.usage
    totals = {
        "total_prompt_tokens": used.input_tokens,
        "total_completion_tokens": used.output_tokens,
        "total_cached_tokens": used.cached_input_tokens,
        "total_cost_usd": used.cost_usd,
    }
    return {"total_steps": steps, "extra": dict(record.metrics)} | (totals if used else {})


def _extra(run: RunContents, record: EpisodeRecord) -> dict[str, Any]:
    goals = [
        {"name": each.name, "met": each.met, "held_at_start": each.held_at_start}
        for each in record.goal_conditions
    ]
    return {
        "houseguest": version("houseguest"),
        "suite": run.manifest.suite,
        "suite_version": run.manifest.suite_version,
        "task_set": run.manifest.task_set,
        "world": run.manifest.world,
        "condition": dict(run.manifest.condition),
        "task_id": record.task_id,
        "repeat": record.repeat,
        "seed": record.seed,
        "success": None if record.fault else record.success,
        "failure": record.failure,
        "fault": record.fault,
        "goal_conditions": goals,
        "labels": dict(record.labels),
    }

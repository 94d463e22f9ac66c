"""A model in this process that several threads can ask at once."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..model import (
    CallUsage,
    ContextOverflowError,
    Finish,
    ModelError,
    RefusedError,
    Reply,
    Request,
)
from .batcher import Batcher, Limits, TooLargeError
from .encoding import Dialogue, Encoded, Prompt, check_length, encode
from .generation import Row, Rules, Shape, generate, seed_of
from .grammar import open_grammar
from .loading import load
from .optional_imports import out_of_memory, release_memory, torch, transformers
from .options import WeightsOptions
from .scoring import Question, Scorer, border_text, candidate_tokens
from .token_trie import Trie, build_trie


@dataclass(frozen=True, slots=True)
class _Job:
    request: Request
    prompt: Prompt

    @property
    def kind(self) -> tuple[bool, bool]:
        """Only jobs of the same kind share a forward pass."""
        return bool(self.request.candidates), bool(self.prompt.pictures)


class WeightsModel:
    """A ``Model``. Requests that arrive while others run are answered together, in one batch."""

    def __init__(self, options: WeightsOptions) -> None:
        """Loads the weights. Raises RefusedError if they cannot be used as requested."""
        self._options = options
        self._weights = load(options)
        self._dialogue = Dialogue(self._weights, options.template)
        self._grammar = open_grammar(self._weights, options.guided)
        self._scorer = Scorer(self._weights, options.score, count_end=options.score_end)
        self._trees = lru_cache(maxsize=64)(self._tree)
        shape = Shape(options.temperature, options.top_p, options.top_k)
        self._rules = Rules(options.reply_tokens, shape, self._dialogue.stops)
        positions = self._weights.positions
        if positions is not None and options.reply_tokens >= positions:
            raise RefusedError(
                f"--reply-tokens {options.reply_tokens} leaves no room for a prompt: the model"
                f" reads {positions} tokens in all."
            )
        self._batcher: Batcher[_Job, Reply | ModelError] = Batcher(
            self._work, lambda job: job.kind, Limits(options.batch, options.wait)
        )

    @property
    def name(self) -> str:
        """The name that results show: the folder's name, or the model's name in the cache."""
        given = Path(self._options.model).expanduser()
        return given.resolve().name if given.is_dir() else given.name

    @property
    def sees_pictures(self) -> bool:
        """Whether the model is a vision-language model, and pictures are not switched off."""
        return self._weights.processor is not None and self._options.pictures

    @property
    def batch(self) -> int:
        """The current number of requests per batch, which is lower than requested once memory has
        run out."""
        return self._batcher.most

    @property
    def way_of_choosing(self) -> str:
        """How candidates are scored, as ``scoring`` names it; empty before the first ones."""
        return ", ".join(dict.fromkeys(self._scorer.ways.values()))

    def configuration(self) -> Mapping[str, str]:
        """Everything that could change a reply."""
        options, weights = self._options, self._weights
        told = {
            "model": options.model,
            "revision": options.revision or _revision(weights.folder.parts),
            "fingerprint": weights.fingerprint,
            "dtype": str(weights.model.dtype).removeprefix("torch."),
            "device": _device_name(weights.device),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "template": self._dialogue.template,
            "system_message": self._dialogue.system,
            "guided": self._grammar.version if self._grammar else "off",
            "reply_tokens": options.reply_tokens,
            "temperature": options.temperature,
            "top_p": options.top_p,
            "top_k": options.top_k,
            "seed": options.seed,
            "batch": options.batch,
            "score": options.score.value,
            "score_end": options.score_end,
            **{f"template.{name}": value for name, value in options.template.items()},
        }
        return {name: str(value) for name, value in told.items() if value != ""}

    def reply(self, request: Request) -> Reply:
        """Answers with the likeliest of the request's candidates, or token by token.

        Raises RefusedError for pictures that a text model gets, and for anything that the model's
        template, processor or grammar rejects. Raises ContextOverflowError for a request that is
        longer than the model's context or too large for the memory.
        """
        started = time.monotonic()
        prompt = self._dialogue.render(request.messages)
        if prompt.opening and request.candidates:
            raise RefusedError(
                "The chat template opens the model's thinking, where no candidate fits. Switch"
                " that off, as in --template-set enable_thinking=false, or omit --choose."
            )
        try:
            reply = self._batcher.ask(_Job(request, prompt))
        except ModelError:
            raise
        except TooLargeError:
            raise ContextOverflowError(
                "Memory ran out for this single request. Use a device with more memory."
            ) from None
        except Exception as error:
            # Whatever it is, the episode must not count as failed for it.
            raise ModelError(f"The model failed: {type(error).__name__}: {error}") from error
        if isinstance(reply, ModelError):
            raise reply
        parameters = self._parameters(request)
        return replace(_timed(reply, time.monotonic() - started), parameters=parameters)

    def _parameters(self, request: Request) -> dict[str, str]:
        """What a reply depends on besides the messages, as a trace reports it."""
        options = self._options
        used: dict[str, Any] = {"model": self.name, "template": options.template}
        if request.candidates:
            used |= {"candidates": request.candidates, "score": options.score.value}
        else:
            used |= {
                "reply_tokens": options.reply_tokens,
                "temperature": options.temperature,
                "top_p": options.top_p,
                "top_k": options.top_k,
                "seed": options.seed,
            }
            if self._grammar is not None and request.schema is not None:
                used["schema"] = request.schema
        return {name: json.dumps(value, ensure_ascii=False) for name, value in used.items()}

    def close(self) -> None:
        """Stops the thread that runs the model."""
        self._batcher.close()

    def _work(self, jobs: Sequence[_Job]) -> list[Reply | ModelError]:
        """Answers a batch; errors of single requests take the place of their replies."""
        with suppress(_MemoryError):
            return self._answering(jobs)
        # After the handler of the first error, which holds references to tensors.
        release_memory()
        raise TooLargeError

    def _answering(self, jobs: Sequence[_Job]) -> list[Reply | ModelError]:
        try:
            return self._answer(jobs)
        except (RuntimeError, MemoryError) as error:
            if out_of_memory(error):
                raise _MemoryError from None
            raise

    def _answer(self, jobs: Sequence[_Job]) -> list[Reply | ModelError]:
        answers: dict[int, Reply | ModelError] = {}
        encoded = encode(self._weights, [job.prompt for job in jobs])
        fitting = []
        for index, (job, length) in enumerate(zip(jobs, encoded.lengths, strict=True)):
            try:
                check_length(self._weights, length, self._room(job))
                fitting.append(index)
            except ContextOverflowError as error:
                answers[index] = error
        if fitting:
            some = [jobs[index] for index in fitting]
            if len(some) < len(jobs):
                encoded = encode(self._weights, [job.prompt for job in some])
            answer = self._choose if some[0].request.candidates else self._generate
            answers.update(zip(fitting, answer(some, encoded), strict=True))
        return [answers[index] for index in range(len(jobs))]

    def _room(self, job: _Job) -> int:
        """The number of tokens that have to fit after a prompt."""
        if not job.request.candidates:
            return self._options.reply_tokens
        return self._question(job).trie.deepest

    def _generate(self, jobs: Sequence[_Job], encoded: Encoded) -> list[Reply]:
        rows = [self._row(job) for job in jobs]
        replies = generate(self._weights, encoded, rows, self._rules)
        return [
            Reply(
                job.prompt.opening + reply.text,
                finish=Finish.LENGTH if reply.cut else Finish.STOP,
                usage=(self._usage(job, length, reply.tokens, reply.thought),),
            )
            for job, reply, length in zip(jobs, replies, encoded.lengths, strict=True)
        ]

    def _row(self, job: _Job) -> Row:
        generator = random.Random(seed_of(self._options.seed, job.request))
        schema = job.request.schema
        if self._grammar is None or schema is None:
            return Row(generator)
        return Row(generator, self._grammar.matcher(schema))

    def _choose(self, jobs: Sequence[_Job], encoded: Encoded) -> list[Reply]:
        found = self._scorer.score([self._question(job) for job in jobs], encoded)
        return [
            Reply(
                job.request.candidates[max(range(len(each.scores)), key=each.scores.__getitem__)],
                usage=(self._usage(job, each.prompt_tokens, each.candidate_tokens),),
                scores=each.scores,
            )
            for job, each in zip(jobs, found, strict=True)
        ]

    def _question(self, job: _Job) -> Question:
        tail = border_text(self._weights, job.prompt.text)
        tokens, trie = self._trees(tail, job.request.candidates)
        return Question(job.prompt, tokens, trie)

    def _tree(
        self, tail: str, candidates: tuple[str, ...]
    ) -> tuple[tuple[tuple[int, ...], ...], Trie]:
        tokens = candidate_tokens(self._weights, tail, candidates)
        return tokens, build_trie(tokens)

    def _usage(self, job: _Job, read: int, written: int, thought: int = 0) -> CallUsage:
        return CallUsage(
            model=self.name,
            input_tokens=read,
            output_tokens=written,
            reasoning_tokens=thought,
            images=len(job.prompt.pictures),
        )


class _MemoryError(Exception):
    """Memory ran out, whichever library reported it."""


def _timed(reply: Reply, seconds: float) -> Reply:
    """The reply with its latency, including the wait for a batch."""
    return replace(reply, usage=tuple(replace(use, latency=seconds) for use in reply.usage))


def _device_name(device: Any) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device.type)


def _revision(parts: Sequence[str]) -> str:
    """The commit of a folder in the Hugging Face cache, …/snapshots/COMMIT; else empty."""
    return parts[-1] if len(parts) > 1 and parts[-2] == "snapshots" else ""

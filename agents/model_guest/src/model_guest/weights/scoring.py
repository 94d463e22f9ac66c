"""Chooses among candidates by their likelihood as the reply to a prompt, which is read once."""

from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .encoding import Encoded, Prefill, Prompt, encode, prefill
from .loading import Weights
from .optional_imports import Tensor, out_of_memory, torch
from .options import Score
from .token_trie import ROOT, Trie

# --- The tokens of candidates after a prompt

_TAIL = 400
"""The number of characters at the end of a prompt that are tokenized again if they contain no
special token. No tokenizer's pieces are as long."""


def candidate_tokens(
    weights: Weights, border: str, candidates: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """The tokens of each candidate, without the one that ends the reply.

    ``border`` is the end of the prompt, as ``border_text`` cuts it.
    """
    tokenizer = weights.tokenizer
    before = tokenizer(border, add_special_tokens=False)["input_ids"]
    texts = [border + candidate for candidate in candidates]
    together = tokenizer(texts, add_special_tokens=False)["input_ids"]
    alone = tokenizer(list(candidates), add_special_tokens=False)["input_ids"]
    count = len(before)
    return tuple(
        tuple(joined[count:] if joined[:count] == before else by_itself)
        for joined, by_itself in zip(together, alone, strict=True)
    )


def border_text(weights: Weights, prompt: str) -> str:
    """The end of a prompt from its last special token, which no other token crosses; without one
    nearby, the last characters."""
    tail = prompt[-_TAIL:]
    return tail[max(0, *map(tail.rfind, weights.tokenizer.get_added_vocab())) :]


# --- Scores all candidates of a prompt as one tree of tokens

NODES = 512
"""The number of nodes per forward pass, over all prompts; bounds the memory for the output."""


def score_tree(weights: Weights, read: Prefill, tries: Sequence[Trie]) -> list[Tensor]:
    """For each prompt, the result of ``Likelihoods.candidates``. Consumes the cache."""
    batch, width = len(tries), read.encoded.ids.shape[1]
    nodes = max(map(len, tries))
    tables = [Likelihoods(trie, weights.ends) for trie in tries]
    tokens = torch.full((batch, nodes), weights.pad)
    depths = torch.zeros((batch, nodes), dtype=torch.long)
    seen = torch.zeros((batch, nodes, width + nodes), dtype=torch.bool)
    seen[:, :, :width] = read.encoded.mask[:, None, :].bool().cpu()
    for row, trie in enumerate(tries):
        tokens[row, : len(trie)] = torch.tensor(trie.tokens)
        depths[row, : len(trie)] = torch.tensor(trie.depths)
        seen[row, :, width:] = _ancestors(trie, nodes)
        tables[row].take([ROOT], read.first[row : row + 1])
    tokens, depths, seen = (each.to(weights.device) for each in (tokens, depths, seen))
    step = max(1, NODES // batch)
    for start in range(0, nodes, step):
        end = min(start + step, nodes)
        logits = weights.model(
            input_ids=tokens[:, start:end],
            attention_mask=_additive(seen[:, start:end, : width + end], weights),
            position_ids=read.positions[:, None] + depths[:, start:end],
            past_key_values=read.cache,
            use_cache=True,
        ).logits
        for row, trie in enumerate(tries):
            here = range(start, min(end, len(trie)))
            tables[row].take(here, logits[row, : len(here)])
    return [table.candidates() for table in tables]


def _ancestors(trie: Trie, nodes: int) -> Tensor:
    """bool [nodes, nodes]: whether a node (row) attends to another (column) or itself."""
    seen = torch.eye(nodes, dtype=torch.bool)
    for node, parent in enumerate(trie.parents):
        if parent != ROOT:
            seen[node] |= seen[parent]
    return seen


def _additive(seen: Tensor, weights: Weights) -> Tensor:
    """The mask [B, 1, Q, K] as attention adds it: 0, or the lowest number."""
    dtype = weights.model.dtype
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]


# --- Scores candidates a few at a time, each with a copy of the prompt's cache

ROWS = 16
"""The number of candidates at a time: each needs a copy of the prompt's keys and values."""


def score_rows(weights: Weights, read: Prefill, tries: Sequence[Trie]) -> list[Tensor]:
    """For each prompt, the result of ``Likelihoods.candidates``."""
    found = []
    for row, trie in enumerate(tries):
        table = Likelihoods(trie, weights.ends)
        table.take([ROOT], read.first[row : row + 1])
        own = _selected(read, [row])
        paths = [trie.path(leaf) for leaf in trie.leaves()]
        for start in range(0, len(paths), ROWS):
            some = paths[start : start + ROWS]
            logits = _read_on(weights, own, trie, some)
            for path, values in zip(some, logits, strict=True):
                table.take(path, values[: len(path)])
        found.append(table.candidates())
    return found


def _read_on(weights: Weights, read: Prefill, trie: Trie, paths: Sequence[Sequence[int]]) -> Tensor:
    """[n, D, V]: the output after each node of each path, padded on the right."""
    count, deepest = len(paths), max(map(len, paths))
    tokens = torch.full((count, deepest), weights.pad)
    valid = torch.zeros((count, deepest), dtype=torch.long)
    for row, path in enumerate(paths):
        tokens[row, : len(path)] = torch.tensor([trie.tokens[node] for node in path])
        valid[row, : len(path)] = 1
    several = _selected(read, [0] * count)
    steps = torch.arange(deepest, device=weights.device)
    return weights.model(
        input_ids=tokens.to(weights.device),
        attention_mask=torch.cat((several.encoded.mask, valid.to(weights.device)), dim=-1),
        position_ids=several.positions[:, None] + steps,
        past_key_values=several.cache,
        use_cache=True,
    ).logits


def _selected(read: Prefill, rows: Sequence[int]) -> Prefill:
    """Some of the prompts, in this order and with repeats; the original stays unchanged."""
    index = torch.tensor(rows, device=read.positions.device)
    cache = copy.deepcopy(read.cache)
    cache.reorder_cache(index)
    return Prefill(read.encoded.texts_of(index), cache, read.first[index], read.positions[index])


# --- Scores candidates one at a time, by reading prompt and candidate from the start

_PER_TOKEN = ("token_type_ids", "mm_token_type_ids", "moe_mm_token_type_ids")
"""Inputs besides ids and mask that describe each token; 0 means text."""


def score_whole(weights: Weights, prompt: Encoded, candidates: Sequence[Sequence[int]]) -> Tensor:
    """float64 [C, 2], as ``Likelihoods.candidates`` returns it. ``prompt`` is a batch of one."""
    return torch.stack([_score(weights, prompt, list(tokens)) for tokens in candidates])


def _score(weights: Weights, prompt: Encoded, tokens: list[int]) -> Tensor:
    reply = torch.tensor([tokens], dtype=torch.long, device=weights.device)
    inputs = dict(prompt.inputs)
    inputs["input_ids"] = torch.cat((prompt.ids, reply), dim=-1)
    inputs["attention_mask"] = torch.cat((prompt.mask, torch.ones_like(reply)), dim=-1)
    for name in _PER_TOKEN:
        if name in inputs:
            inputs[name] = torch.cat((inputs[name], torch.zeros_like(reply)), dim=-1)
    logits = weights.model(**inputs, use_cache=False).logits[0, prompt.ids.shape[1] - 1 :]
    following = torch.log_softmax(logits.float(), dim=-1).double()
    places = torch.arange(len(tokens), device=weights.device)
    end = following[-1, list(weights.ends)].logsumexp(-1)
    return torch.stack((following[places, reply[0]].sum(), end)).cpu()


# --- The likelihood of each node of a tree of candidates, from a model's output


class Likelihoods:
    """The table for one prompt: a node's log-probability after its ancestors, and that of the
    reply's end after it. ``ends`` are the tokens that end a reply."""

    def __init__(self, trie: Trie, ends: Sequence[int]) -> None:
        self._trie, self._ends = trie, list(ends)
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(trie.parents):
            self._children.setdefault(parent, []).append(node)
        # The last entry is ROOT's: -1 counts from the end.
        self._node = torch.zeros(len(trie) + 1, dtype=torch.float64)
        self._end = torch.zeros(len(trie) + 1, dtype=torch.float64)

    def take(self, nodes: Sequence[int], logits: Tensor) -> None:
        """``logits`` [n, V] is the model's output after each of these nodes."""
        logits = logits.float()
        sums = logits.logsumexp(-1)
        ending = logits[:, self._ends].logsumexp(-1) - sums
        self._end[list(nodes)] = ending.double().cpu()
        places: list[int] = []
        children: list[int] = []
        for place, node in enumerate(nodes):
            following = self._children.get(node, ())
            places += [place] * len(following)
            children += following
        if children:
            tokens = [self._trie.tokens[child] for child in children]
            self._node[children] = (logits[places, tokens] - sums[places]).double().cpu()

    def candidates(self) -> Tensor:
        """float64 [C, 2]: each candidate's log-probability, and that of the reply's end there."""
        total = torch.zeros_like(self._node)
        for node, parent in enumerate(self._trie.parents):
            total[node] = self._node[node] + (total[parent] if parent != ROOT else 0.0)
        ends = list(self._trie.ends)
        return torch.stack((total[ends], self._end[ends]), dim=-1)


_log = logging.getLogger("model_guest.weights")

WAYS = {"tree": score_tree, "rows": score_rows}

_TOLERANCE = {"float32": 1e-3, "float16": 0.05, "bfloat16": 0.2}
"""The log-probability per token by which a method may differ from ``whole``: rounding, from other
but correct orders of attention. With trained weights, a wrong mask or position differs more."""


@dataclass(frozen=True, slots=True)
class Question:
    """Candidates for the reply to a prompt. ``tokens`` holds the tokens of each candidate."""

    prompt: Prompt
    tokens: tuple[tuple[int, ...], ...]
    trie: Trie


@dataclass(frozen=True, slots=True)
class Scored:
    """``scores`` of the candidates, in their order. The counts are the tokens that the model read:
    the prompt once, and the nodes of the tree."""

    scores: tuple[float, ...]
    prompt_tokens: int
    candidate_tokens: int


class Scorer:
    """Scores candidates with one model. Do not share it between threads."""

    def __init__(self, weights: Weights, score: Score, *, count_end: bool) -> None:
        self._weights, self._score, self._count_end = weights, score, count_end
        self.ways: dict[bool, str] = {}

    def score(self, questions: Sequence[Question], encoded: Encoded) -> list[Scored]:
        """One answer per question. ``encoded`` holds the prompts: all with pictures, or none."""
        pictures = bool(questions[0].prompt.pictures)
        with torch.inference_mode():
            if pictures not in self.ways:
                self.ways[pictures] = self._settle(questions[0])
            found = self._run(self.ways[pictures], questions, encoded)
        return [
            Scored(self._weighed(question, table), length, len(question.trie))
            for question, table, length in zip(questions, found, encoded.lengths, strict=True)
        ]

    def _run(self, way: str, questions: Sequence[Question], encoded: Encoded) -> list[Tensor]:
        if way in WAYS:
            read = prefill(self._weights, encoded)
            return WAYS[way](self._weights, read, [question.trie for question in questions])
        return [
            score_whole(self._weights, encode(self._weights, [each.prompt]), each.tokens)
            for each in questions
        ]

    def _weighed(self, question: Question, table: Tensor) -> tuple[float, ...]:
        totals = table.sum(-1) if self._count_end else table[:, 0]
        if self._score is Score.MEAN:
            counts = [len(tokens) + self._count_end for tokens in question.tokens]
            totals = totals / torch.tensor(counts).clamp(min=1)
        return tuple(totals.tolist())

    def _settle(self, question: Question) -> str:
        """The fastest method that agrees with ``whole`` on two candidates of this question."""
        encoded = encode(self._weights, [question.prompt])
        lengths = [len(tokens) for tokens in question.tokens]
        some = sorted({lengths.index(max(lengths)), len(lengths) - 1})
        right = score_whole(self._weights, encoded, [question.tokens[index] for index in some])
        dtype = str(self._weights.model.dtype).removeprefix("torch.")
        allowed = _TOLERANCE.get(dtype, 0.2) * (max(lengths) + 1)
        for way in _possible(self._weights.model.config):
            try:
                found = self._run(way, [question], encoded)[0][some]
            except Exception as error:  # models fail at this in many ways
                if out_of_memory(error):
                    raise
                _log.info("candidates cannot be scored by %s: %s", way, error)
                continue
            if torch.allclose(found, right, rtol=0.0, atol=allowed):
                return way
            _log.info("scoring by %s is off by %g", way, float((found - right).abs().max()))
        _log.warning("no shortcut works for this model: it reads each candidate with its prompt")
        return "whole"


def _possible(config: Any) -> list[str]:
    """The methods to try. A short prompt does not reveal a sliding window, so the config has to."""
    text = config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or ())
    windowed = getattr(text, "sliding_window", None) and getattr(text, "use_sliding_window", True)
    return ["rows"] if (kinds - {"full_attention"} or (windowed and not kinds)) else list(WAYS)

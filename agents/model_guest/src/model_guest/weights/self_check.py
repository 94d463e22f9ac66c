"""Checks whether weights on this machine can play: step by step, then with a request."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..model import Message, ModelError, Picture, RefusedError, Request, Role
from ..notices import Check
from ..pictures import plain_png
from .model_folder import find_folder
from .open_weights import missing_packages, open_model, prepare_environment
from .options import Switch, WeightsOptions

if TYPE_CHECKING:
    from .model import WeightsModel

_EXTRA = "pip install 'houseguest-model-guest[local]'"


def check_weights(options: WeightsOptions) -> Iterator[Check]:
    """Yields each check when it is done; the first problem ends them."""
    missing = missing_packages()
    if missing:
        yield Check("packages", "problem", f"not installed: {', '.join(missing)}", _EXTRA)
        return
    installed = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    yield Check("packages", "ok", installed)
    prepare_environment(options)
    if options.guided is not Switch.OFF and find_spec("llguidance") is None:
        yield Check("guided decoding", "warning", "llguidance is not installed", _EXTRA)
    try:
        yield _folder(options)
        yield _device(options)
        yield from _try_out(options)
    except ModelError as error:
        yield Check("model", "problem", str(error), "fix what the message names, then try again")


def _device(options: WeightsOptions) -> Check:
    from .loading import pick_device  # noqa: PLC0415 - the same
    from .optional_imports import torch  # noqa: PLC0415 - only where all is installed

    device = pick_device(options.device)
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        memory = properties.total_memory / 2**30
        return Check("device", "ok", f"{device}: {properties.name}, {memory:.0f} GiB")
    threads = f"the CPU, {torch.get_num_threads()} threads"
    if options.device == "cpu":
        return Check("device", "ok", threads)
    return Check("device", "note", f"torch finds no GPU: {threads}")


def _folder(options: WeightsOptions) -> Check:
    return Check("folder", "ok", str(find_folder(options)))


def _choosing(model: WeightsModel, question: Message) -> Check:
    try:
        model.reply(Request((question,), candidates=("yes", "no")))
    except RefusedError as error:
        return Check("choosing", "note", str(error))
    return Check("choosing", "ok", f"scores candidates with the method {model.way_of_choosing}")


def _try_out(options: WeightsOptions) -> Iterator[Check]:
    model = open_model(options)
    try:
        told = model.configuration()
        yield Check("weights", "ok", f"{told['dtype']} on {told['device']}")
        if told["template"] == "plain":
            found = "the tokenizer has none: the agent uses and declares a plain one"
            mend = "for a chat model, put its chat_template.jinja into the folder"
            yield Check("chat template", "warning", found, mend)
        else:
            yield Check("chat template", "ok", "the model's own")
        question = Message(Role.USER, ("Answer with one word: yes or no?",))
        reply = model.reply(Request((question,)))
        speed = reply.usage[0].output_tokens / max(reply.usage[0].latency, 1e-9)
        said = f"{reply.text[:80]!r}{' …' * (len(reply.text) > 80)}"
        yield Check("text", "ok", f"{speed:.1f} tokens a second, the first reply: {said}")
        yield _choosing(model, question)
        if model.sees_pictures:
            picture = Picture(plain_png(220, 20, 20), "image/png")
            model.reply(Request((Message(Role.USER, ("What colour?", picture)),)))
            yield Check("pictures", "ok", "accepts a picture")
        else:
            yield Check("pictures", "note", "reads only text")
    finally:
        model.close()

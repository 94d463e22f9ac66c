"""Loads a model: its weights, tokenizer and, for a vision model, its processor."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..model import RefusedError
from .model_folder import find_folder, fingerprint
from .optional_imports import out_of_memory, release_memory, torch, transformers
from .options import WeightsOptions

_NO_TORCHVISION = (
    " The processors of some vision-language models need torchvision, which is not installed:"
    " pip install torchvision"
)


@dataclass(frozen=True, slots=True)
class Weights:
    """A loaded model.

    Attributes:
        processor: None exactly for a model that reads only text.
        positions: The longest sequence, in tokens; None if the model names none.
        ends: The tokens that end a reply.
        vocabulary: The size of the model's output.
    """

    model: Any
    tokenizer: Any
    processor: Any | None
    device: Any
    positions: int | None
    ends: tuple[int, ...]
    pad: int
    vocabulary: int
    folder: Path
    fingerprint: str


def load(options: WeightsOptions) -> Weights:
    """Loads the weights. Raises RefusedError for anything that keeps the model from running."""
    transformers.utils.logging.disable_progress_bar()
    device = pick_device(options.device)
    folder = find_folder(options)
    config = _read(transformers.AutoConfig, folder, options)
    sees = _sees_pictures(config, folder)
    processor = _read(transformers.AutoProcessor, folder, options) if sees else None
    tokenizer = processor.tokenizer if processor else None
    tokenizer = tokenizer or _read(transformers.AutoTokenizer, folder, options)
    dtype = _pick_dtype(options.dtype, device)
    loader = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
    model = _place(_load_model(loader, folder, options, dtype), device, options)
    ends = _ends(model, tokenizer)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0]
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(pad)
    text_config = model.config.get_text_config()
    # A checkpoint's own temperature, penalties and the like would change replies silently.
    model.generation_config = transformers.GenerationConfig(eos_token_id=list(ends))
    return Weights(
        model=model,
        tokenizer=tokenizer,
        processor=processor,
        device=device,
        positions=_positions(text_config),
        ends=ends,
        pad=pad,
        vocabulary=_vocabulary(model, text_config),
        folder=folder,
        fingerprint=fingerprint(folder),
    )


def pick_device(name: str) -> Any:
    """The torch.device of that name. Raises RefusedError if there is none."""
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        return torch.device("cuda:0" if found else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise RefusedError(
            f"--device {name} is not a device: use auto, cpu, cuda or cuda:N."
        ) from None
    if device.type == "cuda" and (device.index or 0) >= found:
        there = f"cuda:0 to cuda:{found - 1}" if found else "none"
        build = "" if torch.version.cuda else " This torch was built for the CPU only."
        raise RefusedError(f"--device {name}: GPUs that torch finds: {there}.{build}")
    return device


def _read(loader: Any, folder: Path, options: WeightsOptions) -> Any:
    try:
        return loader.from_pretrained(
            folder, local_files_only=True, trust_remote_code=options.trust_remote_code
        )
    except Exception as error:  # files, architectures and packages fail in many ways
        hint = "" if find_spec("torchvision") else _NO_TORCHVISION
        raise RefusedError(
            f"{folder}: {loader.__name__} cannot read it: {error}"
            f"{hint if loader is transformers.AutoProcessor else ''}"
        ) from error


def _sees_pictures(config: Any, folder: Path) -> bool:
    """Reads from the config whether the model accepts pictures.

    The architecture of the saved weights decides; some model types exist with and without vision.
    """
    mappings = transformers.models.auto.modeling_auto
    seeing = mappings.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    reading = mappings.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    architectures = list(config.architectures or [])
    for names, sees in ((seeing, True), (reading, False)):
        known = {name for value in names.values() for name in _names(value)}
        if known & set(architectures):
            return sees
    own = getattr(config, "auto_map", None) or {}
    for loader, sees in (("AutoModelForImageTextToText", True), ("AutoModelForCausalLM", False)):
        if loader in own:
            return sees
    if not architectures and config.model_type in {**seeing, **reading}:
        return config.model_type in seeing
    raise RefusedError(
        f"{folder}: {', '.join(architectures) or config.model_type} is neither a language model"
        " nor a vision-language model that this version of transformers supports"
        f" ({transformers.__version__})."
    )


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _pick_dtype(name: str, device: Any) -> Any:
    if name == "auto":
        # On most CPUs half precision is slow and imprecise.
        return "auto" if device.type == "cuda" else torch.float32
    lacking = device.type == "cuda" and not torch.cuda.is_bf16_supported()
    if name == "bfloat16" and lacking:
        raise RefusedError(f"{device} has no bfloat16: use --dtype float16 or float32.")
    return getattr(torch, name)


def _load_model(loader: Any, folder: Path, options: WeightsOptions, dtype: Any) -> Any:
    try:
        model, report = loader.from_pretrained(
            folder,
            dtype=dtype,
            local_files_only=True,
            trust_remote_code=options.trust_remote_code,
            output_loading_info=True,
        )
    except Exception as error:  # files and architectures fail in many ways
        if out_of_memory(error):
            raise RefusedError(_too_large("this machine's memory", options)) from error
        raise RefusedError(f"{folder}: the weights cannot be loaded: {error}") from error
    absent = sorted(report["missing_keys"])
    if absent:
        # transformers fills these with random numbers and continues.
        raise RefusedError(
            f"{folder} lacks {len(absent)} of the model's tensors, {absent[0]!r} first. Fetch"
            " the model again, or check that config.json belongs to these weights."
        )
    return model.eval()


def _place(model: Any, device: Any, options: WeightsOptions) -> Any:
    try:
        return model.to(device)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
    release_memory()
    raise RefusedError(_too_large(str(device), options))


def _too_large(place: str, options: WeightsOptions) -> str:
    return (
        f"{options.model} does not fit into {place}. Use a smaller or a quantised model, a"
        " shorter --dtype (bfloat16, float16), another --device, or serve it over several GPUs"
        " and use the agent vlm."
    )


def _ends(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Tokens that end a reply: those of the generation config, and the tokenizer's own."""
    listed = model.generation_config.eos_token_id if model.generation_config else None
    ends = [] if listed is None else listed if isinstance(listed, list) else [listed]
    if tokenizer.eos_token_id is not None:
        ends = [*ends, tokenizer.eos_token_id]
    if not ends:
        raise RefusedError("The model names no token that ends a reply (eos_token_id).")
    return tuple(dict.fromkeys(int(end) for end in ends))


def _vocabulary(model: Any, config: Any) -> int:
    """The size of the model's output, which may be padded beyond the tokenizer's vocabulary."""
    output = model.get_output_embeddings()
    return int(config.vocab_size if output is None else output.weight.shape[0])


def _positions(config: Any) -> int | None:
    for name in ("max_position_embeddings", "n_positions", "max_seq_len"):
        value = getattr(config, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return None

"""torch and transformers, untyped: values from these packages are ``Any``, and no others."""

from __future__ import annotations

from importlib import import_module
from typing import Any

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

Tensor = Any
"""A torch.Tensor. Docstrings state its shape and dtype."""


_EXHAUSTED = ("can't allocate memory", "STATUS_ALLOC_FAILED")


def out_of_memory(error: BaseException) -> bool:
    """Whether this is torch's report that memory ran out, on a GPU or in RAM."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    # The CPU's allocator and CUDA's libraries raise a bare RuntimeError.
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _EXHAUSTED)


def release_memory() -> None:
    """Releases what torch's allocator reserves on GPUs."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()

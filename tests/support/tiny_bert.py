"""A BERT so small that it trains in seconds, with a tokenizer of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def write_tiny_bert(folder: Path, words: Sequence[str], *, seed: int = 0, width: int = 32) -> Path:
    """Writes an encoder with random weights and its tokenizer into a folder, as save_pretrained
    does. Words, parentheses and commas are tokens. From then on torch works in one thread."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizers = import_module("tokenizers")
    models, splitting = tokenizers.models, tokenizers.pre_tokenizers

    names = dict.fromkeys((*SPECIAL, "(", ")", ",", *words))
    vocabulary = {word: place for place, word in enumerate(names)}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    marks_of_steps = [splitting.Split(mark, "isolated") for mark in "(),"]
    tokenizer.pre_tokenizer = splitting.Sequence([splitting.WhitespaceSplit(), *marks_of_steps])
    tokenizer.post_processor = tokenizers.processors.BertProcessing(
        ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    )
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", **marks
    ).save_pretrained(folder)
    # Cores are shared with whatever else runs, and this is too small to be split.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * width,
        max_position_embeddings=96,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder

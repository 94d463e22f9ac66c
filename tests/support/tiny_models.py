"""Tiny models with random weights, made on the spot and saved as users have them: folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from model_guest.prompt_set import prompt_folders

from tests.support.extras import extra_module

# Cores are shared with whatever else runs, and these models are too small to be split.
os.environ.setdefault("OMP_NUM_THREADS", "1")

torch = extra_module("torch")
transformers = extra_module("transformers")
tokenizers = extra_module("tokenizers")

IMAGE = "<image>"
END = "<|end|>"
START = "<|start|>"

CHAT_TEMPLATE = (
    "{% for message in messages %}<|start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)

_SENTENCES = [
    "go to the red ball. pick up the blue key. open the green door. turn left. turn right.",
    '{"skill": "pickup", "arguments": {"object": "mug"}}',
    "You see a grey box 2 steps ahead and 1 step to the left.",
]


def _corpus() -> list[str]:
    """Some sentences, and the guests' prompts, so that these come out short."""
    prompts = [each for folder in prompt_folders().values() for each in sorted(folder.glob("*"))]
    texts = (path.read_text(encoding="utf-8") for path in prompts if path.is_file())
    return [*_SENTENCES, *texts]


def tiny_tokenizer(*, template: str | None = CHAT_TEMPLATE) -> Any:
    """A byte-level BPE tokenizer that can write any text, with a chat template or without."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<pad>", START, END, IMAGE],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_corpus(), trainer)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token=END,
        extra_special_tokens={"image_token": IMAGE},
    )
    fast.chat_template = template
    return fast


def text_model(
    folder: Path, *, seed: int = 0, template: str | None = CHAT_TEMPLATE, **changes: Any
) -> Path:
    """Saves a two-layer Llama; ``changes`` go to its config. Returns the folder."""
    tokenizer = tiny_tokenizer(template=template)
    torch.manual_seed(seed)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**{**text_config(tokenizer), **changes})
    )
    return _save(folder, sharpened(model), tokenizer)


def windowed_model(folder: Path, *, seed: int = 0, window: int = 16) -> Path:
    """Saves a Mistral whose layers look back so many tokens."""
    tokenizer = tiny_tokenizer()
    torch.manual_seed(seed)
    config = transformers.MistralConfig(**text_config(tokenizer), sliding_window=window)
    return _save(folder, sharpened(transformers.MistralForCausalLM(config)), tokenizer)


def picture_model(folder: Path, *, seed: int = 0) -> Path:
    """Saves a LLaVA: a CLIP eye for pictures of 28 × 28, five tokens each, and a Llama."""
    tokenizer = tiny_tokenizer()
    eye = transformers.CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=28,
        patch_size=14,
    )
    config = transformers.LlavaConfig(
        vision_config=eye.to_dict(),
        text_config=transformers.LlamaConfig(**text_config(tokenizer)).to_dict(),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE),
        image_seq_length=4,
        vision_feature_layer=-1,
    )
    processor = transformers.LlavaProcessor(
        image_processor=transformers.models.clip.CLIPImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
        ),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT_TEMPLATE,
    )
    torch.manual_seed(seed)
    return _save(folder, sharpened(transformers.LlavaForConditionalGeneration(config)), processor)


def plane_model() -> tuple[Any, Any]:
    """A Qwen2-VL, which counts a picture's positions in two dimensions, and its tokenizer.

    Not saved: its processor needs torchvision.
    """
    tokenizer = tiny_tokenizer()
    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer.add_tokens(marks, special_tokens=True)
    start, end, image, video = tokenizer.convert_tokens_to_ids(marks)
    sections = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
    config = transformers.Qwen2VLConfig(
        text_config={**text_config(tokenizer), "rope_parameters": sections},
        vision_config={"depth": 2, "embed_dim": 32, "num_heads": 2, "hidden_size": 64},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    torch.manual_seed(0)
    return sharpened(transformers.Qwen2VLForConditionalGeneration(config)), tokenizer


def text_config(tokenizer: Any) -> dict[str, Any]:
    """A config of two small layers for this tokenizer."""
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


def sharpened(model: Any) -> Any:
    """Larger weights: a fresh model's outputs are so alike that rounding would decide."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6.0)
    return model.eval()


def _save(folder: Path, model: Any, teller: Any) -> Path:
    model.save_pretrained(folder)
    teller.save_pretrained(folder)
    return folder

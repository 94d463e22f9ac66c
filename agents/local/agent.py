"""An agent whose model runs on this machine's GPU or CPU, from Hugging Face weights."""

from __future__ import annotations

from model_guest.notices import report_checks
from model_guest.options import agent_parser, read_settings
from model_guest.weights.options import add_weights_options, read_weights
from model_guest.weights.self_check import check_weights
from model_guest.weights.sessions import serve

VERSION = "1.0"

DESCRIPTION = """\
Plays with a text or vision-language model in the Hugging Face layout, on this machine's GPU or
CPU. One process answers for all sessions of a run, in batches."""

EXAMPLES = """\
examples, as options of `houseguest run --suite babyai --agent local`:
  a folder            --model ~/models/Qwen3-VL-8B-Instruct --parallel 8
  from the cache      --model Qwen/Qwen3-8B --template-set enable_thinking=false
  by likelihood       --model ~/models/Llama-3.1-8B --choose --score mean
  try it first with --check

Nothing is downloaded unless you pass --allow-download: `hf download NAME` fetches a model.
"""


def main() -> int:
    """Plays every episode of the run, or checks the model; returns the exit status."""
    parser = agent_parser("local", DESCRIPTION, EXAMPLES)
    add_weights_options(parser)
    arguments = parser.parse_args()
    settings, options = read_settings(parser, arguments), read_weights(parser, arguments)
    if arguments.check:
        return report_checks(check_weights(options))
    return serve("local", VERSION, options, settings)


if __name__ == "__main__":
    raise SystemExit(main())

"""An agent whose model runs behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from houseguest_model_client.transport import ClientError
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel, check_endpoint
from model_guest.endpoint.options import add_endpoint_options, read_endpoint
from model_guest.notices import log_to_stderr, report_checks
from model_guest.options import agent_parser, read_settings

VERSION = "1.0"

DESCRIPTION = """\
Plays with a text or vision-language model behind any OpenAI-compatible endpoint: vLLM, SGLang,
Ollama, llama.cpp, LM Studio, OpenRouter, Azure, OpenAI."""

EXAMPLES = """\
examples, as options of `houseguest run --suite babyai --agent vlm`:
  vLLM         --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-VL-8B-Instruct
  on a socket  --base-url unix:/run/model.sock --model Qwen/Qwen3-VL-8B-Instruct
  Ollama       --base-url http://127.0.0.1:11434/v1 --model gemma3:12b --timeout 600
  OpenRouter   --base-url https://openrouter.ai/api/v1 --model VENDOR/MODEL
  Azure        --base-url 'https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=2024-10-21'
               --model DEPLOYMENT --api-key-env AZURE_OPENAI_API_KEY
  try it first with --check

API keys come from the environment: HOUSEGUEST_API_KEY, OPENAI_API_KEY, or --api-key-env NAME.
"""


def main() -> int:
    """Plays every episode of the run, or checks the endpoint; returns the exit status."""
    parser = agent_parser("vlm", DESCRIPTION, EXAMPLES)
    add_endpoint_options(parser)
    arguments = parser.parse_args()
    settings = read_settings(parser, arguments)
    try:
        model = EndpointModel(read_endpoint(parser, arguments), log_to_stderr)
    except ClientError as error:
        parser.error(str(error))
    if not arguments.check:
        return serve("vlm", VERSION, model, settings)
    try:
        return report_checks(check_endpoint(model))
    finally:
        model.close()


if __name__ == "__main__":
    raise SystemExit(main())

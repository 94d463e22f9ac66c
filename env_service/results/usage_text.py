"""What models used, in words."""

from __future__ import annotations

from env_service.results.usage import Usage


def usage_text(usage: Usage) -> str:
    """``1,234 calls, 1.2 M tokens in (80 % cached), 45 k out, 12 pictures, $0.43``.

    What the agents did not tell, or is 0, is left out.
    """
    calls = f"{usage.calls:,} call{'' if usage.calls == 1 else 's'}"
    sent = f"{amount(usage.input_tokens)} tokens in"
    if usage.cached_input_tokens:
        sent += f" ({100 * usage.cached_input_tokens / usage.input_tokens:.0f} % cached)"
    received = f"{amount(usage.output_tokens)} out"
    pictures = f"{usage.images:,} picture{'' if usage.images == 1 else 's'}"
    parts = [
        calls,
        *([sent, received] if usage.tokens else []),
        *([pictures] if usage.images else []),
        *([dollars(usage.cost_usd)] if usage.cost_usd else []),
    ]
    return ", ".join(parts)


def spent_text(usage: Usage) -> str:
    """``$0.43, 1.2 M tokens``: the least that says how much is spent; empty where nothing is."""
    cost = [dollars(usage.cost_usd)] if usage.cost_usd else []
    tokens = [f"{amount(usage.tokens)} tokens"] if usage.tokens else []
    return ", ".join(cost + tokens)


def dollars(cost: float) -> str:
    """``$12.30``; to a hundredth of a cent where it is below ten."""
    if cost >= 0.1 or cost == 0:
        return f"${cost:,.2f}"
    if cost < 0.0001:
        return "under $0.0001"
    cents, parts = f"{cost:.4f}"[:4], f"{cost:.4f}"[4:].rstrip("0")
    return f"${cents}{parts}"


def amount(count: int) -> str:
    """``812``, ``45 k``, ``1.2 M``: to two digits, at least."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        # What would round to a thousand of a unit is one of the next.
        if count >= 0.9995 * size:
            value = count / size
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    return str(count)

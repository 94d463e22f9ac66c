"""A guest that acts at random: the floor under every other result."""

from __future__ import annotations

import argparse
import os
import random

from houseguest_agent import ActionSpace, Client, Episode, Mode, Plan, SkillCall, Text

LONGEST_PLAN = 10
"""Steps. Longer random plans score no better, and some suites bound a plan's length."""


EXAMPLE = "example: python agent.py --seed 7"


def episode_rng(seed: int, episode: Episode) -> random.Random:
    """A generator that depends on the seed and on the episode's own, and on nothing else.

    Parallel sessions share a run's tasks in an order that differs from run to run; a task
    played anywhere meets the same random agent, and another one in each repeat.
    """
    return random.Random(f"{seed} {episode.seed}")


def random_call(space: ActionSpace, words: list[str], rng: random.Random) -> SkillCall:
    """A uniformly drawn skill. An argument in free text is one of ``words``."""
    skill = rng.choice(space.skills)
    arguments = {
        parameter.name: rng.choice(parameter.choices or words) for parameter in skill.parameters
    }
    return SkillCall(skill.name, arguments)


def random_action(episode: Episode, rng: random.Random) -> SkillCall | Plan | Text:
    """Whatever the mode asks for: a skill, a plan of some skills, or words of the instruction."""
    space, words = episode.action_space, episode.instruction.split() or ["nothing"]
    if episode.mode is Mode.ANSWER or not space.skills:
        return Text(" ".join(rng.choices(words, k=rng.randint(1, len(words)))))
    if episode.mode is Mode.PLAN:
        length = rng.randint(1, LONGEST_PLAN)
        return Plan(tuple(random_call(space, words, rng) for _ in range(length)))
    return random_call(space, words, rng)


def play(episode: Episode, rng: random.Random) -> None:
    """Plays one episode to its end."""
    for _ in episode.history:
        random_action(episode, rng)  # Taken already, before this process was restarted.
    while episode.running:
        episode.act(random_action(episode, rng))


def main() -> None:
    """Plays every episode of the run."""
    parser = argparse.ArgumentParser(description="Acts at random.", epilog=EXAMPLE)
    default = os.environ.get("HOUSEGUEST_SEED") or "0"
    parser.add_argument("--seed", type=int, default=default, help="default: HOUSEGUEST_SEED, or 0")
    seed = parser.parse_args().seed
    with Client("random", "1.0", configuration={"seed": seed}) as client:
        for episode in client.episodes():
            play(episode, episode_rng(seed, episode))


if __name__ == "__main__":
    main()

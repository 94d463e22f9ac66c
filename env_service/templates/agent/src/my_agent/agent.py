"""The agent: acts at random, but never repeats an action that was just refused."""

from __future__ import annotations

import argparse
import random

from houseguest_agent import Client, Episode, Mode, OutcomeCode, Plan, SkillCall, Text


def choose(episode: Episode, refused: list[SkillCall], tries: int, rng: random.Random) -> SkillCall:
    """Put your model here: it gets ``episode.instruction`` and ``episode.observation``, and chooses
    an action."""
    words = episode.instruction.split() or ["nothing"]
    for _ in range(tries):
        skill = rng.choice(episode.action_space.skills)
        arguments = {each.name: rng.choice(each.choices or words) for each in skill.parameters}
        call = SkillCall(skill.name, arguments)
        if call not in refused:
            break
    return call


def play(episode: Episode, tries: int) -> None:
    """Plays one episode to its end: step by step, or with one plan or one answer."""
    # Seeded by the episode alone, so that the order of tasks does not change how it is played.
    rng = random.Random(episode.seed)
    refused: list[SkillCall] = []
    while episode.running:
        if episode.mode is Mode.ANSWER:
            episode.act(Text("I do not know."))
        elif episode.mode is Mode.PLAN:
            episode.act(Plan((choose(episode, refused, tries, rng),)))
        else:
            call = choose(episode, refused, tries, rng)
            outcome = episode.act(call).outcome
            worked = outcome is not None and outcome.code is OutcomeCode.SUCCEEDED
            refused = [] if worked else [*refused, call]


def main() -> None:
    """Plays every episode of the run. The service sets environment variables with its address,
    which the client reads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=20, help="draws of an action; default: 20")
    tries = parser.parse_args().tries
    with Client("my_agent", "0.1.0", configuration={"tries": tries}) as client:
        for episode in client.episodes():
            play(episode, tries)


if __name__ == "__main__":
    main()

"""An agent that acts at random: the lower bound for every other result."""

from __future__ import annotations

import argparse
import os
import random
import re

from houseguest_agent import ActionSpace, Client, Episode, Mode, Plan, SkillCall, Text

LONGEST_PLAN = 10
"""In steps. Longer random plans score no better, and some suites limit a plan's length."""

STEERING = ("left", "right", "forward", "pickup", "drop", "toggle")
BARE_SUBGOALS = ("PickupSubgoal", "DropSubgoal", "OpenSubgoal", "CloseSubgoal")
USUAL_SIZE = 8
"""Cells along a grid's side, if the text contains no number that could be the size."""

DESCRIBED = ("actplan",)
"""The suites whose instruction describes a home: arguments in free text are objects in it."""

PLAIN_WORDS = """
about above achieve action actions activity admissible after agent all alone already also and
another answer any are available because been before behind being both but called can clean
close closed condition currently described dust dusty each end ensure exactly following for
four from generate goal grab has have images include including inside into involved item items
its language located make move multiple must natural near need next not object objects off one
only open or other others out place plan planning plans procedural put remove required room
scene several should shown side sliced soaked some sort specific stained start state step steps
such sure switch task than that the their them then there these they this three tidy top
true two under until using what when where which while will with without you your
"""
"""Words in descriptions that do not name an object."""

EXAMPLE = "example: python agent.py --seed 7"


def episode_rng(seed: int, episode: Episode) -> random.Random:
    """A generator that depends only on the seed and on the episode's own seed.

    Parallel sessions share a run's tasks in an order that differs from run to run. Each task
    still gets the same random agent, and another one in each repeat.
    """
    return random.Random(f"{seed} {episode.seed}")


def random_call(space: ActionSpace, words: list[str], rng: random.Random) -> SkillCall:
    """A uniformly drawn skill. An argument in free text is one of ``words``."""
    skill = rng.choice(space.skills)
    arguments = {
        parameter.name: rng.choice(parameter.choices or words) for parameter in skill.parameters
    }
    return SkillCall(skill.name, arguments)


def things_named(description: str) -> list[str]:
    """The words of a description that may name objects, in order: without plain words and names of
    actions. All its words if none are left."""
    words = re.findall(r"(?<![\w/(-])[a-z]{3,}(?![\w/(-])", description.lower())
    plain = frozenset(PLAIN_WORDS.split())
    found = [word for word in dict.fromkeys(words) if word not in plain]
    return found or description.split() or ["nothing"]


def random_answer(question: str, shown: str, rng: random.Random) -> str | None:
    """A uniformly drawn answer to a question of LLM-BabyBench; None for any other question.

    ``shown`` is the episode's whole text. The largest number of a pair in it, whether a position
    or the size, counts as the number of cells along a side of the grid.
    """
    pairs = re.findall(r"(\d{1,3})(?:x|,\s*)(\d{1,3})", shown)
    size = max((int(number) for pair in pairs for number in pair), default=0) or USUAL_SIZE

    def cell() -> str:
        return f"({rng.randrange(size)}, {rng.randrange(size)})"

    length = rng.randint(1, LONGEST_PLAN)
    match question:
        case "predict":
            return f"The agent's final state is: ({cell()}, {rng.randrange(4)})"
        case "plan":
            return f"The LLM's action sequence is: {', '.join(rng.choices(STEERING, k=length))}"
        case "decompose":
            names = rng.choices(("GoNextToSubgoal", *BARE_SUBGOALS), k=length)
            lines = [
                f"({name})" if name in BARE_SUBGOALS else f"({name}, {cell()})" for name in names
            ]
            return "\n".join(["<START>", *lines, "<END>"])
        case _:
            return None


def random_action(episode: Episode, rng: random.Random) -> SkillCall | Plan | Text:
    """An action of the kind that the mode needs: a skill, a plan of some skills, an answer in the
    question's form, or words of the instruction."""
    space, words = episode.action_space, episode.instruction.split() or ["nothing"]
    if episode.suite in DESCRIBED:
        words = things_named(episode.instruction)
    if episode.mode is Mode.ANSWER or not space.skills:
        shown = f"{episode.observation.text}\n{episode.instruction}"
        answer = random_answer(episode.context.get("question", ""), shown, rng)
        if answer is not None:
            return Text(answer)
        return Text(" ".join(rng.choices(words, k=rng.randint(1, len(words)))))
    if episode.mode is Mode.PLAN:
        length = rng.randint(1, LONGEST_PLAN)
        return Plan(tuple(random_call(space, words, rng) for _ in range(length)))
    return random_call(space, words, rng)


def play(episode: Episode, rng: random.Random) -> None:
    """Plays one episode to its end."""
    for _ in episode.history:
        random_action(episode, rng)  # Already taken before this process was restarted.
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

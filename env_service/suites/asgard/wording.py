"""What the suite says to an agent beside its task: the rules of the house, how to answer."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.suites.asgard.vocabulary import Verb

_VERBS = ", ".join(Verb)

_COMMON_SENSE = """

- But for FIND, an action needs its object in view: FIND it first.
- What has a door is opened before something is taken out of it or put into it. What is open \
cannot be opened, what is on not be switched on.
- A hand that holds something picks nothing up; an empty one has nothing to put down.
- Nothing goes into or onto something dirty, and each thing only where such things belong."""

_WORLD_RULES = """\
You have one hand, which holds one thing. You act on types of things (Mug, Cabinet): which one of \
several is meant is chosen for you, the one that you found, see or used last before others. You \
walk up to it by yourself.

- Close cabinets, drawers, the fridge and the microwave when you are done with them.
- A switch works at once: turn a device on, then off again; there is no need to wait. At the end \
nothing may be left on, unless the task asks for it.
- Wash: put the dish into the SinkBasin, hold the DishSponge, TOGGLE_ON the Faucet, CLEAN the \
dish, TOGGLE_OFF the Faucet. The Faucet does not run while anything but dishes and the sponge is \
in the basin. Clean a dirty dish before it is used or put away.
- Mirror: SPRAY it with the SprayBottle in the hand, then CLEAN it with the Cloth in the hand.
- Slice on a surface that stands open, with the Knife in the hand; the pieces are a type of their \
own (TomatoSliced). An Egg is cracked in a Pan, with SLICE, and is then EggCracked.
- Coffee: put a Mug that is clean and empty into the CoffeeMachine, and turn it on and off.
- Toast: put a slice of bread into the Toaster. Fry: put a Pan with the food on a StoveBurner. \
A whole Potato is cooked in the Microwave, which has to be closed.
- The Television is switched with the RemoteControl in the hand.
- Serve Potato and Lettuce in a Bowl, anything else on a Plate. Put away food in the Fridge, \
silverware in a Drawer, dishes in a Cabinet."""


def world_rules(*, common_sense: bool) -> str:
    """The rules of the house, as far as the paper's prompt tells them (spec: asgard.md section
    5.4); and those that common sense has, which its baseline leaves to the agent."""
    return _WORLD_RULES + (_COMMON_SENSE if common_sense else "")


def answer_rules(available: Iterable[str]) -> str:
    """How an answer in words has to look; of no concern to an agent that sends skills."""
    example = next(iter(available), "Mug")
    return (
        "An answer in words ends with a line 'Action: VERB Object', such as"
        f" 'Action: FIND {example}'. VERB, in capitals, is one of {_VERBS}; Object is one of the"
        " available objects. The last such line counts, and of an answer with '<answer>' only what"
        " follows it. Any other answer is not understood, and costs its turn."
    )

"""Getting to where an object can be acted on: "auto-navigation" (spec section 2.4).

An action is tried where the agent stands, then after walking up to the object, then from one pose
after the other from which the world says that the object can be reached. The released code keeps
such poses in files from run to run; here the agent remembers the last one of each object for the
episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from env_service.suites.asgard.body import Attempt, Body
from env_service.suites.asgard.gaze import face, look_at
from env_service.suites.asgard.poses import candidate_poses
from env_service.suites.asgard.ranges import center, distance, range_of, should_crouch
from env_service.suites.asgard.refusal import PLACEHOLDER
from env_service.suites.asgard.view import AgentPose, ThorObject

MOST_STEPS = 20
"""Steps of one walk."""

Try = Callable[[], Attempt]
Seen = Callable[[], bool]

HOPELESS = (
    "NOT a receptacle",
    "openable Receptacle is CLOSED",
    "cannot be sliced",
)
"""Parts of the simulator's errors after which neither another pose nor another instance is tried
(spec section 2.2)."""

_SAME_ANYWHERE = (
    *HOPELESS,
    "object is not toggleable",
    "is controlled by another sim object",
    "not a valid Object Type to be placed in",
    "cannot be placed in",
    "is full right now",
    "must have the property",
    "is not an Openable object",
    "Does not have the CanBeSliced property",
    "Target must be",
    "can't toggle object",
)
"""Parts of errors that no other pose would change. After the first of them there is no use in
trying the rest, which would end in the same error."""


class Exhausted(Exception):  # noqa: N818 - an outcome of a search, which callers put into words
    """Every pose was tried in vain. ``error`` is the simulator's last, PLACEHOLDER if the agent
    never got near enough to try; ``hopeless``: see HOPELESS."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error
        self.hopeless = any(part in error for part in HOPELESS)


class Approach:
    """One object to be got at. ``seen`` says whether the agent sees what it is after, by default
    the object itself or something in or on it."""

    def __init__(self, body: Body, item: ThorObject, *, seen: Seen | None = None) -> None:
        self._body, self._item = body, item
        self._seen = seen or self._visible
        self._center = center(item)
        self._range = range_of(item["objectType"])

    def act(self, attempt: Try) -> None:
        """Tries an action from here, from near by, and from poses all around; returns as it
        succeeds. Raises Exhausted."""
        last = PLACEHOLDER
        for slack in self._places(start_here=True):
            if not self._within(slack) or not self._seen():
                continue
            result = attempt()
            if result.success:
                self._remember()
                return
            last = result.error
            if any(part in last for part in _SAME_ANYWHERE):
                break
        raise Exhausted(last)

    def find(self) -> bool:
        """Goes to where the object can be seen and reached. Whether there is such a place."""
        for slack in self._places(start_here=False):
            if self._within(slack) and self._seen():
                self._remember()
                return True
        return False

    def walk(self) -> None:
        """Walks straight towards the object as far as the way is free, and looks at it."""
        face(self._body, self._center)
        for _ in range(MOST_STEPS):
            if self._distance() <= self._range.farthest:
                break
            if not self._body.do("MoveAhead").success:
                break
            face(self._body, self._center)
        look_at(self._body, self._item)

    def _places(self, *, start_here: bool) -> Iterator[float]:
        """Brings the agent from place to place; yields how far out of range each may be."""
        known = self._body.memory.stances.get(self._item["name"])
        if start_here and known == self._body.pose:
            yield self._excess()
        elif start_here and self._within(0.0):
            yield from self._here()
        self.walk()
        if not start_here:
            self._back_off()
        yield 0.0
        if known is not None and self._stand(known):
            yield self._excess()
        for candidate in candidate_poses(self._body, self._item):
            if self._stand(candidate.pose):
                yield candidate.slack

    def _here(self) -> Iterator[float]:
        """Looks straight at it; where that hides it behind something, as it was seen before."""
        before, seen = self._body.pose, self._seen()
        look_at(self._body, self._item)
        yield 0.0
        if seen and not self._seen() and self._stand(before):
            yield 0.0

    def _back_off(self) -> None:
        """Steps back from something low that is too near to be looked at."""
        if not should_crouch(self._item, self._body.view):
            return
        for _ in range(MOST_STEPS):
            if self._distance() >= self._range.nearest or not self._body.do("MoveBack").success:
                break

    def _stand(self, pose: AgentPose) -> bool:
        if pose == self._body.pose:
            return True
        return self._body.do(
            "Teleport",
            position=pose.position._asdict(),
            rotation={"x": 0.0, "y": pose.yaw, "z": 0.0},
            horizon=pose.horizon,
            standing=pose.standing,
        ).success

    def _distance(self) -> float:
        return distance(self._body.pose.position, self._center)

    def _excess(self) -> float:
        return self._range.excess(self._distance())

    def _within(self, slack: float) -> bool:
        return self._excess() <= slack

    def _visible(self) -> bool:
        now = self._body.fresh(self._item)
        return now is not None and self._body.view.visible(now)

    def _remember(self) -> None:
        self._body.memory.stances[self._item["name"]] = self._body.pose

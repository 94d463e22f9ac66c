"""The Korean command (wording K): its templates, its nouns, how things are counted, and the
particles that a noun's last sound asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import preposition
from env_service.suites.alfred.builtin.rounds import BATHROOM, BEDROOM, KITCHEN, LIVING_ROOM
from env_service.suites.alfred.task import Goal, TaskType

_Texts = tuple[str, ...]

_PLAIN: _Texts = (
    "{what:을} {where} {put}.",
    "{what:을} 찾아서 {where} {put}.",
    "{what:을} 가져다가 {where} {put}.",
)
_MOVING: _Texts = ("{what:을} {way:으로} 옮겨 주세요.",)
_KEEPING: _Texts = ("{what:은} {where} {keep}.",)

_LOOKING: _Texts = (
    "{lamp:을} 켜고 {what:을} 살펴봐 주세요.",
    "{what:을} {lamp} 불빛에 비춰 살펴봐 주세요.",
    "{lamp} 불빛 아래에서 {what:을} 살펴보세요.",
)

_CHANGING: _Texts = ("{what:을} {doing} {where} {put}.",)
_CHANGED: _Texts = ("{done} {what:을} {where} {put}.",)

_ALONG: _Texts = (
    "{what:을} {movable}에 {fill} {movable:을} {where} {put}.",
    "{what:을} {movable}에 {filled} 다음 그 {movable:을} {where} {put}.",
    "{what:을} {movable}에 {filling} {movable:과} 함께 {where} {put}.",
)
_HOLDING: _Texts = ("{what:이} {inside} {movable:을} {where} {put}.",)

_CUT = "{whole:을} 썰어 "
"""What comes before, where slices are meant."""

_DOING: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: ("깨끗이 씻어서", "물에 씻은 다음"),
    TaskType.HEAT: ("데워서", "따뜻하게 데운 다음"),
    TaskType.COOL: ("차갑게 식혀서", "차갑게 식힌 다음"),
}
_DONE: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: ("깨끗이 씻은", "깨끗하게 씻은"),
    TaskType.HEAT: ("데운", "따뜻하게 데운"),
    TaskType.COOL: ("차갑게 식힌", "차가운"),
}
_TOPS = frozenset({"Dresser", "Toilet"})

_LAUNDRY = frozenset({"Cloth", "HandTowel"})
_WASHED: Mapping[str, str] = {"씻어서": "빨아서", "씻은": "빤"}
"""Textiles are washed by another verb."""

_PUT: Mapping[str, tuple[_Texts, str]] = {
    "on": (("놓아 주세요", "올려놓아 주세요", "놓으세요"), "두세요"),
    "in": (("넣어 주세요", "넣으세요", "넣어 두세요"), "넣어 두세요"),
    "GarbageCan": (("버려 주세요", "버리세요"), "버려 주세요"),
    "ToiletPaperHanger": (("걸어 주세요", "거세요"), "걸어 두세요"),
    "CoffeeMachine": (("놓아 주세요", "올려 주세요"), "두세요"),
}
"""How one says that it is put there: as an order, and of where such things belong."""

_FILL: Mapping[str, tuple[str, str, str, str]] = {
    "Plate": ("올려놓고", "올려놓은", "담아", "놓인"),
    "Bowl": ("담고", "담은", "담아", "담긴"),
    "Pan": ("담고", "담은", "담아", "담긴"),
    "Pot": ("담고", "담은", "담아", "담긴"),
}
_FILL_OTHER = ("넣고", "넣은", "넣어", "든")
"""How one says that something is put in what goes along, and that it is in there."""


def korean_command(goal: Goal, room: str, draw: Random) -> str:
    """One sentence, polite."""
    manners = goal.parent if goal.parent in _PUT else preposition(goal.parent)
    put, keep = _PUT[manners]
    template, doing, done = _template(goal, draw), "", ""
    if goal.type in _DOING:
        doing, done = draw.choice(_DOING[goal.type]), draw.choice(_DONE[goal.type])
    fill, filled, filling, inside = _FILL.get(goal.movable, _FILL_OTHER)
    return template.format(
        what=KoreanNoun(_what(goal, room)),
        whole=KoreanNoun(korean(goal.object, room)),
        where=_where(goal.parent, room),
        way=_way(goal.parent, room),
        movable=_noun(goal.movable, room),
        lamp=_noun(goal.toggle, room),
        put=draw.choice(put),
        keep=keep,
        doing=_washing(goal, doing),
        done=_washing(goal, done),
        fill=fill,
        filled=filled,
        filling=filling,
        inside=inside,
    )


def _template(goal: Goal, draw: Random) -> str:
    chosen = draw.choice(_templates(goal))
    return _CUT + chosen if goal.sliced else chosen


def _templates(goal: Goal) -> _Texts:
    match goal.type:
        case TaskType.LOOK:
            return _LOOKING
        case TaskType.MOVABLE:
            return _ALONG if goal.sliced else _ALONG + _HOLDING
        case TaskType.CLEAN | TaskType.HEAT | TaskType.COOL:
            return _CHANGING if goal.sliced else _CHANGING + _CHANGED
    if goal.sliced:
        return _PLAIN[:1]
    more = () if goal.parent in _PUT else _MOVING
    return _PLAIN + more + (_KEEPING if goal.type is TaskType.SIMPLE else ())


def _what(goal: Goal, room: str) -> str:
    """What is carried; where it is cut first, the slices alone."""
    number = "두" if goal.type is TaskType.TWO else "한"
    if goal.sliced:
        return f"{number} 조각"
    thing = korean(goal.object, room)
    return f"{thing} 두 {counter(goal.object)}" if goal.type is TaskType.TWO else thing


def _where(parent: str, room: str) -> str:
    if not parent:
        return ""
    over = preposition(parent) == "on" and parent not in _PUT
    return f"{korean(parent, room)}{' 위' if over else ''}에"


def _way(parent: str, room: str) -> KoreanNoun | str:
    """Where it is moved to; of what can be opened as well, the top."""
    if parent in _TOPS:
        return KoreanNoun(f"{korean(parent, room)} 위")
    return _noun(parent, room)


def _noun(kind: str, room: str) -> KoreanNoun | str:
    return KoreanNoun(korean(kind, room)) if kind else ""


def _washing(goal: Goal, words: str) -> str:
    if goal.object not in _LAUNDRY:
        return words
    *before, last = words.split(" ")
    return " ".join((*(_WASHED.get(each, each) for each in before), _WASHED.get(last, last)))


# --- Korean nouns for object types, and how things are counted

NOUNS: Mapping[str, str] = {
    "AlarmClock": "알람 시계",
    "Apple": "사과",
    "BaseballBat": "야구 방망이",
    "BasketBall": "농구공",
    "Book": "책",
    "Bowl": "그릇",
    "Box": "상자",
    "Bread": "빵",
    "ButterKnife": "버터나이프",
    "CD": "CD",
    "Candle": "양초",
    "CellPhone": "휴대폰",
    "Cloth": "천",
    "CreditCard": "신용카드",
    "Cup": "컵",
    "DishSponge": "수세미",
    "Egg": "달걀",
    "Fork": "포크",
    "Glassbottle": "유리병",
    "HandTowel": "핸드타월",
    "Kettle": "주전자",
    "KeyChain": "열쇠고리",
    "Knife": "칼",
    "Ladle": "국자",
    "Laptop": "노트북",
    "Lettuce": "양상추",
    "Mug": "머그컵",
    "Newspaper": "신문",
    "Pan": "프라이팬",
    "Pen": "펜",
    "Pencil": "연필",
    "PepperShaker": "후추통",
    "Pillow": "베개",
    "Plate": "접시",
    "Plunger": "뚫어뻥",
    "Pot": "냄비",
    "Potato": "감자",
    "RemoteControl": "리모컨",
    "SaltShaker": "소금통",
    "SoapBar": "비누",
    "SoapBottle": "물비누 병",
    "Spatula": "뒤집개",
    "Spoon": "숟가락",
    "SprayBottle": "분무기",
    "Statue": "조각상",
    "TennisRacket": "테니스 라켓",
    "TissueBox": "갑 티슈",
    "ToiletPaper": "두루마리 휴지",
    "Tomato": "토마토",
    "Vase": "꽃병",
    "Watch": "손목시계",
    "WateringCan": "물뿌리개",
    "WineBottle": "와인병",
    "ArmChair": "안락의자",
    "BathtubBasin": "욕조",
    "Bed": "침대",
    "Cabinet": "수납장",
    "Cart": "카트",
    "CoffeeMachine": "커피 머신",
    "CoffeeTable": "커피 테이블",
    "CounterTop": "조리대",
    "Desk": "책상",
    "DiningTable": "식탁",
    "Drawer": "서랍",
    "Dresser": "서랍장",
    "Fridge": "냉장고",
    "GarbageCan": "쓰레기통",
    "Microwave": "전자레인지",
    "Ottoman": "오토만",
    "Safe": "금고",
    "Shelf": "선반",
    "SideTable": "사이드 테이블",
    "SinkBasin": "싱크대",
    "Sofa": "소파",
    "StoveBurner": "가스레인지",
    "Toilet": "변기",
    "ToiletPaperHanger": "휴지걸이",
    "DeskLamp": "탁상 스탠드",
    "FloorLamp": "플로어 스탠드",
}

_IN_ROOM: Mapping[tuple[str, str], str] = {
    (KITCHEN, "Cabinet"): "찬장",
    (KITCHEN, "Cloth"): "행주",
    (BATHROOM, "CounterTop"): "욕실 카운터",
    (BATHROOM, "SinkBasin"): "세면대",
    (BEDROOM, "SideTable"): "협탁",
    (BEDROOM, "Cabinet"): "옷장",
    (LIVING_ROOM, "Pillow"): "쿠션",
}
"""What has another name in a kind of room."""

_COUNTERS: Mapping[str, str] = {
    "Book": "권",
    "CD": "장",
    "Cloth": "장",
    "CreditCard": "장",
    "HandTowel": "장",
    "Newspaper": "부",
    "Pen": "자루",
    "Pencil": "자루",
    "Candle": "자루",
    "Knife": "자루",
    "CellPhone": "대",
    "Laptop": "대",
    "Lettuce": "통",
}
"""What such things are counted by, where it is not 개."""


def korean(object_type: str, room: str) -> str:
    """The noun for a type in a kind of room.

    Raises:
        KeyError: it has none.
    """
    return _IN_ROOM.get((room, object_type)) or NOUNS[object_type]


def counter(object_type: str) -> str:
    """What a type is counted by."""
    return _COUNTERS.get(object_type, "개")


# --- Korean nouns with the particles that their last sound asks for

_FIRST, _LAST = "가", "힣"
_FINALS = 28
"""Hangul syllables stand in Unicode in the order of their final consonants, of which there are 27
and none (Unicode Standard, section 3.12)."""
_RIEUL = 8
_SPOKEN: Mapping[str, int] = {"L": _RIEUL, "R": _RIEUL, "M": 16, "N": 4}
"""Latin letters whose Korean names end in a consonant: 엘, 알, 엠, 엔."""

_PAIRS: Mapping[str, tuple[str, str]] = {
    "을": ("을", "를"),
    "은": ("은", "는"),
    "이": ("이", "가"),
    "과": ("과", "와"),
    "으로": ("으로", "로"),
}
"""By its name: a particle after a final consonant, and after a vowel."""


@dataclass(frozen=True, slots=True)
class KoreanNoun:
    """A noun, or a phrase that ends in one. Formatted with a particle's name ("{:을}") it has the
    form of that particle which belongs to it; formatted with nothing it has none."""

    text: str

    def __format__(self, particle: str) -> str:
        return self.text + (particle_after(self.text, particle) if particle else "")


def particle_after(word: str, particle: str) -> str:
    """The form of a particle after a word: 을 or 를, 은 or 는, 이 or 가, 과 or 와, 으로 or 로.

    으로 is 로 also after ㄹ.

    Raises:
        ValueError: no such particle, or a word whose last sound is unknown.
    """
    if particle not in _PAIRS:
        raise ValueError(f"unknown particle {particle!r}; known: {', '.join(_PAIRS)}")
    after_consonant, after_vowel = _PAIRS[particle]
    final = _final(word)
    open_ended = final == 0 or (particle == "으로" and final == _RIEUL)
    return after_vowel if open_ended else after_consonant


def _final(word: str) -> int:
    """The number of the final consonant of the last syllable, 0 for none."""
    last = word[-1:]
    if last and _FIRST <= last <= _LAST:
        return (ord(last) - ord(_FIRST)) % _FINALS
    if last.isascii() and last.isalpha():
        return _SPOKEN.get(last.upper(), 0)
    raise ValueError(f"how does {word!r} end? It has to end in Hangul or a Latin letter")

"""Reads what a plain command in Korean asks for, by a dictionary."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.alfred.judging.english_words import ITEMS, LAMPS, MOVABLES, PLACES
from env_service.suites.alfred.judging.intent import NOTHING, Intent, Slot, State, Types
from env_service.suites.alfred.object_words import SLICEABLE

_NOUNS: Mapping[str, str] = {
    "AlarmClock": "자명종 알람시계 알람 탁상시계 시계",
    "Apple": "사과",
    "BaseballBat": "야구방망이 야구배트 방망이 배트",
    "BasketBall": "농구공 공",
    "Book": "책 도서",
    "Bowl": "그릇 사발 볼 대접",
    "Box": "상자 박스",
    "Bread": "빵 식빵",
    "ButterKnife": "버터나이프 버터칼 나이프",
    "CD": "CD 시디 씨디",
    "Candle": "양초 초 촛불",
    "CellPhone": "핸드폰 휴대폰 휴대전화 스마트폰 전화기",
    "Cloth": "천 걸레 행주 헝겊 수건",
    "CreditCard": "신용카드 카드",
    "Cup": "컵 잔 유리잔",
    "DishSponge": "수세미 스펀지 설거지스펀지 주방스펀지 스폰지",
    "Egg": "계란 달걀",
    "Fork": "포크",
    "Glassbottle": "유리병 병",
    "HandTowel": "손수건 수건 타월 핸드타월 손타월",
    "Kettle": "주전자",
    "KeyChain": "열쇠고리 열쇠 키체인 키홀더",
    "Knife": "나이프 칼 식칼 부엌칼",
    "Ladle": "국자",
    "Laptop": "노트북 랩탑 랩톱 컴퓨터",
    "Lettuce": "상추 양상추",
    "Mug": "머그잔 머그컵 머그 컵",
    "Newspaper": "신문 신문지",
    "Pan": "팬 프라이팬 후라이팬",
    "Pen": "펜 볼펜",
    "Pencil": "연필",
    "PepperShaker": "후추통 후추 후추병",
    "Pillow": "베개 쿠션",
    "Plate": "접시",
    "Plunger": "플런저 뚫어뻥 압축기",
    "Pot": "냄비",
    "Potato": "감자",
    "RemoteControl": "리모컨 리모콘",
    "SaltShaker": "소금통 소금 소금병",
    "SoapBar": "비누 고체비누",
    "SoapBottle": "비누병 물비누 세제통 세제병 액체비누",
    "Spatula": "주걱 뒤집개",
    "Spoon": "숟가락 스푼",
    "SprayBottle": "스프레이병 스프레이 분무기",
    "Statue": "조각상 동상 석상",
    "TennisRacket": "테니스라켓 라켓",
    "TissueBox": "휴지상자 티슈상자 티슈박스 휴지곽 휴지통 갑티슈 티슈 티슈곽",
    "ToiletPaper": "화장지 휴지 두루마리휴지 화장지롤 두루마리화장지 휴지롤",
    "Tomato": "토마토",
    "Vase": "꽃병 화병",
    "Watch": "시계 손목시계",
    "WateringCan": "물뿌리개 물조리개",
    "WineBottle": "와인병 포도주병 와인",
    "ArmChair": "안락의자 의자 팔걸이의자 암체어",
    "BathtubBasin": "욕조",
    "Bed": "침대",
    "Cabinet": "찬장 캐비닛 수납장 캐비넷 벽장 옷장 장식장 장",
    "Cart": "카트 수레",
    "CoffeeMachine": "커피머신 커피메이커 커피기계",
    "CoffeeTable": "커피테이블 테이블 탁자 소파테이블",
    "CounterTop": "조리대 카운터 주방조리대 싱크대상판 카운터탑",
    "Desk": "책상 테이블",
    "DiningTable": "식탁 테이블 탁자",
    "Drawer": "서랍",
    "Dresser": "서랍장 화장대 옷장",
    "Fridge": "냉장고",
    "GarbageCan": "쓰레기통 휴지통",
    "Microwave": "전자레인지 전자렌지",
    "Ottoman": "오토만 발받침 스툴",
    "Safe": "금고",
    "Shelf": "선반",
    "SideTable": "사이드테이블 협탁 보조탁자 테이블 탁자 보조테이블",
    "SinkBasin": "싱크대 싱크 개수대 세면대",
    "Sofa": "소파",
    "StoveBurner": "가스레인지 스토브 버너 가스렌지 화구 스토브버너",
    "Toilet": "변기",
    "ToiletPaperHanger": "화장지걸이 휴지걸이",
    "DeskLamp": "책상램프 탁상램프 탁상등 램프 빛 불빛 조명 책상조명 책상등 전등 등불 스탠드",
    "FloorLamp": "바닥램프 스탠드조명 플로어램프 스탠드 램프 빛 불빛 조명 전등 등불 플로어스탠드"
    " 스탠드램프 바닥조명",
}
_STATES = {
    State.HEATED: re.compile(r"데운|데워|데우|따뜻|뜨거|가열|익힌|익혀|뜨겁"),
    State.COOLED: re.compile(r"차가운|차갑|시원|식힌|식혀|냉각|차게|식은|냉장(?!고)"),
    State.CLEANED: re.compile(r"깨끗|씻|닦|세척|세탁|헹구|헹군|헹궈|청결|빤 |빨아|빨고|빨은"),
}
_SLICED = re.compile(r"썬|썰|자른|잘라|자르|조각(?!상)|슬라이스|잘린")
_TWO = re.compile(r"(?:^|\s)두\s[가-힣]|두\s?개|둘|2\s?개|한 쌍")
_AT = re.compile(r"\s*(?:안|위|속|밑|아래|옆)?(?:쪽)?(?:에다|에|으로|로)(?!서)")
_CONTENT = re.compile(
    r"\s*(?:하나|한 개|두 개)?\s*(?:이|가|을|를)\s*(?:들어\s?있는|담긴|든|담은|놓인|올려진|넣은)"
)
_SYLLABLE = re.compile(r"[가-힣A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class _Noun:
    types: Types
    end: int
    words: str
    placed: bool
    content: bool


def read_korean(text: str) -> Intent:
    """What a plain command asks for: nouns with their particles, state words, slicing, number."""
    nouns = _nouns(text)
    lamps = _lamps(nouns)
    items = [each for each in nouns if each.types & ITEMS]
    places = [each for each in nouns if each.placed and each.types & PLACES]
    inside = [each for each in items if each.placed and each.types & MOVABLES]
    movable, carried = _split(items, inside)
    objects = NOTHING if carried is None else carried.types & ITEMS
    words = {
        slot: each.words
        for slot, each in (
            (Slot.OBJECT, carried),
            (Slot.MOVABLE, movable),
            (Slot.DESTINATION, places[-1] if places else None),
        )
        if each is not None
    }
    return Intent(
        objects=objects,
        sliced=bool(_SLICED.search(text)) and bool(not objects or objects & set(SLICEABLE)),
        states=frozenset(state for state, pattern in _STATES.items() if pattern.search(text)),
        movables=NOTHING if movable is None else movable.types & MOVABLES,
        destinations=places[-1].types & PLACES if places and not lamps else NOTHING,
        counts=frozenset({2}) if _TWO.search(text) else frozenset({1} if items else ()),
        lamps=lamps,
        words=words,
    )


def _split(items: list[_Noun], inside: list[_Noun]) -> tuple[_Noun | None, _Noun | None]:
    """What goes along, and what is carried: a fork in a cup, or a cup with a fork in it."""
    contents = [at for at, each in enumerate(items) if each.content and at + 1 < len(items)]
    if contents:
        return items[contents[0] + 1], items[contents[0]]
    if inside:
        others = [each for each in items if each.types != inside[0].types]
        return inside[0], others[0] if others else None
    return None, items[0] if items else None


def _lamps(nouns: list[_Noun]) -> Types:
    found: Types = NOTHING
    for each in nouns:
        own = each.types & LAMPS
        found = (found & own) or own or found
    return found


def _nouns(text: str) -> list[_Noun]:
    """The nouns, longest first at each place, whether or not a blank parts their halves."""
    found = []
    at = 0
    while at < len(text):
        noun = _longest(text, at)
        if noun is None or (at and _SYLLABLE.match(text[at - 1])):
            at += 1
            continue
        found.append(noun)
        at = noun.end
    return found


def _longest(text: str, at: int) -> _Noun | None:
    for end in range(min(len(text), at + _LONGEST), at, -1):
        if text[end - 1] == " ":
            continue
        types = _BY_WORD.get(text[at:end].replace(" ", "").upper())
        if types is not None and _ends(text[end:]):
            placed, content = bool(_AT.match(text[end:])), bool(_CONTENT.match(text[end:]))
            return _Noun(types, end, text[at:end], placed, content)
    return None


_PARTICLES = re.compile(
    r"$|[\s,.!?]|을|를|이|가|은|는|에|으로|로|의|과|와|도|안|위|속|하나|두|들|만|조각|불빛|빛|에서"
)


def _ends(rest: str) -> bool:
    """Whether a word may end here: a particle or a stop follows."""
    return bool(_PARTICLES.match(rest))


def _by_word() -> dict[str, Types]:
    found: dict[str, set[str]] = {}
    for kind, words in _NOUNS.items():
        for word in words.split():
            found.setdefault(word.upper(), set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in found.items()}


_BY_WORD = _by_word()
_LONGEST = max(len(word) for word in _BY_WORD) + 3
"""Letters of the longest noun, with blanks between its parts."""

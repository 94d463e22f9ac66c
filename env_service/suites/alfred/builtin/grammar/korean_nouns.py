"""Korean nouns for object types, and how things are counted."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.alfred.builtin.rounds import BATHROOM, BEDROOM, KITCHEN, LIVING_ROOM

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

from dataclasses import dataclass


@dataclass
class Item:
    price: int
    count: int = 1

"""Order service."""
import json
import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)


@dataclass
class Item:
    name: str
    price: float
    qty: int = 1


class Cart:
    """A shopping cart."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item):
        # keep insertion order
        if item.qty <= 0:
            raise ValueError("qty")
        self.items.append(item)
        log.info("added %s", item.name)

    def remove(self, name):
        for i, item in enumerate(self.items):
            if item.name == name:
                del self.items[i]
                return True
        return False

    def total(self):
        total = 0
        for item in self.items:
            total += item.price * item.qty
        return total


def load(path):
    with open(path) as f:
        data = json.load(f)
    cart = Cart(data["owner"])
    for row in data["items"]:
        cart.add(Item(**row))
    return cart


def save(cart, path):
    data = {"owner": cart.owner, "items": [vars(i) for i in cart.items]}
    with open(path, "w") as f:
        json.dump(data, f)

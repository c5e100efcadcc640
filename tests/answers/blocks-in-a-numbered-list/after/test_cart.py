from cart import Cart
from item import Item


def test_empty():
    assert Cart().total() == 0


def test_counts():
    cart = Cart()
    cart.items.append(Item(price=2, count=3))
    assert cart.total() == 6

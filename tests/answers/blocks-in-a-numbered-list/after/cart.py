class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(item.price * item.count for item in self.items)

class Stack:
    def pop(self):
        return self.items.pop()

    def size(self):
        return len(self.items)

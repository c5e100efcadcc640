class Stack:
    def pop(self):
        return self.items.pop(0)

    def size(self):
        return 0

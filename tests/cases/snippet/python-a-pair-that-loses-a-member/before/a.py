class A:
    def a(self):
        one(1)
        two(2)
        return 3

    def b(self):
        return 4

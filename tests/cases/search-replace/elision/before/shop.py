import os


class Shop:
    def open(self):
        self.lock()
        for till in self.tills:
            till.start()
        self.light(1)

    def close(self):
        self.count()
        self.light(0)

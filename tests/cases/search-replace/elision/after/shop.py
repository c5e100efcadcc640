import os


class Shop:
    def open(self, hours):
        self.lock()
        for till in self.tills:
            till.start()
        self.light(hours)

    def close(self):
        self.count()
        self.light(0)

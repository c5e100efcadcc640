"""A cache of pages."""

import time

LIFETIME = 300


class Cache:
    def __init__(self):
        self.pages = {}

    def get(self, url):
        page = self.pages.get(url)
        if page is None or time.monotonic() - page[0] > LIFETIME:
            return None
        return page[1]

    def put(self, url, text):
        self.pages[url] = (time.monotonic(), text)

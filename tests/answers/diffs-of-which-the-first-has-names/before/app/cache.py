"""A cache of pages."""

import time

LIFETIME = 60


class Cache:
    def __init__(self):
        self.pages = {}

    def get(self, url):
        page = self.pages.get(url)
        if page is None:
            return None
        return page[1]

    def put(self, url, text):
        self.pages[url] = (time.time(), text)

from app.cache import Cache

cache = Cache()

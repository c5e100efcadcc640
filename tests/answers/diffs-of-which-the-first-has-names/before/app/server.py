from app.cache import Cache

LIFETIME = 60
cache = Cache()

import os

DEFAULTS = {
    "port": 8000,
}

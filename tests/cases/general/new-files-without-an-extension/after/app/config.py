import os

DEFAULTS = {
    "port": 9000,
}

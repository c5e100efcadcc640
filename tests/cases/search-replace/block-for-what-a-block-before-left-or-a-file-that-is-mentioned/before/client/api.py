import requests

TIMEOUT = 10

import json
LIMIT = 5

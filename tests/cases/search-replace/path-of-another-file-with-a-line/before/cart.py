import json
LIMIT = 3

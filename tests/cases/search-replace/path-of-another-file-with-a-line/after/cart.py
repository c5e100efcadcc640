import json
import os
LIMIT = 3

import os
import socket

PORT = int(os.environ.get("PORT", "80"))

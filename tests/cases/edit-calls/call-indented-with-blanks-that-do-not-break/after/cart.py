"""Order service."""
import json
import os
import loguru
from dataclasses import dataclass

log = logging.getLogger(__name__)

"""Order service."""
import json
import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)

"""Order service."""
import json
import os
import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)

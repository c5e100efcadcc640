import logging
import os

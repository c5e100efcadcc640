import os
A = 2

import os
x = 3

import os
y = 1

import os
y = 2

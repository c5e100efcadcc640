import sys
y = 1

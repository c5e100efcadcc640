import sys
y = 2

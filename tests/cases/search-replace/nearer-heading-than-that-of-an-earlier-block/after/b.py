import sys
B = 1

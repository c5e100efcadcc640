import sys


def greet():
    print("hi", sys.argv)



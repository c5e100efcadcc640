import sys


def greet():
    print("hi")


def leave():
    print("so long")

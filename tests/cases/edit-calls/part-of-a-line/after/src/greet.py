import sys


def greet():
    print("hello")


def leave():
    print("so long")

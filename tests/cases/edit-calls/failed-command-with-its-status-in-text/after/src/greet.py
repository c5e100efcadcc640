import sys


def greet():
    print("hi")


def leave():
    print("bye")

import sys


def greet():
    print("hello")


def leave():
    print("bye")

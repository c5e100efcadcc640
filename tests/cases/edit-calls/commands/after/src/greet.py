import sys
import os


def greet():
    print("hi")


def leave():
    print("bye")

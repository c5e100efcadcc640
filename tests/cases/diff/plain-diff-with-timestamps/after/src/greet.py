import os


def greet(name):
    print(f"hello {name}")


def bye(name):
    print("bye", name)

import os

def hello(name):
    print('Hello', name)

def bye():
    print('Bye')
    return 0

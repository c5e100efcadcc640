import os

def hello():
    print('Hello')

def bye():
    print('Bye')

def f():
    s = """
raw
"""
    return s

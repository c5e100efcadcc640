import a
assert a.x

a()
old_thing(1)
b = 1
c = 2
d = 3

def g():

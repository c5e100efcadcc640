def greet(name):
    print(f"hello {name}")

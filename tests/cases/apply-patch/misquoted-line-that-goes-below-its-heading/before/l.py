def f(x):
    validate(x, strict=False)
    y = parse(x)
    z = emit(y)
    close()

foo(a,
    b)
bar(a,
    b)

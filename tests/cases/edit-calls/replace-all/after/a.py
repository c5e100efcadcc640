total = number(x)
print(number(y), number(z))
# number(w)

total = count(x)
print(count(y), count(z))
# count(w)

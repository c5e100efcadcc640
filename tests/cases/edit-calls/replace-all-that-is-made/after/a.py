total = number_of(items)
print(number_of(items), 1)

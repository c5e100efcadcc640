total = number_of_items(x)
print(number_of_items(y), number_of_items(z))
# number_of_items(w)

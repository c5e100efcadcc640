from calc import add

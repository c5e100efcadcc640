x = old()

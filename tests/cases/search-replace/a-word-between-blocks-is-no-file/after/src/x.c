ONE
Two

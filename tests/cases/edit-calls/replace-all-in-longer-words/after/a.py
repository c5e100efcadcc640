number = 1
disnumber = 2

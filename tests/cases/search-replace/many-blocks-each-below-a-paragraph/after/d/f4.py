y4

y2

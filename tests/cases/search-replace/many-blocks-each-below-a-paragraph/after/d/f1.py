y1

y0

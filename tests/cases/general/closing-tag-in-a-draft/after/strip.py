END = "</think>"

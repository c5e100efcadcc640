END = "</thought>"

import parser

ANSWER = """
main.py
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE
"""

def test():
    parser.parse(ANSWER)

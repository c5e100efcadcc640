import parser

ANSWER = """
<edit file="main.py" op="remove"/>
"""

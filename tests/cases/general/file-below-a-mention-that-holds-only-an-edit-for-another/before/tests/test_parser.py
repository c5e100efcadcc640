import parser

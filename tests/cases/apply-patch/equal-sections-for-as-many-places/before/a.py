try:
    one()
except E:
    pass

try:
    two()
except E:
    pass

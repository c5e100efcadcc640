try:
    log("try")
    one()
except E:
    pass

try:
    log("try")
    two()
except E:
    pass

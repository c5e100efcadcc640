from money import cents


def total(items):
    result = 0
    for item in items:
        result += item.price
    return result


def discount(amount, percent):
    return amount * percent / 100

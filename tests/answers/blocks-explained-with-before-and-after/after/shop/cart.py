from money import cents


def total(items):
    result = 0
    for item in items:
        result += item.price * item.count
    return result


def discount(amount, percent):
    return amount - amount * percent / 100

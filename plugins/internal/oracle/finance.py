"""Loans."""
from quantities import capability, real


@capability("finance.loan.payment")
def payment(given):
    """Discounts each payment to the beginning: the sum of the discount factors takes no division by the rate."""
    principal, remains, n = given.real("principal"), given.real("future_value", "0"), int(given.exact("periods"))
    rate = given.real("rate_per_period")
    if rate is None:
        rate = given.real("annual_rate")/int(given.exact("payments_per_year", "12"))
    v = 1/(1 + rate)
    # sum is v + ... + v^k and power is v^k, for the leading binary digits k of n
    total, power = real(0), real(1)
    for digit in format(n, "b"):
        total, power = total + power*total, power*power
        if digit == "1":
            total, power = (total + 1)*v, power*v
    each = (principal - remains*power)/total
    if given.word("timing", "end") == "begin":
        each *= v
    return {"payment": each, "total_paid": each*n, "total_interest": each*n + remains - principal, "rate_per_period": rate}

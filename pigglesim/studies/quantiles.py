"""Quantiles of the distributions that intervals are made from.

SciPy's functions take a quarter of a second to import: a worker that only throws needs none.
"""

__all__ = ["beta_quantile", "normal_quantile", "student_quantile"]


def normal_quantile(share: float) -> float:
    """Return what this share of a standard normal variable's values lie below."""
    from scipy.special import ndtri  # noqa: PLC0415 (slow to import)

    return float(ndtri(share))


def student_quantile(share: float, freedom: float) -> float:
    """Return what this share of the values of Student's t lie below.

    Args:
        share: Between 0 and 1.
        freedom: Degrees of freedom.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 (slow to import)

    return float(stdtrit(freedom, share))


def beta_quantile(share: float, alpha: float, beta: float) -> float:
    """Return what this share of the values of Beta(alpha, beta) lie below."""
    from scipy.special import betaincinv  # noqa: PLC0415 (slow to import)

    return float(betaincinv(alpha, beta, share))

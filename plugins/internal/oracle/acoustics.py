"""Levels of sound."""
from mpmath import mp

from quantities import capability, real


@capability("acoustics.levels.sound_level_sum")
def sound_level_sum(given):
    """Adds the energies relative to the loudest source, with natural logarithms."""
    decibel = mp.log(10)/10
    nepers = [real(x)*decibel for x in given.list("levels")]
    loudest = max(nepers)
    total = loudest + mp.log(sum(mp.exp(x - loudest) for x in nepers))
    together = loudest + 2*mp.log(sum(mp.exp((x - loudest)/2) for x in nepers))
    results = {"total_level": total/decibel, "mean_level": (total - mp.log(len(nepers)))/decibel,
               "coherent_level": together/decibel}
    if given.has("background"):
        background = given.real("background")*decibel
        if float(mp.exp(background)) < float(mp.exp(total)):
            results["corrected_level"] = (total + mp.log(-mp.expm1(background - total)))/decibel
    if given.has("limit"):
        results["utilization"] = mp.exp(total - given.real("limit")*decibel)
    return results

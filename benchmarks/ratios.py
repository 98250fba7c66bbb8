"""Read and write the committed ratios of the benchmark, and compare new ratios with them."""

import csv
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("ratios.csv")
# Limits of ratios, by the ends of their names, in this order: per-round algorithms; DP-UCB with
# other counters; Thompson sampling, which draws K Beta variables in a round; contextual rounds,
# which draw d K normals; contextual rounds in which a user also draws the normals of a message;
# rounds of Private LinUCB, which draws the noise of a node and inverts a matrix
LIMITS = {
    ", K = 5": 2.0,
    ", K = 20": 3.0,
    ", 5 arms": 3.0,
    ", 20 arms": 3.0,
    " Beta draws": 1.0,
    ", 30 normals": 2.75,
    ", 400 normals": 3.0,
    ", 30 normals and a message": 2.5,
    ", 400 normals and a message": 3.0,
    ", 30 normals and a node": 3.0,
    ", 400 normals and a node": 3.0,
}
LONGER = 1.5  # limit of an episodic run at T = 1e12, with 1.7 times as many episodes as at 1e7
TOLERANCE = 1.5  # the largest allowed factor to a committed ratio: machines differ, and may be busy
COMPILING = "compile, "  # names of ratios of compiling; these take seconds and vary less
COMPILE_TOLERANCE = 1.35


def read(file: Path = FILE) -> dict[str, float]:
    """Return the committed ratios, by the name of what was measured."""
    with file.open(newline="") as lines:
        return {row["measured"]: float(row["ratio"]) for row in csv.DictReader(lines)}


def write(ratios: Mapping[str, float], file: Path = FILE) -> None:
    """Write ratios to the file that is committed."""
    rows = "".join(f'"{name}",{ratio:.2f}\n' for name, ratio in ratios.items())
    file.write_text(f"measured,ratio\n{rows}")


def complaints(
    measured: Mapping[str, float], committed: Mapping[str, float], tolerance: float = TOLERANCE
) -> list[str]:
    """Return a line for each ratio that exceeds its limit, or exceeds the committed ratio by more
    than the tolerance, or is only measured or only committed.
    """
    lines = above_limits(measured)
    for name in dict.fromkeys([*committed, *measured]):
        if name not in measured:
            lines.append(f"{name}: committed, but no longer measured; run make bench")
        elif name not in committed:
            lines.append(f"{name}: measured, but not committed; run make bench")
        else:
            allowed = tolerance
            if name.startswith(COMPILING):
                allowed = min(tolerance, COMPILE_TOLERANCE)
            if not measured[name] <= allowed * committed[name]:
                lines.append(
                    f"{name}: {measured[name]:.2f}, more than {allowed:g} times the committed "
                    f"{committed[name]:.2f}"
                )
    return lines


def above_limits(measured: Mapping[str, float]) -> list[str]:
    """Return a line for each ratio that exceeds its limit, without use of the committed ratios."""
    lines = [
        f"{name}: {ratio:.2f}, above the limit of {limit:g}"
        for name, ratio in measured.items()
        for end, limit in LIMITS.items()
        if name.endswith(end) and not ratio <= limit
    ]
    for name, ratio in measured.items():
        short = name.replace(", T = 1e12", ", T = 1e7")
        if short != name and short in measured and not ratio <= LONGER * measured[short]:
            times = ratio / measured[short]
            lines.append(f"{name}: {times:.2f} times T = 1e7, above the limit of {LONGER:g}")
    return lines

"""The committed ratios of the benchmark, and the comparison of new ones with them."""

import csv
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("ratios.csv")
LIMITS = {", K = 5": 2.0, ", K = 20": 3.0}  # of per-round algorithms, by how their names end
TOLERANCE = 1.5  # how many times a ratio may be the committed one: another machine, a busy one


def read(file: Path = FILE) -> dict[str, float]:
    """The committed ratios, by the name of what was measured."""
    with file.open(newline="") as lines:
        return {row["measured"]: float(row["ratio"]) for row in csv.DictReader(lines)}


def write(ratios: Mapping[str, float], file: Path = FILE) -> None:
    """Write ratios, to be committed."""
    rows = "".join(f'"{name}",{ratio:.2f}\n' for name, ratio in ratios.items())
    file.write_text(f"measured,ratio\n{rows}")


def complaints(
    measured: Mapping[str, float], committed: Mapping[str, float], tolerance: float = TOLERANCE
) -> list[str]:
    """One line for each ratio that exceeds its limit, or the committed ratio by more than the
    tolerance, and for each that is only measured or only committed.
    """
    lines = []
    for name in dict.fromkeys([*committed, *measured]):
        if name not in measured:
            lines.append(f"{name}: committed, but no longer measured; run make bench")
        elif name not in committed:
            lines.append(f"{name}: measured, but not committed; run make bench")
        elif not measured[name] <= tolerance * committed[name]:
            lines.append(
                f"{name}: {measured[name]:.2f}, more than {tolerance:g} times the committed "
                f"{committed[name]:.2f}"
            )
        lines += [
            f"{name}: {measured[name]:.2f}, above the limit of {limit:g}"
            for end, limit in LIMITS.items()
            if name in measured and name.endswith(end) and not measured[name] <= limit
        ]
    return lines

"""Run and draw the experiments: python experiments/all.py [NAME ...] [KEY=VALUE ...].

This is ``make figures``: all experiments, in one process, if no NAME is given. What was made by the
same sources with the same settings is left alone.
"""

import sys

import dpbandits as dp
from dpbandits.cli.command import guarded


def main(argv):
    keys = dict(word.split("=", 1) for word in argv if "=" in word)
    names = [word for word in argv if "=" not in word] or list(dp.experiments().index)
    for i, name in enumerate(names, 1):
        print(f"{i} of {len(names)}: {name}", flush=True)
        print(*dp.reproduce(name, **keys), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    guarded("figures", lambda: main(sys.argv[1:]))

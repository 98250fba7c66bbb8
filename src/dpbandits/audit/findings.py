"""Run audits and collect their findings. A finding is a row of a table, with one verdict.

Findings from samples are stored, so that the same audit need not be repeated. Audits of several
algorithms run in parallel.
"""

from __future__ import annotations

import json
import math
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from itertools import chain, groupby
from operator import or_
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import cpu_count

from ..contracts.versions import decides_a_run
from ..errors import BadInput
from ..files import PACKAGE, read_text, write_atomically
from ..fingerprint import closure, fingerprint
from ..running.progress import progress_bar, write_above_bar
from ..settings.setting import digest
from . import verdicts
from .alignment.align import Aligned, replay_report
from .exact.methods import exact_loss
from .exact.one_bit import SATURATING_REWARD
from .exact.release import release_loss
from .sampling.auditor import Sampled, TimeUp, audit, in_workers, unsampled
from .targets.decisions import DecisionTarget
from .targets.neighbours import place_of_change
from .targets.publishing import ReleaseTarget
from .targets.target import AuditTarget, Progress, Stage, ignored

Row = dict[str, Any]
# A name, and either its row or the error that explains why there is no row
Result = tuple[str, Row | Exception]
# What replaces the replays of a target without a range of rewards
UNBOUNDED = Aligned(
    text="no range of rewards is declared, and exchanging rewards of one and two million "
    "changes the output.\nA promise of privacy needs a range: declare rewards=(LOW, HIGH) of a "
    "function, or REWARDS = (LOW, HIGH) in its file",
    why="declare rewards=",
)
# Verdicts for which the column ``why`` gives the reason
EXPLAINED = (verdicts.MISALIGNED, verdicts.UNDECIDED)
REPLAYED = 0.3  # the approximate share of the replays in the work of an audit
# These files, and all files of the package that they import, determine the findings from samples
MADE_BY = ("alignment/align.py", "exact/release.py", "sampling/auditor.py")


class Failed(Exception):
    """The error of an audit in another process; its message is the traceback of that process."""


@cache
def made_by() -> str:
    """Return a hash of the code that determines findings from samples, apart from the audited
    algorithm.

    The hash covers the sources of the audit, of the mechanisms and of the guarantees, and the files
    of the package that these sources import.
    """
    made = [PACKAGE / "audit" / name for name in MADE_BY]
    # The imports of this file are left out, since they include the exact losses of actions
    files = {Path(__file__), *closure(made, PACKAGE)}
    return fingerprint(
        *sorted(f for f in files if decides_a_run(f) or f.parent == PACKAGE / "contracts")
    )


@dataclass(frozen=True)
class ExactAudit:
    """An audit of the exact loss of an algorithm's actions, for one horizon and number of arms."""

    target: DecisionTarget
    horizon: int
    arms: int
    jobs: int = 1  # the number of workers

    def row(
        self, folder: Path | None, progress: Progress = ignored, seconds: float = math.inf
    ) -> Row:
        """Return the exact loss with the event and the neighbours that attain it.

        ``folder`` and ``seconds`` are ignored: nothing is stored, and the time is not limited.

        Raises:
            OutOfReach: no exact loss is known.
        """
        target, T, promised = self.target, self.horizon, self.target.promised
        found = exact_loss(target, T, self.arms)
        progress(1.0)
        low, high = target.extremes() or (-SATURATING_REWARD, SATURATING_REWARD)
        return {
            "algo": target.name, "eps": target.budget, "horizon": T, "arms": self.arms,
            "promised": promised, "low": found.low, "high": found.high,
            "reward_low": low, "reward_high": high,
            "verdict": verdicts.of_exact(found.low, found.high, promised), "event": found.event,
            "rewards": found.rewards[0], "neighbours": found.rewards[1],
        }  # fmt: skip


@dataclass(frozen=True)
class SampledAudit:
    """An audit by replays of the alignment, by the exact loss of a release, and by samples.

    Attributes:
        target: the target of the audit.
        runs, confidence, seed, jobs: see ``sampling.auditor.audit``.
    """

    target: AuditTarget
    runs: int | None = None
    confidence: float = 0.99
    seed: int = 0
    jobs: int = 1

    def row(
        self, folder: Path | None, progress: Progress = ignored, seconds: float = math.inf
    ) -> Row:
        """Run the audit for at most ``seconds`` seconds, and return its findings.

        If the same audit was finished before, its findings are read from ``folder``. Findings of a
        new audit are stored in this folder, together with the witness of a violation. If ``folder``
        is None, nothing is read or stored.
        """
        end = time.time() + seconds
        if folder is None:
            return self._found(progress, end)[0]
        file = self._file(folder)
        with suppress(OSError, ValueError, RecursionError):
            stored: Row = json.loads(read_text(file))
            progress(1.0)
            return stored
        row, worst = self._found(progress, end)
        if time.time() > end and row["verdict"] != verdicts.VIOLATED:
            return row
        if row["verdict"] == verdicts.VIOLATED:
            row["witness"] = _write_witness(worst, file.with_suffix(""))
        write_atomically(file, json.dumps(row).encode())
        return row

    def _file(self, folder: Path) -> Path:
        """Return the path of the stored findings.

        The name contains a hash of everything that determines the findings.
        """
        target, settings = self.target, (self.runs, self.confidence, self.seed)
        declared = getattr(target.source, "declared", "")
        hashed = digest(*map(repr, (target, *settings, declared, made_by())), length=12)
        budget = f"{target.budget_name}{target.budget:g}"
        return folder / f"{target.name}-{budget}-{hashed}.json"

    def _found(self, progress: Progress, end: float) -> tuple[Row, Sampled]:
        """Return the findings up to the time ``end``, and the sample with the worst result."""
        target, exact, event = self.target, None, ""
        target.check()
        if (unbounded := target.unbounded()) is not None:
            replays, sampled = UNBOUNDED, [unsampled(target, 0.0, unbounded)]
            words = [verdicts.UNDECIDED]
        else:
            _say(target, "replays")
            replays = replay_report(target, self.seed, end, lambda x: progress(REPLAYED * x))
            stages = target.stages(replays, self.seed)
            sampled = list(self._sampled(stages, lambda x: progress((1.0 - REPLAYED) * x), end))
            sampled = sampled or [unsampled(target, 0.0)]
            exact, event = stages[0].loss or release_loss(target), stages[0].event
            words = [target.replays_lead_to(replays.aligned, replays.replays)]
        samples = reduce(or_, (found.tried for found in sampled))
        parts = [f"{replays.replays} replays of {replays.tried}"] if replays.asked else []
        parts += [f"samples of {samples}"] if samples.rounds else []
        tried = samples | replays.tried
        if not tried.rounds:
            tried = tried.add(sampled[0].pair)
        if late := time.time() > end:
            words.append(verdicts.UNDECIDED)
        worst = max(sampled, key=lambda found: found.measured)
        promised, (x, y) = target.promised, worst.pair
        words.append(verdicts.of_samples(worst.measured, promised))
        if isinstance(target, ReleaseTarget) and exact is not None:
            # the exact loss belongs to the release itself
            words.append(verdicts.of_exact(exact, exact, promised))
        verdict, where = verdicts.combined(*words), place_of_change(worst.pair)
        why = replays.why or ("max_time= ended the audit" if late else "")
        target = worst.target  # for a policy, this target may be the response of a user
        row = {
            "kind": target.kind, "name": target.name, "budget": target.budget_name,
            target.budget_name: target.budget, "unit": target.unit, "promised": promised,
            "measured": worst.measured, "detectable": worst.detectable,
            "exact": math.nan if exact is None else exact,
            "reward_low": tried.low, "reward_high": tried.high,
            "verdict": verdict, "confidence": 1.0 if event else self.confidence,
            "runs": worst.runs, "count_first": worst.counts[0], "count_second": worst.counts[1],
            "rewards": len(x), "arms": x.shape[1] if x.ndim > 1 else 1,
            "changed_round": where[0] + 1, "changed_arm": where[1] if x.ndim > 1 else 0,
            "first": float(x[where]), "second": float(y[where]),
            "event": event or worst.event.in_words(target.columns(x)) or "nothing differs",
            "seed": self.seed, "replays": replays.replays, "aligned": replays.aligned,
            "alignment": replays.text, "why": why if verdict in EXPLAINED else "",
            "tried": "; ".join(parts), "witness": None,
        }  # fmt: skip
        return row, worst

    def _sampled(
        self, stages: Sequence[Stage], progress: Progress, end: float
    ) -> Iterator[Sampled]:
        """Yield the findings of each stage, until a promise is violated or the time ``end`` is
        reached.
        """
        runs = [self.runs or stage.runs or stage.target.usual_runs for stage in stages]
        runs = [min(n, stage.most or n) for n, stage in zip(runs, stages, strict=True)]
        for stage, n in zip(stages, runs, strict=True):
            share = n / sum(runs)
            if stage.loss is not None:
                progress(share)
                yield unsampled(stage.target, stage.loss)
                continue
            _say(stage.target, f"samples, {n:,} runs or fewer of each test")
            try:
                found = audit(
                    stage.target, n, 1.0 - (1.0 - self.confidence) * stage.share, self.seed,
                    self.jobs, lambda part, share=share: progress(part * share),  # type: ignore[misc]
                    stage.candidates, end,
                )  # fmt: skip
            except TimeUp:
                return
            yield found
            if found.violated:
                return


Audit = ExactAudit | SampledAudit


def _say(target: AuditTarget, step: str) -> None:
    """Announce a step of an audit if the target runs in plain Python, since the step may take
    minutes.
    """
    if not target.compiled and isinstance(target, DecisionTarget):
        lengths = target.lengths
        rounds = f"{lengths[0]:,}" if len(lengths) == 1 else f"up to {max(lengths):,}"
        line = f"{target.name} at {target.budget_name} {target.budget:g}: {step} of {rounds} rounds"
        write_above_bar(line)


def _write_witness(sampled: Sampled, stem: Path) -> list[str]:
    """Write the two sequences of rewards as CSV files, and return their paths.

    A run with ``env=table env.file=...`` reads such files.
    """
    paths = [stem.with_name(f"{stem.name}-{which}.csv") for which in ("first", "second")]
    for data, path in zip(sampled.pair, paths, strict=True):
        table = pd.DataFrame(data.reshape(len(data), -1)).add_prefix("arm_")
        text = table.to_csv(index=False, float_format="%.17g", lineterminator="\n")
        write_atomically(path, text.encode())
    return [str(path) for path in paths]


def findings_of(
    audits: Sequence[Audit], folder: Path | None, max_time: float = math.inf
) -> Iterator[Result]:
    """Yield the results of audits in their order, and show a progress bar.

    Audits of several algorithms or mechanisms run in parallel, in one process for each of them. All
    audits together take at most ``max_time`` seconds. Each audit gets an equal share of the time
    that remains.
    """
    groups = [list(group) for _, group in groupby(audits, lambda audit: audit.target.name)]
    jobs = audits[0].jobs if len(groups) > 1 else 1
    with progress_bar(len(audits)) as bar:
        bar.set_postfix_str(audits[0].target.name if audits else "")
        found = _results(audits, folder, bar.update, max_time)
        if jobs != 1:
            side_by_side = min(cpu_count() if jobs < 0 else jobs, len(groups))
            seconds = max_time * side_by_side / len(groups)
            task = partial(_in_process, folder=folder, max_time=seconds)
            found = chain.from_iterable(in_workers(task, zip(groups, strict=True), jobs))
        for name, result in found:
            bar.update(jobs != 1)  # with jobs=1, the audits themselves update the bar
            bar.set_postfix_str(name)
            yield name, result


def _in_process(audits: Sequence[Audit], folder: Path | None, max_time: float) -> list[Result]:
    """Return the results of audits from a child process, with errors as text."""
    singly = [replace(audit, jobs=1) for audit in audits]
    found = _results(singly, folder, ignored, max_time)
    return [(name, result if isinstance(result, dict | BadInput) else Failed(text_of(result)))
            for name, result in found]  # fmt: skip


def text_of(error: Exception) -> str:
    """Return an error as text: for bad input the message, for other errors the traceback."""
    if isinstance(error, BadInput | Failed):
        return f"{error}\n"
    return "".join(traceback.format_exception(error))


def _results(
    audits: Sequence[Audit], folder: Path | None, progress: Progress, max_time: float
) -> Iterator[Result]:
    end = time.time() + max_time
    for i, one in enumerate(audits):
        seconds = (end - time.time()) / (len(audits) - i)
        try:
            yield one.target.name, one.row(folder, progress, seconds)
        except Exception as error:
            yield one.target.name, error

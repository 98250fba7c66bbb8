"""The questions that runs answer, such as regret or the best arm: their keys, columns and
statistics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .parameters import FRACTION, RANGE, Interval

# The kinds of actions. An algorithm that plays contexts can also play labelled users
ARMS, FEATURES, CONTEXTS, USERS = "arms", "arms with features", "contexts", "labelled users"
PULLS, TRACE = "pulls", "regret"
# The statistics in a summary
STATISTICS = ("mean", "ci_low", "ci_high", "std", "runs", "runs_needed")
COMPARED = (  # columns that every comparison has
    "mean", "median", "against", "difference", "difference_low", "difference_high",
    "ratio", "ratio_low", "ratio_high", "median_difference", "median_difference_low",
    "median_difference_high", "median_ratio", "median_ratio_low", "median_ratio_high",
    "smaller", "smaller_low", "smaller_high", "differs", "tied", "median_tied", "letters", "runs",
    "runs_needed",
)  # fmt: skip
# All columns that are computed from runs; no parameter and no column of runs has one of these names
COMPUTED = {
    *STATISTICS, *COMPARED, "q10", "q90", "correct_low", "correct_high", "value", "interval"
}  # fmt: skip


@dataclass(frozen=True)
class Record:
    """What a run records at each checkpoint.

    Attributes:
        name: PULLS, the pulls of each arm (int64), or TRACE, the regret (float64).
        per_arm: whether the record has a number for each arm.
    """

    name: str
    per_arm: bool

    def width(self, K: int) -> int:
        """Return how many numbers are recorded at a checkpoint of a game with K arms."""
        return K if self.per_arm else 1


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that runs answer. The attributes of a question describe everything in which
    questions differ.
    """

    name: str
    command: str
    keys_file: str  # the file in conf that lists the keys of the command
    # the group of files that define the algorithms, and the column with the algorithms' names
    group: str
    noun: str  # the word for what such a file defines
    groups: tuple[str, ...]  # all groups of configuration files, ``group`` first
    limit: str  # the key of the largest number of rounds of a run
    largest_limit: int  # the largest value of that key
    # keys that decide whether an answer is correct, with their domains; algorithms may use them
    goal: tuple[tuple[str, Interval], ...] = ()
    swept: tuple[str, ...]  # other keys that a sweep can vary and that have a column of their own
    # whether every run plays until the limit. Then a table has a row for each checkpoint of a run,
    # otherwise a single row for each run
    plays_on: bool
    record: Record = Record(PULLS, per_arm=True)  # what a run records
    one_arm: bool = False  # whether a run is played on a single arm of the environment
    # the columns of a table that describe a setting; ``eps`` stands for one column for each privacy
    # budget in the table
    columns: tuple[str, ...]
    # the measured columns, which follow the column ``run``. The values in these columns depend only
    # on the setting and the run, so a table has the same bytes on every machine
    measured: tuple[str, ...]
    statistic: str  # the measured column whose mean is summarised, with its interval
    statistic_name: str  # the name of that mean
    quantiles: bool = False  # whether the quantiles of the statistic are summarised, too
    increasing: tuple[str, ...] = ()  # keys of ``goal`` whose values must increase
    shown: tuple[str, ...]  # the columns of a summary, where ``*`` stands for what a sweep varies
    # columns of a setting that a summary shows only if they vary
    shown_if_varied: tuple[str, ...] = ()
    # if a table has a single setting: the columns that are part of the table's name, with formats
    label: tuple[tuple[str, str], ...]

    def __reduce__(self):
        """Pickle only the name, by which another process finds the question."""
        return question_named, (self.name,)

    @property
    def goal_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.goal)

    @property
    def own_keys(self) -> set[str]:
        """The keys of the command that apply to this question but not to all questions."""
        return {*self.goal_names, "arm" if self.one_arm else "shuffle_arms"}


REGRET = Question(
    name="regret",
    command="bandit-run",
    keys_file="config",
    group="algo",
    noun="algorithm",
    groups=("algo", "env", "population"),
    limit="horizon",
    largest_limit=2**62,
    swept=("eps", "rho", "eps_min", "horizon"),
    plays_on=True,
    columns=("algo", "env", "eps", "horizon"),
    measured=("t", "regret"),
    statistic="regret",
    statistic_name="final regret",
    shown=("algo", "env", "eps", "*", "horizon"),
    label=(("budget", "-{}"), ("horizon", "-T{}")),
)

STOPPING = Question(
    name="stopping",
    command="bandit-stop",
    keys_file="stop",
    group="rule",
    noun="rule",
    groups=("rule", "env"),
    limit="cap",
    largest_limit=2**53,  # a float represents every stopping time exactly
    goal=(("rel_error", FRACTION), ("beta", FRACTION), ("R", RANGE)),
    swept=("arm", "eps", "rel_error", "beta", "R", "cap"),
    plays_on=False,
    one_arm=True,
    columns=("rule", "env", "arm", "true_mean", "eps", "rel_error", "beta", "R", "cap"),
    measured=("stopping_time", "estimate", "halted", "correct"),
    statistic="stopping_time",
    statistic_name="stopping time",
    shown=("rule", "env", "*", "true_mean", "eps", "rel_error"),
    shown_if_varied=("arm", "beta", "R", "cap"),
    label=(("budget", "-{}"), ("rel_error", "-a{:g}")),
)

BEST_ARM = replace(
    STOPPING,
    name="best arm",
    goal=(("delta", FRACTION),),
    swept=("eps", "delta", "cap"),
    one_arm=False,
    columns=("rule", "env", "eps", "delta", "cap"),
    measured=("stopping_time", "answer", "halted", "correct"),
    quantiles=True,
    shown=("rule", "env", "*", "eps", "delta"),
    shown_if_varied=("cap",),
    label=(("budget", "-{}"), ("delta", "-d{:g}")),
)

HYPOTHESES = replace(
    BEST_ARM,
    name="hypotheses",
    goal=(("mu0", FRACTION), ("mu1", FRACTION), ("alpha", FRACTION), ("beta", FRACTION)),
    swept=("arm", "eps", "mu0", "mu1", "alpha", "beta", "cap"),
    one_arm=True,
    columns=(
        "rule", "env", "arm", "true_mean", "eps", "mu0", "mu1", "alpha", "beta", "cap",
    ),
    increasing=("mu0", "mu1"),
    shown=("rule", "env", "*", "true_mean", "eps", "mu0", "mu1"),
    shown_if_varied=("arm", "alpha", "beta", "cap"),
    label=(("budget", "-{}"), ("mu0", "-p{:g}"), ("mu1", "-p{:g}")),
)  # fmt: skip

# With contexts, the gap of an arm differs from round to round, so pulls do not determine the regret
CONTEXTUAL = replace(REGRET, name="contextual regret", record=Record(TRACE, per_arm=False))

QUESTIONS = (REGRET, STOPPING, BEST_ARM, HYPOTHESES, CONTEXTUAL)
GOALS = frozenset(name for question in QUESTIONS for name in question.goal_names)


def question_for(question: Question, actions: str) -> Question | None:
    """Return the variant of a question for a kind of actions, or None if there is none.

    With contexts and labelled users, the question of regret becomes CONTEXTUAL.
    """
    if actions not in (CONTEXTS, USERS):
        return question
    return CONTEXTUAL if question in (REGRET, CONTEXTUAL) else None


def question_named(name: str) -> Question:
    """Return the question with this name."""
    return next(question for question in QUESTIONS if question.name == name)

"""The names that the files of all policies with an oracle import."""

from .batches import next_batch as next_batch
from .choices import (
    draw as draw, one_of_smallest as one_of_smallest, smallest as smallest, softmax as softmax,
)  # fmt: skip
from .learner import (
    ALL as ALL, BONUS as BONUS, LATEST as LATEST, LOGISTIC as LOGISTIC, UNUSED as UNUSED,
    Calibration as Calibration, Delta as Delta, Loss as Loss, Oracle as Oracle, fits as fits,
    new_learner as new_learner, predict as predict, rounds_before as rounds_before,
    users_shown as users_shown,
)  # fmt: skip
from .moments import eliminate as eliminate, measure as measure

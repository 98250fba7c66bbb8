"""The names that authors of algorithms import. Functions that only one family of algorithms needs
are in ``dpbandits.parts``.

An algorithm is one function ``name(game, rng, *parameters)`` in a file of the same name. The
function plays ``game`` until no rounds are left, draws its noise from ``rng`` and returns nothing;
a stopping rule returns its answer. The function observes rewards only through the functions that
play the game, such as ``pull``. The function receives its parameters as floats, and names its
variables by the letters of its paper. Annotations state which values a parameter may have,
``REWARDS`` states the assumption on the rewards, and ``GUARANTEE`` states the privacy guarantee.

``@kernel`` compiles the function. A kernel can call the functions of this module, ``math``, NumPy,
and functions decorated with ``@inlined`` or ``@shared``. A function with ``@inlined`` is inlined
into its callers and must not create arrays. A function with ``@shared`` is compiled once for all
callers. Without ``@kernel``, an algorithm runs as plain Python and returns the same numbers.

Example::

    import numpy as np

    from dpbandits.authoring import (
        UNIT_INTERVAL, Budget, Positive, arms, global_dp, kernel, laplace_mean, one_release,
        pull_sum, rounds_left, until_horizon,
    )

    REWARDS = UNIT_INTERVAL
    GUARANTEE = global_dp("each reward enters one Laplace mean", alignment=one_release)

    @kernel
    def greedy(game, rng, eps: Budget, m: Positive):
        mean = np.zeros(arms(game))
        for a in range(arms(game)):
            n = until_horizon(game, m)
            if n > 0:
                mean[a] = laplace_mean(rng, pull_sum(game, a, n), n, eps)
        pull_sum(game, np.argmax(mean), rounds_left(game))
"""

from __future__ import annotations

# compilation
from .compiled import (
    kernel as kernel, inlined as inlined, inlined_counted as inlined_counted, shared as shared,
    unlikely as unlikely,
)  # fmt: skip

# the state of the game
from .game import (
    arms as arms, rounds_played as rounds_played, rounds_left as rounds_left, room_for as room_for,
    until_horizon as until_horizon, pulls as pulls,
)  # fmt: skip

# playing one round
from .game import pull as pull

# the features of arms; contexts, and playing one round with them
from .game import features as features
from .contextual_game import (
    contexts as contexts, ensure_contexts as ensure_contexts, dimension as dimension, play as play,
)  # fmt: skip

# playing blocks of rounds drawn from their exact law; ``skip_rounds`` draws no rewards
from .game import (
    pull_sum as pull_sum, pull_truncated_sum as pull_truncated_sum, pull_counts as pull_counts,
    pull_in_turn as pull_in_turn, pull_truncated_in_turn as pull_truncated_in_turn,
    skip_rounds as skip_rounds,
)  # fmt: skip

# blocks of rounds in which users encode rewards as integers, or in which outliers replace reports;
# one round of a user with a local randomizer, and the report that the server receives
from .game import (
    pull_encoded_in_turn as pull_encoded_in_turn, pull_reports_in_turn as pull_reports_in_turn,
    pull_held_within as pull_held_within, receive as receive,
)  # fmt: skip

# users with individual privacy levels
from .game import (
    users_alike as users_alike, next_user as next_user, privacy_level as privacy_level,
    tanh_half_level as tanh_half_level, coth_half_level as coth_half_level,
)  # fmt: skip

# transformations of a reward
from .environments.blocks import truncate as truncate
from .environments.laws import sigmoid as sigmoid

# random numbers: these functions return the same bits as the generator's own methods, and are
# faster in compiled code
from .compiled import (
    random as random, exponential as exponential, normal as normal, gamma as gamma, beta as beta,
    student as student, binomial as binomial, poisson as poisson,
)  # fmt: skip
from .parts.schedules.batches import random_arm as random_arm

# Laplace and Gaussian noise, and the tree mechanism for prefix sums
from .parts.noise.mechanisms import (
    laplace as laplace, laplace_scale as laplace_scale, laplace_mean as laplace_mean,
    gaussian as gaussian,
)  # fmt: skip
from .parts.counting.trees import (
    new_trees as new_trees, tree_levels as tree_levels, tree_node_scale as tree_node_scale,
)  # fmt: skip
from .parts.counting.counters import BINARY as BINARY, LITERAL as LITERAL

# confidence radii, private means, successive elimination
from .parts.indices.radii import hoeffding as hoeffding, laplace_tail as laplace_tail
from .parts.means.estimators import private_mean as private_mean
from .parts.schedules.elimination import all_arms as all_arms, viable as viable

# the loop that plays the arm of largest index in every round, and powers of pull counts
from .parts.indices.optimism import optimism as optimism
from .parts.indices.powers import new_powers as new_powers, power_of_count as power_of_count

# the arm with the largest draw, if one value is drawn from the posterior of each arm
from .parts.means.largest_draw import new_race as new_race, largest_draw as largest_draw

# ridge regression
from .parts.linear.ridge import (
    new_ridge as new_ridge, add_round as add_round, confidence_width as confidence_width,
    optimistic as optimistic,
)  # fmt: skip

# types of parameters: the annotations of the signature, beside ``Literal`` of Python
from .contracts.parameters import (
    Budget as Budget, Positive as Positive, NotNegative as NotNegative, AboveOne as AboveOne,
    Probability as Probability, Confidence as Confidence, Fraction as Fraction, Range as Range,
    Order as Order, MomentBound as MomentBound, MomentOrder as MomentOrder, Interval as Interval,
    Count as Count, Named as Named, POSITIVE as POSITIVE, below as below,
    PositiveOrMinimax as PositiveOrMinimax, ShareOrMinimax as ShareOrMinimax, NUMBER as NUMBER,
)  # fmt: skip

# assumptions on the rewards: the value of ``REWARDS``
from .contracts.assumptions import (
    Assumption as Assumption, Bounded as Bounded, UNIT_INTERVAL as UNIT_INTERVAL,
    WITHIN_R as WITHIN_R,
    HeavyTails as HeavyTails, RawMoments as RawMoments, CentralMoments as CentralMoments,
    LINEAR as LINEAR, CONTEXTUAL as CONTEXTUAL, BOUNDED_LINEAR as BOUNDED_LINEAR,
    BOUNDED_CONTEXTUAL as BOUNDED_CONTEXTUAL, LABELLED as LABELLED,
)  # fmt: skip

# privacy guarantees: the value of ``GUARANTEE``
from .contracts.guarantees import (
    Guarantee as Guarantee, global_dp as global_dp, gaussian_zcdp as gaussian_zcdp,
    gaussian_rdp as gaussian_rdp, skellam_rdp as skellam_rdp, local_dp as local_dp,
    joint_dp as joint_dp, limited_proof as limited_proof, message_dp as message_dp,
    silo_dp as silo_dp, oracle_dp as oracle_dp,
    gaussian_dp as gaussian_dp, shuffle_dp as shuffle_dp, Approximate as Approximate,
    NOT_PRIVATE as NOT_PRIVATE, STOPPING as STOPPING, STOPPING_AND_ANSWER as STOPPING_AND_ANSWER,
    SUMS as SUMS,
)  # fmt: skip
from .contracts.gaussian_dp import mu_for as mu_for

# alignments: how noise shifts when a reward changes, an argument of the guarantee
from .contracts.alignments import (
    Alignment as Alignment, one_release as one_release, releases as releases, one_bit as one_bit,
    nodes as nodes, counter_nodes as counter_nodes, hybrid_counter as hybrid_counter,
    sparse_vector as sparse_vector, integer_release as integer_release,
    vector_release as vector_release, matrix_nodes as matrix_nodes, user_message as user_message,
)  # fmt: skip

# what a stopping rule answers besides the mean of an arm: the value of ``QUESTION``
from .contracts.question import BEST_ARM as BEST_ARM, HYPOTHESES as HYPOTHESES

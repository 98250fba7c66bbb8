"""Everything that the author of an algorithm imports.

An algorithm is one function ``name(game, rng, *parameters)`` in a file of the same name. It plays
``game`` until no rounds are left, draws its noise from ``rng`` and returns nothing; a stopping rule
returns its answer. It observes rewards only through the verbs of the game, its parameters arrive as
floats, and it uses the letters of its paper. Annotations state which values a parameter may take,
``REWARDS`` what is assumed of the rewards, and ``GUARANTEE`` what is private.

``@kernel`` compiles the function. A kernel can call the functions of this module, ``math``, NumPy
and functions decorated with ``@inlined`` (inlined; it must not create arrays) or ``@shared``
(compiled once and shared). The same function without ``@kernel`` runs as plain Python and returns
the same numbers.

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

from .compiled import (
    beta, binomial, exponential, gamma, inlined, inlined_counted, kernel, normal, poisson, random,
    shared, shared_rare, student, unlikely,
)  # fmt: skip
from .contracts.alignments import (
    Alignment, counter_nodes, hybrid_counter, integer_release, matrix_nodes, nodes, one_bit,
    one_release, releases, sparse_vector, user_message, vector_release,
)  # fmt: skip
from .contracts.assumptions import (
    BOUNDED_CONTEXTUAL, BOUNDED_LINEAR, CONTEXTUAL, LINEAR, UNIT_INTERVAL, WITHIN_R, Assumption,
    Bounded, CentralMoments, Contaminated, HeavyTails, LinearRewards, RawMoments, WithinR,
)  # fmt: skip
from .contracts.gaussian_dp import delta_of_noise, mu_for
from .contracts.guarantees import (
    ACTIONS, NOT_PRIVATE, STOPPING, STOPPING_AND_ANSWER, SUMS, Guarantee, gaussian_rdp,
    gaussian_zcdp, global_dp, joint_dp, limited_proof, local_dp, message_dp, skellam_rdp,
)  # fmt: skip
from .contracts.parameters import (
    POSITIVE, AboveOne, Budget, Confidence, Fraction, Interval, MomentBound, MomentOrder, Named,
    NotNegative, Order, Positive, Probability, Range, below,
)  # fmt: skip
from .contracts.question import BEST_ARM, HYPOTHESES
from .contextual_game import contexts, dimension, ensure_contexts, play
from .environments.blocks import truncate
from .environments.laws import sigmoid
from .game import (
    arms, coth_half_level, features, next_user, privacy_level, pull, pull_counts,
    pull_encoded_in_turn, pull_held_within, pull_in_turn, pull_reports_in_turn, pull_sum,
    pull_truncated_in_turn, pull_truncated_sum, pulls, receive, room_for, rounds_left,
    rounds_played, skip_rounds, tanh_half_level, until_horizon, users_alike,
)  # fmt: skip
from .parts.noise.discrete_noise import (
    discrete_laplace, granularity, modular_sum, most_noise, skellam,
)  # fmt: skip
from .parts.linear.design import (
    TOLERANCE, Design, least_squares, optimal_design, play_design, values_of,
)  # fmt: skip
from .parts.linear.greedy import descend, greedy, inner_product, solve_shifted
from .parts.linear.matrices import smallest_eigenvalue
from .parts.linear.noise import add_noise, chi_square_tail, release_sums
from .parts.linear.noisy_matrices import (
    MatrixTree, add_row, estimate_noisy, levels_of, new_matrix_tree, new_noisy_estimate,
    optimistic_by_squares, optimistic_noisy, receive_message,
)  # fmt: skip
from .parts.linear.ridge import (
    Estimate, Ridge, add_round, confidence_width, estimate, latest_estimate, new_estimate,
    new_ridge, optimistic, solve,
)  # fmt: skip
from .parts.linear.spectra import Shifted, gaussian_nodes, wishart_nodes
from .parts.noise.local_randomizers import (
    convert_to_bernoulli, convert_to_bernoulli_of_sigmoid, convert_to_laplace, convert_to_sign,
    largest_sign, send_bit, send_bit_of_sigmoid, send_sigmoid, send_sign, send_truncated, unbiased,
)  # fmt: skip
from .parts.noise.mechanisms import (
    gaussian, gaussian_mean, laplace, laplace_mean, laplace_scale, laplace_sum,
)  # fmt: skip
from .parts.noise.sphere import send_direction, sphere_radius
from .parts.counting.counters import (
    BINARY, CALIBRATED, LITERAL, Counters, counter_noise, new_counters, noise_bonus,
)  # fmt: skip
from .parts.counting.hybrid_counters import count_reward, counted_mean, new_hybrid_counters
from .parts.counting.trees import new_trees, tree_levels, tree_node_scale, tree_noise
from .parts.indices.counted_optimism import dp_ucb_with_counters, dpr_ucb_with_counters
from .parts.indices.kl_argmax import kl_leader, kl_leads, new_reach
from .parts.indices.optimism import exhaustive_optimism, optimism
from .parts.indices.powers import Powers, new_powers, power_of_count, power_of_log
from .parts.indices.private_divergence import private_divergence, private_upper
from .parts.indices.radii import (
    bernoulli_kl, central_moment_bound, gaussian_hoeffding, hoeffding, kl_upper, laplace_tail,
    logarithm, raw_moment_bound, robust_order,
)  # fmt: skip
from .parts.indices.steady import steady_optimism
from .parts.schedules.batches import (
    forced_batches, play_out, pull_random_arms, random_arm, rounds_without_order,
)  # fmt: skip
from .parts.schedules.buffers import fill_buffer, first_buffers, room_in_buffer
from .parts.schedules.elimination import all_arms, viable
from .parts.schedules.episodes import (
    Episodes, first_episodes, first_gaussian_episodes, play_episode, play_gaussian_episode,
)  # fmt: skip
from .parts.schedules.phases import Phases, first_phases, play_phase
from .parts.means.estimators import (
    CENTRAL_LIMIT, LARGEST_REACH, RAW_LIMIT, bin_width, bins, private_mean, private_mode,
    truncation_level,
)  # fmt: skip
from .parts.means.expiry import forget, new_heap, remember
from .parts.means.largest_draw import largest_draw, new_race
from .parts.means.posteriors import draw_mean
from .parts.identification.top_two import CODED, EMPIRICAL, PROVED, is_convincing, top_two
from .parts.identification.top_two_rounds import top_two_each_round

__all__ = [  # noqa: RUF022  grouped by purpose
    # compilation
    "kernel", "inlined", "inlined_counted", "shared", "shared_rare", "unlikely",
    # the state of the game
    "arms", "rounds_played", "rounds_left", "room_for", "until_horizon", "pulls",
    "rounds_without_order",
    # playing one round
    "pull",
    # the features of arms; contexts, and playing one round with them
    "features", "contexts", "ensure_contexts", "dimension", "play",
    # playing blocks of rounds drawn from their exact law; ``skip_rounds`` draws no rewards
    "pull_sum", "pull_truncated_sum", "pull_counts",
    "pull_in_turn", "pull_truncated_in_turn", "skip_rounds",
    # blocks whose rewards users encode as integers, or whose reports outliers replace; one round of
    # a user with a local randomizer, and what arrives of the report
    "pull_encoded_in_turn", "pull_reports_in_turn", "pull_held_within", "receive",
    # users with individual privacy levels
    "users_alike", "next_user", "privacy_level", "tanh_half_level", "coth_half_level",
    # random numbers, as those of the generator's own methods but compiled faster
    "random", "exponential", "normal", "gamma", "beta", "student", "binomial", "poisson",
    # Laplace and Gaussian noise, and the tree mechanism for prefix sums
    "laplace", "laplace_scale", "laplace_mean", "laplace_sum", "gaussian", "gaussian_mean",
    "new_trees", "tree_levels", "tree_node_scale", "tree_noise",
    # integer noise, and sums modulo an integer, of which alone a server learns
    "discrete_laplace", "skellam", "granularity", "most_noise", "modular_sum",
    # counters: the tree mechanism with a choice of trees, and bonuses for their noise
    "Counters", "new_counters", "counter_noise", "noise_bonus",
    "dp_ucb_with_counters", "dpr_ucb_with_counters",
    "BINARY", "LITERAL", "CALIBRATED",
    # local randomizers: what a user sends instead of a reward
    "convert_to_laplace", "send_sigmoid", "send_truncated",
    "send_sign", "convert_to_sign", "largest_sign",
    "convert_to_bernoulli", "convert_to_bernoulli_of_sigmoid",
    "send_bit", "send_bit_of_sigmoid", "unbiased",
    # confidence radii and indices
    "hoeffding", "laplace_tail", "gaussian_hoeffding", "bernoulli_kl", "kl_upper", "logarithm",
    "private_divergence", "private_upper",
    "robust_order", "raw_moment_bound", "central_moment_bound",
    # private means of heavy-tailed or contaminated rewards, and transformations of a reward
    "private_mean", "private_mode", "truncation_level", "bin_width", "bins",
    "RAW_LIMIT", "CENTRAL_LIMIT", "LARGEST_REACH", "truncate", "sigmoid",
    # successive elimination
    "all_arms", "viable",
    # sampling: doubling episodes (AdaP, AdaC), phases without forgetting (DP-KLUCB), and doubling
    # batches (PRAE)
    "Episodes", "first_episodes", "play_episode",
    "first_gaussian_episodes", "play_gaussian_episode", "Phases", "first_phases", "play_phase",
    "forced_batches", "play_out", "random_arm", "pull_random_arms",
    # private means of doubling buffers, and of all rewards of an arm; draws from posteriors
    "first_buffers", "room_in_buffer", "fill_buffer",
    "new_hybrid_counters", "count_reward", "counted_mean", "draw_mean",
    "new_race", "largest_draw",
    # rewards that count until a certain round
    "new_heap", "remember", "forget",
    # blocks of rounds in which one arm has the largest KL index
    "new_reach", "kl_leader", "kl_leads",
    # the best arm: doubling phases (AdaP-TT), or a look at the means in every round
    "top_two", "top_two_each_round", "is_convincing", "CODED", "PROVED", "EMPIRICAL",
    # the loop that plays the arm of largest index in every round, and powers of pull counts and of
    # the round's logarithm
    "optimism", "exhaustive_optimism", "steady_optimism", "Powers", "new_powers",
    "power_of_count", "power_of_log",
    # linear rewards: optimal designs, ridge regression, and noise for vectors
    "Design", "optimal_design", "TOLERANCE", "play_design", "least_squares", "values_of",
    "Ridge", "new_ridge", "add_round", "Estimate", "new_estimate", "latest_estimate", "estimate",
    "solve", "confidence_width", "optimistic", "smallest_eigenvalue", "add_noise", "release_sums",
    "chi_square_tail",
    # private contexts: noisy sums of rows [x; r], and what is known of their noise
    "MatrixTree", "new_matrix_tree", "levels_of", "add_row", "receive_message",
    "new_noisy_estimate", "estimate_noisy", "optimistic_noisy",
    "optimistic_by_squares",
    "Shifted", "gaussian_nodes", "wishart_nodes", "delta_of_noise", "mu_for",
    # greedy play by private gradients
    "greedy", "inner_product", "sphere_radius", "send_direction", "descend",
    "solve_shifted",
    # types of parameters: the annotations of the signature, beside ``Literal`` of Python
    "Budget", "Positive", "NotNegative", "AboveOne", "Probability", "Confidence", "Fraction",
    "Range", "Order", "MomentBound", "MomentOrder", "Interval", "Named", "POSITIVE", "below",
    # assumptions on the rewards: the value of ``REWARDS``
    "Assumption", "Bounded", "UNIT_INTERVAL", "WithinR", "WITHIN_R",
    "HeavyTails", "Contaminated", "RawMoments", "CentralMoments",
    "LinearRewards", "LINEAR", "CONTEXTUAL", "BOUNDED_LINEAR", "BOUNDED_CONTEXTUAL",
    # privacy guarantees: the value of ``GUARANTEE``
    "Guarantee", "global_dp", "gaussian_zcdp", "gaussian_rdp", "skellam_rdp", "local_dp",
    "joint_dp", "limited_proof", "message_dp", "NOT_PRIVATE",
    # alignments: how noise shifts when a reward changes, an argument of the guarantee
    "Alignment", "one_release", "releases", "one_bit", "nodes", "counter_nodes", "hybrid_counter",
    "sparse_vector", "integer_release", "vector_release", "matrix_nodes", "user_message",
    "ACTIONS", "STOPPING", "STOPPING_AND_ANSWER", "SUMS",
    # what a stopping rule answers besides the mean of an arm: the value of ``QUESTION``
    "BEST_ARM", "HYPOTHESES",
]  # fmt: skip

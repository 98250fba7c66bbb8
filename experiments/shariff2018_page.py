"""Measure how loose the bounds of Private LinUCB are: python experiments/shariff2018_page.py
[RESULTS].

The tree of matrices releases sums over rounds with random contexts. In each round, three quantities
are compared with their bounds: the eigenvalues of the shifted noise, the noise of the vector u, and
the distance between theta and its estimate. The table is written to RESULTS/shariff2018_page.md.
"""

import math

import numpy as np
from pages import page_of_folder, table

from dpbandits.authoring import kernel, shared
from dpbandits.parts.linear.noisy_matrices import add_row, levels_of, new_matrix_tree
from dpbandits.parts.linear.spectra import gaussian_nodes, wishart_nodes

T, RUNS, ALPHA, DELTA = 255, 400, 0.05, 1e-3  # the prefix of T = 255 rounds has the most nodes
THETA = np.array([0.8, -0.4, 0.4])
NOISES = ("gaussian, printed", "gaussian, exact", "wishart")
BUDGETS = (1.0, 100.0)
HEAD = [
    "noise", "eps", "runs in which a bound fails", "smallest eigenvalue / rho_min",
    "largest eigenvalue / rho_max", "largest length of h / gamma",
    "largest distance of theta / beta",
]  # fmt: skip


@shared
def release(rng, X, r, m, s, k, out):
    """Fill ``out`` with the noisy sums of all prefixes of the rounds."""
    tree = new_matrix_tree(rng, X.shape[1] + 1, m, k)
    for t in range(len(X)):
        add_row(rng, tree, X, t, r[t], s, k)
        for p in range(len(tree.prefix)):
            for q in range(p + 1):
                out[t, p, q] = out[t, q, p] = tree.prefix[p, q]


@kernel
def releases(rng, X, r, m, s, k, out):
    for run in range(len(out)):
        release(rng, X[run], r[run], m, s, k, out[run])


def facts(noise, eps, runs=RUNS, seed=0):
    """Return the ratios of four quantities (see HEAD) to their bounds: for each run, the worst
    ratio over its rounds, float array (4, runs).
    """
    rng, d, m = np.random.default_rng(seed), len(THETA), levels_of(T)
    if noise == "wishart":
        H = wishart_nodes(eps, DELTA, m, d, T, ALPHA)
    else:
        H = gaussian_nodes(eps, DELTA, m, d, T, ALPHA, float(noise.endswith("exact")))
    X = rng.standard_normal((runs, T, d))
    X /= np.maximum(np.linalg.norm(X, axis=2, keepdims=True), 1.0)
    r = np.where(rng.random((runs, T)) < (1.0 + X @ THETA) / 2.0, 1.0, -1.0)
    out = np.zeros((runs, T, d + 1, d + 1))
    releases(rng, X, r, m, H.s, H.k, out)
    z = np.concatenate([X, r[:, :, None]], axis=2)
    N = out - np.cumsum(z[..., None] * z[..., None, :], axis=1)
    shifted = N[:, :, :d, :d] + H.shift * np.eye(d)
    eigenvalues = np.linalg.eigvalsh(shifted)
    h = N[:, :, :d, d]
    of_u = np.sqrt(np.einsum("rti,rti->rt", h, np.linalg.solve(shifted, h[..., None])[..., 0]))
    V = out[:, :, :d, :d] + H.shift * np.eye(d)
    error = np.linalg.solve(V, out[:, :, :d, d:])[..., 0] - THETA
    beta = np.sqrt(2.0 * math.log(2.0 / ALPHA) + np.linalg.slogdet(V)[1] - d * math.log(H.low))
    beta += math.sqrt(H.high) + H.gamma
    distance = np.sqrt(np.einsum("rti,rtij,rtj->rt", error, V, error))
    return np.array([
        eigenvalues[..., 0].min(axis=1) / H.low, eigenvalues[..., -1].max(axis=1) / H.high,
        of_u.max(axis=1) / H.gamma, (distance / beta).max(axis=1),
    ])  # fmt: skip


def failures(found):
    """Return in which runs a bound fails, bool array (runs,)."""
    return (found[0] < 1.0) | (found[1:] > 1.0).any(axis=0)


def row(noise, eps):
    found = facts(noise, eps)
    shown = [found[0].min(), *found[1:].max(axis=1)]
    failed = f"{failures(found).sum()} of {RUNS}"
    return [noise, f"{eps:g}", failed, *(f"{x:.3f}" for x in shown)]


def page(results):
    rows = [row(noise, eps) for noise in NOISES for eps in BUDGETS]
    note = (
        f"d = {len(THETA)}, T = {T}, alpha = {ALPHA}, delta = {DELTA}; at worst over {RUNS} runs."
    )
    return f"# How loose the bounds of Private LinUCB are\n\n{note}\n\n{table(rows, HEAD)}"


if __name__ == "__main__":
    page_of_folder("shariff2018_page", page)

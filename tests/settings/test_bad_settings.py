"""Settings that cannot be run are refused with a message that names the key and what is allowed.

The lines are resolved without composing a configuration, see ``refusals.request_of``.
"""

import pytest
from refusals import bad, message_of, request_of, table

from dpbandits.contracts.question import REGRET, STOPPING

BOTH_TABLES = "env=table env.rewards=[[1,0],[0,1]]"

# KEY=VALUE words, and parts of the message: the key and value as given, and what is allowed
KEYS_OF_BOTH = [
    *bad("eps", "above 0", "0", "-1", "nan", "strong", "true", "0x10"),
    ("eps=1e-400", "eps=0.0:", "above 0"),
    ("'sweep={eps:[0.30000000000000004,0.3]}'", "eps=[0.30000000000000004,0.3]", "shown as 0.3"),
    ("eps=-1e400", "eps=-1e400:", "larger than any float"),
    ("'eps=\"\"'", "eps=:", "above 0"),
    ("'eps={a:{b:[1,2]}}'", "eps={a:{b:[1,2]}}:", "above 0"),
    (f"eps={'x' * 50_000}", "eps=xxx", " ... ", "above 0"),
    *bad("runs", "at least 1", "0", "-3"),
    ("runs=2.5", "runs=2.5:", "whole number"),
    ("runs=1e8", "runs=100000000.0:", "at most 10000000"),
    ("seed=-1", "seed=-1:", "at least 0"),
    ("seed=1.5", "seed=1.5:", "whole number"),
    ("seed=1e30", "seed=1e30:", "at most"),
    ("jobs=0", "jobs=0:", "-1"),
    *bad("jobs", "whole number", "1.5", "true"),
    *bad("backend", "auto, threads or processes", "foo", "[threads]"),
    *bad("results", "folder", "[a]", ""),
    ("results=/dev/null/x", "results=/dev/null/x:", "writable folder"),
    (f"results={'x' * 5000}", "results=xxx", "path of a folder", "File name too long"),
    ("env=bernouli_c2", "env", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    ("foo=1", "'foo'", "eps"),
    ("experiment=azize2022_fig44", "'azize2022_fig44'", "did you mean azize2022_fig4?"),
    (f"experiment={'x' * 5000}", "experiment", "xxx", "azize2022_fig2"),
    ("env=bernoulli env.means=[1.5,0.5]", "env.means=[1.5,0.5]:", "[0, 1]"),
]

KEYS = [
    ("env=contaminated", "env=contaminated:", "outliers"),
    ("algo=ucb eps=0.5", "eps=0.5:", "ucb", "not private"),
    *bad("horizon", "at least 1", "0", "-1"),
    *bad("horizon", "whole number", "1.5", "0.5", "long", "inf"),
    ("horizon=1e30", "horizon=1e30:", "at most"),
    (f"horizon=1{'0' * 400}", "horizon=1000", "at least 1"),
    (f"horizon=1{'0' * 5000}", "horizon=1000", "4300 digits"),
    ("checkpoints=0", "checkpoints=0:", "at least 1"),
    ("checkpoints=200000", "checkpoints=200000:", "at most 100000"),
    ("shuffle_arms=3", "shuffle_arms=3:", "true or false"),
    *bad("assume", "true or false", "maybe", "1"),
    ("horizn=5", "'horizn'", "did you mean horizon?"),
    ("algo=UCB", "unknown algo 'UCB': did you mean ucb?"),
    ("algo=adap_klucbb", "algo", "'adap_klucbb'", "did you mean adap_klucb?"),
    ("algo=zzz", "algo", "'zzz'", "adap_klucb, adap_ucb, adar_ucb, anytime_lazy_ucb, ctl_"),
    ("algo=3", "algo", "3", "adap_klucb"),
    (f"algo={'x' * 5000}", "algo", "xxx", "adap_klucb"),
    ("algo.alfa=2", "'alfa'", "did you mean alpha?"),
    ("algo=ucb algo.alpha=1", "alpha=1: ucb takes no alpha; dp_imed"),
]
KEYS_OF_STOPPING = [
    *bad("rel_error", "(0, 1)", "0", "1", "-1", "nan", "small"),
    *bad("beta", "(0, 1)", "0", "1", "-1", "nan", "small"),
    ("beta=1/horizon", "beta=1/horizon:", "(0, 1)"),
    *bad("R", "a number in (0, 1e+100]", "0", "-1", "inf", "nan", "wide"),
    *bad("cap", "at least 1", "0", "-5", "1.5", "inf", "far", "1e17"),
    ("rule=nas eps=1", "eps=1:", "nas", "not private"),
    ("rule=dp_naz", "rule", "'dp_naz'", "did you mean dp_nas?"),
    ("rule=zzz", "rule", "'zzz'", "dp_nas, dp_nas_exp, dp_se_bai"),
    ("rule.foo=1", "'foo'"),
    ("env=sgin", "env", "'sgin'", "did you mean sign?"),
    ("env.mean=2", "env.mean=2:", "from -1 to 1"),
    ("env.mean=nan", "env.mean=nan:", "finite number"),
    ("env.mean=[.1,.2]", "env.mean=[0.1,0.2]:", "number"),
    ("env.scale=0", "env.scale=0:", "above 0"),
    ("env.scale=2", "env=sign:", "[-2, 2]", "dp_nas_exp", "[-1, 1]", "R=2.0 covers them"),
    ("arm=1", "arm=1:", "env=sign has one arm"),
    ("arm=-1", "arm=-1:", "at least 0"),
    *bad("arm", "whole number", "0.5", "first"),
    ("env=bernoulli arm=2", "arm=2:", "2 arms, from arm=0 to arm=1"),
    ("env=ren_gaussian", "env=ren_gaussian:", "[-inf, inf]", "dp_nas_exp"),
    ("env=contaminated", "env=contaminated:", "outliers", "assumes none"),
    (f"{BOTH_TABLES} cap=100", "cap=100:", "2 rounds"),
    ("env=table env.rewards=[[1,-3],[0,1]] arm=1 cap=2", "env=table:", "[-3, 1]", "R=3.0"),
    ("horizon=100", "'horizon'", "arm, backend, beta, cap"),
    ("algo=ucb", "'algo'"),
]

ENVIRONMENTS = [
    ("env=bernoulli env.means=[.9]", "env=bernoulli:", "two arms"),
    ("env=bernoulli env.means=[-0.1,0.5]", "env.means=[-0.1,0.5]:", "[0, 1]"),
    ("env=bernoulli env.means=[nan,0.5]", "env.means", "nan", "finite number"),
    *bad("env=bernoulli env.means", "list of numbers", "[]", "high", "0.5"),
    ("env=bernoulli env.means=[high,0.5]", "env.means", "high", "finite number"),
    ("env.arms=1", "env.arms=1:", "at least 2 and at most 10000"),
    ("env.arms=2.5", "env.arms=2.5:", "whole number"),
    ("env.arms=many", "env.arms=many:", "number"),
    ("env.family=c9", "env.family", "c9", "c4"),
    ("env.family=[c1]", "env.family", "[c1]", "c1"),
    ("env.law=[table]", "env.law", "[table]", "table"),
    ("env=twopoint_heavy", "env=twopoint_heavy:", "adap_klucb", "[0, 1]"),
    *bad("env=twopoint_heavy env.v", "(0, 1]", "0", "2"),
    ("env=twopoint_heavy env.g=2", "env.g=2:", "(0, 1]", "0.9"),
    ("env=twopoint_heavy env.g=0", "env.g=0:", "(0, 1]"),
    ("env=twopoint_heavy env.means=[1e300,1]", "env.means"),
    ("env=table", "env.rewards:", "[[...],[...]]", "file=PATH.csv"),
    ("env=table env.rewards=[[1,0],[0]]", "env.rewards", "one number per arm"),
    ("env=table env.rewards=[[1,0],[0,x]]", "env.rewards", "one number per arm"),
    ("env=table env.rewards=[[1,0],[0,nan]]", "env.rewards", "finite number"),
    ("env=table env.rewards=[[1,0],[0,3]]", "env=table:", "[0, 3]", "[0, 1]"),
    ("env=table env.rewards=[[1],[0]]", "env.rewards", "two arms"),
    ("env=table env.file=missing.csv", "env.file=missing.csv:", "no such file"),
    (f"{BOTH_TABLES} env.file=a.csv", "env.rewards:", "either"),
    (f"{BOTH_TABLES} horizon=3", "horizon=3:", "2 rounds"),
    ("env=sign", "env=sign:", "two arms"),
    *bad("env=table env.file", "not a CSV of numbers", "/dev/null", "."),
    *bad("env=table env.file", "no such file", "[a]", "5"),
    ("env=table env.file=/dev/zero", "env.file=/dev/zero:", "not a device"),
    ("env=table 'env.rewards={a:1}'", "env.rewards:", "list of rounds"),
    ("env=ren_mixed 'env.arms=[{law: bernoulli, mean: 3}]'", "env.arms.0.mean=3:", "[0, 1]"),
    ("env=ren_mixed 'env.arms=[{law: beta}]'", "env.arms.0.a is missing", "beta"),
    ("env=ren_mixed 'env.arms=[{law: coin}]'", "env.arms.0.law=coin:", "bernoulli"),
    ("env=ren_mixed 'env.arms=[{law: beta, a: 1, b: 1, copies: 1e9}]'", "arms.0.copies=", "10000"),
    ("env.armz=3", "env.armz:", "bernoulli_family", "did you mean arms?"),
    ("env=bernoulli env.mean=[0.5,0.6]", "env.mean:", "bernoulli", "did you mean means?"),
    ("env=[ucb]", "'ucb'", "bernoulli"),
]
PARAMETERS = [
    *bad("algo.alpha", "above 0", "0", "-1"),
    *bad("algo.alpha", "finite", "inf", "nan"),
    ("algo=dp_klucb algo.alpha=1", "algo.alpha=1:", "above 1"),
    ("algo=dp_imed algo.alpha=inf", "algo.alpha=inf:", "finite"),
    ("algo=dp_imed algo.first=-1", "algo.first=-1:", "at least 0"),
    *bad("algo=dp_ucb algo.gamma", "(0, 1]", "0", "2"),
    ("algo=dp_ucb algo.tree_budget=half", "algo.tree_budget=half:", "whole or split"),
    *bad("algo=dp_se algo.beta", "(0, 1]", "0", "1.5"),
]
HEAVY_TAILS = [
    *bad("algo=dpr_se env=pareto algo.v", "(0, 1]", 0, -1, 1.5, "nan"),
    *bad("algo=dpr_ucb env=pareto algo.v", "(0, 1]", 0, 1.5),
    *bad("algo=ldpr_se env=pareto algo.v", "(0, 1]", 0, 1.5),
    ("algo=robust_ucb env=pareto algo.v=2", "algo.v=2:", "(0, 1]"),
    *bad("algo=dpr_se env=pareto algo.u", ("finite number above 0", "auto"), 0, "inf", "much"),
    ("algo=dpr_se env=pareto algo.u=0.5", "env=pareto:", "arm 1 is 0.992", "u = 0.5", "assume"),
    *bad("algo=dpr_se env=pareto algo.c", ("literal or practical", "above 0"), 0, "nan"),
    *bad("algo=dpr_ucb env=pareto algo.c", ("literal or practical", "above 0"), -1),
    *bad("algo=ldpr_se env=pareto algo.c", ("literal or practical", "above 0"), "practicall"),
    ("algo=dpr_se env=pareto env.shape=1", "env.shape=1:", "above 1", "mean is infinite"),
    ("algo=dpr_se env=student env.df=1", "env.df=1:", "above 1", "mean is infinite"),
    ("algo=dpr_se env=student env.df=many", "env.df=many:", "finite number"),
    ("algo=dpr_se env=student env.scale=0", "env.scale=0:", "above 0"),
    *bad("algo=dpr_se env=lognormal env.sigma", "above 0", "0", "-1"),
    ("algo=dpr_se env=pareto env.means=[1,0]", "env.means=[1,0]:", "mean=0", "above 0"),
    ("algo=dpr_se env=lognormal env.means=[1,-1]", "env.means=[1,-1]:", "mean=-1", "above 0"),
    ("algo=dpr_se env=pareto_v05 algo.v=0.9", "algo.u=auto:", "infinite", "pareto_v05", "v=0.9"),
    ("algo=dpr_se env=pareto_v05 algo.v=0.9 algo.u=9", "pareto_v05:", "infinite", "u = 9",
     "assume"),
    ("algo=dpr_se env=student env.df=1.4 assume=true", "algo.u=auto:", "infinite", "student"),
    ("algo=prae_r env=pareto_v05", "env=pareto_v05:", "infinite", "prae_r", "at most 1"),
]  # fmt: skip
OUTLIERS = [
    *bad("algo=prae_r env=wu_raw algo.k", "at least 2", 1.9, "nan"),
    ("algo=prae_c env=wu_central algo.k=1", "algo.k=1:", "at least 2"),
    *bad("algo=prae_r env=wu_raw algo.alpha1", ("[0, 0.5)", "auto"), 0.5, "nan", "maybe"),
    *bad("algo=prae_c env=wu_central algo.alpha1", ("[0, 0.133)", "auto"), 0.133, -0.1),
    ("algo=prae_c env=wu_central env.alpha=0.2", "algo.alpha1=0.2:", "0.133", "value of auto"),
    ("algo=prae_r env=wu_raw algo.alpha1=0.01", "env=wu_raw:", "0.05", "alpha1 = 0.01", "assume"),
    ("algo=prae_c env=wu_central algo.alpha1=0.01", "env=wu_central:", "0.05", "alpha1 = 0.01"),
    ("algo=dpr_se env=contaminated", "env=contaminated:", "0.05", "assumes none", "assume=true"),
    ("algo=prae_c env=student_far algo.D=3", "algo.D=3:", "two bins", "6.325", "prae_r"),
    *bad("algo=prae_c env=student_far algo.D", "[1, 1e+06]", "0.5", "2000000", "nan"),
    ("algo=prae_c env=student_far algo.D=10", "env=student_far:", "20 from 0", "D = 10", "assume"),
    ("algo=prae_c env=student", "env=student:", "E|X - mean|^2", "is 3", "at most 1"),
    ("algo=prae_r env=wu_raw algo.constants=none", "algo.constants=none:", "unit or explicit"),
    ("algo=prae_c env=wu_central algo.constants=0", "algo.constants=0:", "unit or explicit"),
    ("algo=prae_r env=wu_raw algo.forced=never", "algo.forced=never:", "batch or round"),
    ("algo=prae_c env=wu_central algo.c1=-1", "algo.c1=-1:", "provable or a finite number above 0"),
    ("algo=prae_c env=wu_central algo.c1=provably", "algo.c1=provably:", "provable or"),
    ("algo=prae_r env=wu_raw algo.delta=0", "algo.delta=0:", "(0, 1)", "1/horizon"),
    *bad("env=contaminated env.alpha", "[0, 1/2)", 0.5, -0.1),
    *bad("env=contaminated env.alpha", "number", "much", "nan"),
    *bad("env=contaminated env.outlier", ("5 outliers", "one per arm"), "[1,2]", "[]"),
    *bad("env=contaminated env.outlier", "finite number", "far", "null"),
    ("env=contaminated 'env.outlier={law: cauchy}'", "env.outlier.law=cauchy:", "student"),
    ("env=contaminated 'env.outlier={law: unseen, k: 0}'", "env.outlier.k=0:", "at least 1"),
    ("env=contaminated 'env.outlier={law: unseen}'", "env.outlier.k", "missing"),
    ("env=contaminated 'env.outlier={law: unseen, k: 2, j: 1}'", "env.outlier.j:", "law unseen",
     "k"),
    ("env=contaminated 'env.outlier={law: gaussian, mean: 1}'", "env.outlier.sd", "missing"),
    ("env=contaminated 'env.outlier={law: student, mean: 1, scale: 1, df: 1}'", "df=1:", "above 1"),
    ("env=contaminated env.outlier=2", "env=contaminated:", "[0, 2]", "[0, 1]"),
    ("env=contaminated env.relative=maybe", "env.relative=maybe:", "true or false"),
    ("env=contaminated env.relative=true 'env.outlier={law: beta, a: 1, b: 1}'",
     "env.relative=true:", "values", "not laws"),
    ("env=contaminated env.inlier=bernoulli_c22", "'bernoulli_c22'", "did you mean bernoulli_c2?"),
    ("env=contaminated env.inlier=3", "env.inlier=3:", "another environment"),
    ("env=contaminated env.inlier=contaminated", "env.inlier=", "another environment"),
    ("env=contaminated 'env.inlier={law: cauchy}'", "env.inlier.law=cauchy:", "student"),
    ("env=contaminated env.inlier=bernoulli env.inlier.mean=[1]", "env.inlier.mean:", "means"),
    ("algo=prae_r env=wu_raw algo.k=inf", "algo.k=inf:", "finite number of at least 2"),
    *(
        (f"env=contaminated assume=true 'env.outlier={{{law}}}'", f"env.outlier.{key}", words)
        for law, key, words in (
            ("law: bernoulli, mean: 2", "mean=2:", "[0, 1]"),
            ("law: gaussian, mean: 1, sd: 0", "sd=0:", "above 0"),
            ("law: two_point, low: 0, high: 1, p: 2", "p=2:", "[0, 1]"),
            ("law: uniform, low: 1, high: 0", "low=1", "below high"),
            ("law: discrete, values: [0,1], probabilities: [1]", "probabilities=", "2 shares"),
            ("law: [unseen]", "law=[unseen]:", "bernoulli"),
        )
    ),
    ("env=contaminated env.inlier=bernoulli env.inlier.means=[2,.5]", "env.inlier.means=[2,0.5]:",
     "[0, 1]"),
]  # fmt: skip

SWEEPS = [
    *bad("sweep", "lists of values", "5", "text", "0", "false", "[]", "{}", "[{}]"),
    ("sweep=''", "sweep=:", "lists of values"),
    ("sweep=[5]", "sweep=", "5", "lists of values"),
    ("'sweep={eps:0.5}'", "sweep.eps=0.5:", "list of values"),
    ("'sweep={eps:[]}'", "sweep.eps=[]:", "list of values"),
    ("'sweep={eps:{a:[1]}}'", "sweep.eps={a:[1]}:", "list of values"),
    ("'sweep={eps:[0.5,0]}'", "eps=0:", "above 0"),
    ("'sweep={env:[bernouli_c2]}'", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    ("'sweep={env.nothing:[1]}'", "sweep.env.nothing", "no environment", "env.nothing"),
    ("'sweep={env.inlier.law:[1]}'", "sweep.env.inlier.law: no environment of the sweep has"),
    ("'sweep={env.family.x:[1]}'", "sweep.env.family.x: no environment of the sweep has"),
    ("'sweep={runs:[1]}'", "sweep.runs:", "has a parameter runs"),
    ("'sweep={seed:[1,-1]}'", "seed=-1:", "at least 0"),
]
SWEEPS_OF_REGRET = [
    ("'sweep={foo:[1]}'", "sweep.foo", "no algorithm", "foo"),
    ("'sweep={algo:[ucb],alpha:[1,2]}'", "sweep.alpha", "no algorithm"),
    ("'sweep={algo:[ucb],eps:[1,2]}'", "sweep.eps", "no algorithm"),
    ("'sweep={alpha:[1,0]}'", "algo.alpha=0:", "above 0"),
    ("'sweep={algo:[[1]]}'", "algo", "1", "adap_klucb"),
    ("'sweep=[{horizon:[0]},{algo:[ucb]}]'", "horizon=0:", "at least 1"),
]
SWEEPS_OF_STOPPING = [
    ("'sweep={rel_error:[.1,0]}'", "rel_error=0:", "(0, 1)"),
    ("'sweep={rule:[nas],eps:[1]}'", "sweep.eps", "no rule"),
]
# In calls from Python a list is a sweep
LISTS = [
    ("eps=[1,0]", "eps=0:", "above 0"),
    ("eps=[]", "eps=[]:", "at least one"),
    ("eps=[[[[]]]]", "eps=[[[]]]:", "above 0"),
    ("env=[]", "env=[]:", "at least one"),
    ("env=[bernoulli_c1,bernoulli_c22]", "'bernoulli_c22'", "did you mean bernoulli_c2?"),
]
BY_LISTS = [
    ("algo=[]", "algo=[]:", "at least one"),
    ("algo=ucb eps=[1,2]", "eps", "no algorithm"),
    ("algo.alpha=[1,0]", "algo.alpha=0:", "above 0"),
    ("runs=[1,2]", "runs=[1,2]:", "whole number"),
    ("experiment=azize2022_fig4 eps=0.5", "eps=0.5:", "azize2022_fig4 varies eps"),
    ("experiment=azize2022_fig4 algo=ucb", "algo=ucb:", "azize2022_fig4 varies algo"),
    ("experiment=azize2022_fig8 algo.alpha=2", "alpha=2:", "azize2022_fig8 varies alpha"),
]

OF_BOTH = [*KEYS_OF_BOTH, *SWEEPS, *LISTS]
OF_REGRET = [*KEYS, *ENVIRONMENTS, *PARAMETERS, *HEAVY_TAILS, *OUTLIERS]
OF_REGRET += [*SWEEPS_OF_REGRET, *BY_LISTS]
OF_STOPPING = [*KEYS_OF_STOPPING, *SWEEPS_OF_STOPPING]


@pytest.mark.parametrize(
    **table((REGRET, [*OF_BOTH, *OF_REGRET]), (STOPPING, [*OF_BOTH, *OF_STOPPING]))
)
def test_what_cannot_be_run_is_refused(question, line, parts):
    message = message_of(request_of, line, question)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("question", [REGRET, STOPPING], ids=lambda q: q.name)
def test_what_is_right_is_not_refused(question):
    """Control."""
    request = request_of("eps=.5 runs=3 seed=1 env=bernoulli 'env.means=[.9,.8]'", question)
    (setting,) = request.settings
    assert (setting.budget, request.runs, setting.seed, request.results) == (0.5, 3, 1, None)
    assert setting.record["env_spec"] == {"law": "bernoulli", "means": [0.9, 0.8]}
    assert len(request_of("eps=[.5,1] env=[sign,bernoulli]", STOPPING).settings) == 4

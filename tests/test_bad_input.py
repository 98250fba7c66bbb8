"""Bad input ends with one line that names it, exit code 2, and nothing written."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import QUICK_STOP, arguments, complaint

from dpbandits.cli import bounds, claims, plot, run, status, stop
from dpbandits.cli.plot import read
from dpbandits.figures.draw import figure_of_table

BOTH = "env=table env.rewards=[[1,0],[0,1]]"
HEADER = "algo,env,eps,horizon,seed,run,t,regret\n"
TIMES = "rule,env,arm,true_mean,eps,rel_error,beta,R,cap,seed,run,"
TIMES += "stopping_time,estimate,halted,correct"
ROW = "ucb,bernoulli_c2,inf,100,0,0,100,5\n"


# a command line, and what the complaint must say: the key and value as given, and what is allowed
VALUES = [
    ("eps=0", "eps=0:", "above 0"),
    ("eps=-1", "eps=-1:", "above 0"),
    ("eps=nan", "eps=nan:", "above 0"),
    ("eps=strong", "eps=strong:", "above 0"),
    ("eps=[1,2]", "eps=[1,2]:", "above 0"),
    ("eps=true", "eps=true:", "above 0"),
    ("algo=ucb eps=0.5", "eps=0.5:", "ucb", "not private"),
    ("algo=kl_ucb eps=1", "eps=1:", "kl_ucb", "not private"),
    ("horizon=0", "horizon=0:", "at least 1"),
    ("horizon=-1", "horizon=-1:", "at least 1"),
    ("horizon=1.5", "horizon=1.5:", "whole number"),
    ("horizon=0.5", "horizon=0.5:", "whole number"),
    ("horizon=long", "horizon=long:", "whole number"),
    ("horizon=null", "horizon=null:", "whole number"),
    ("horizon=inf", "horizon=inf:", "whole number"),
    ("horizon=1e30", "horizon=1e30:", "at most"),
    ("runs=0", "runs=0:", "at least 1"),
    ("runs=-3", "runs=-3:", "at least 1"),
    ("runs=2.5", "runs=2.5:", "whole number"),
    ("seed=-1", "seed=-1:", "at least 0"),
    ("seed=1.5", "seed=1.5:", "whole number"),
    ("jobs=0", "jobs=0:", "-1"),
    ("jobs=1.5", "jobs=1.5:", "whole number"),
    ("backend=foo", "backend=foo:", "auto, threads or processes"),
    ("backend=[threads]", "backend=[threads]:", "auto, threads or processes"),
    ("checkpoints=0", "checkpoints=0:", "at least 1"),
    ("checkpoints=200000", "checkpoints=200000:", "at most 100000"),
    ("shuffle_arms=3", "shuffle_arms=3:", "true or false"),
    ("results=null", "results=null:", "folder"),
    ("results=[a]", "results=[a]:", "folder"),
    ("results=", "results=:", "folder"),
    ("results=/dev/null/x", "results=/dev/null/x:", "writable folder"),
]
ENVIRONMENTS = [
    ("env=bernoulli env.means=[0.5]", "env.means=[0.5]", "two arms"),
    ("env=bernoulli env.means=[1.5,0.5]", "env.means=[1.5,0.5]:", "[0, 1]"),
    ("env=bernoulli env.means=[-0.1,0.5]", "env.means=[-0.1,0.5]:", "[0, 1]"),
    ("env=bernoulli env.means=[nan,0.5]", "env.means", "nan", "finite number"),
    ("env=bernoulli env.means=[]", "env.means=[]:", "list of numbers"),
    ("env=bernoulli env.means=[high,0.5]", "env.means", "high", "finite number"),
    ("env=bernoulli env.means=high", "env.means=high:", "list of numbers"),
    ("env=bernoulli env.means=0.5", "env.means=0.5:", "list of numbers"),
    ("env=bernoulli env.means={a:1}", "env.means={a:1}:"),
    ("env.arms=1", "env.arms=1:", "from 2 to 10000"),
    ("env.arms=2.5", "env.arms=2.5:", "whole number"),
    ("env.arms=many", "env.arms=many:", "number"),
    ("env.family=c9", "env.family", "c9", "c4"),
    ("env.family=[c1]", "env.family", "[c1]", "c1"),
    ("env.law=[table]", "env.law", "[table]", "table"),
    ("env=twopoint_heavy", "env=twopoint_heavy:", "adap_klucb", "[0, 1]"),
    ("env=twopoint_heavy algo=ucb", "env=twopoint_heavy:", "ucb", "[0, 1]"),
    ("env=twopoint_heavy env.v=0", "env.v=0:", "(0, 1]"),
    ("env=twopoint_heavy env.v=2", "env.v=2:", "(0, 1]"),
    ("env=twopoint_heavy env.g=2", "env.g=2:", "(0, 1]", "0.9"),
    ("env=twopoint_heavy env.g=0", "env.g=0:", "(0, 1]"),
    ("env=twopoint_heavy env.means=[1e300,1]", "env.means"),
    ("env=table", "env.rewards:", "[[...],[...]]", "file=PATH.csv"),
    ("env=table env.rewards=[[1,0],[0]]", "env.rewards", "one number per arm"),
    ("env=table env.rewards=[[1,0],[0,x]]", "env.rewards", "one number per arm"),
    ("env=table env.rewards=[[1,0],[0,nan]]", "env.rewards", "finite number"),
    ("env=table env.rewards=[[1,0],[0,3]]", "env=table:", "[0, 3]", "[0, 1]"),
    ("env=table env.rewards=5", "env.rewards", "list of rounds"),
    ("env=table env.rewards=[[1],[0]]", "env.rewards", "two arms"),
    ("env=table env.file=missing.csv", "env.file=missing.csv:", "No such file"),
    (f"{BOTH} env.file=a.csv", "env.rewards:", "either"),
    (f"{BOTH} horizon=3", "horizon=3:", "2 rounds"),
    ("env=sign", "env=sign:", "two arms"),
]
NAMES = [
    ("algo=adap_klucbb", "algo", "'adap_klucbb'", "did you mean adap_klucb?"),
    ("env=bernouli_c2", "env", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    (
        "experiment=azize2022_fig44",
        "experiment",
        "'azize2022_fig44'",
        "did you mean azize2022_fig4?",
    ),
    ("algo=zzz", "algo", "'zzz'", "adap_klucb, adap_ucb, dp_se"),
    ("algo=3", "algo", "3", "adap_klucb"),
    ("algo=null", "algo", "adap_klucb"),
    ("env=null", "env", "bernoulli"),
    ("algo=[ucb]", "algo", "[ucb]"),
    ("algo=", "algo", "''", "adap_klucb"),
    ("horizn=5", "'horizn'", "did you mean horizon?"),
    ("algo.alfa=2", "'algo.alfa'", "did you mean algo.alpha?"),
    ("env.armz=3", "'env.armz'", "did you mean env.arms?"),
    ("env=bernoulli env.mean=[0.5,0.6]", "'env.mean'", "did you mean env.means?"),
    ("+foo=1", "'foo'", "algo", "eps", "horizon"),
    ("+algo.alfa=1", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+env.armz=1", "env.armz:", "bernoulli_family", "did you mean arms?"),
    ("algo=ucb algo.alpha=1", "'algo.alpha'"),
]
PARAMETERS = [
    ("algo.alpha=0", "algo.alpha=0:", "above 0"),
    ("algo.alpha=-1", "algo.alpha=-1:", "above 0"),
    ("algo.alpha=inf", "algo.alpha=inf:", "finite"),
    ("algo.alpha=nan", "algo.alpha=nan:", "finite"),
    ("algo.alpha=[1]", "algo.alpha=[1]:", "number"),
    ("~algo.alpha", "algo.alpha", "missing"),
    ("algo=dp_ucb algo.gamma=0", "algo.gamma=0:", "(0, 1]"),
    ("algo=dp_ucb algo.gamma=2", "algo.gamma=2:", "(0, 1]"),
    ("algo=dp_ucb algo.tree_budget=half", "algo.tree_budget=half:", "whole or split"),
    ("algo=dp_se algo.beta=0", "algo.beta=0:", "(0, 1]"),
    ("algo=dp_se algo.beta=1.5", "algo.beta=1.5:", "(0, 1]"),
]
TOGETHER = [
    ("--cfg job -m", "--cfg and -m do not go together"),
    ("--info config -m", "--info and -m do not go together"),
    ("--cfg job --info all", "--cfg and --info do not go together"),
]
LINES = [
    ("eps", "eps"),
    ("eps=[", "eps=["),
    ("=3", "=3"),
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "-m"),
    ("eps=0.5,1", "eps=0.5,1", "-m"),
    ("eps=${foo}", "eps=${foo}", "foo"),
    ("--config-dir missing", "--config-dir=missing:", "no such folder"),
    ("--foo", "--foo", "--help"),
    ("--config-dir ''", "--config-dir=:", "no such folder"),
    (f"--config-dir {'x' * 5000}", "--config-dir=xxx", "too long"),
    ("--cfg foo", "--cfg", "foo", "job"),
    *TOGETHER,
    ("-p eps --cfg job", "package", "'eps'", "algo"),
    ("-p env.outlier --cfg job env=contaminated", "package", "'env.outlier'", "algo, env"),
    ("-p hydra --cfg job", "package", "'hydra'", "algo"),
    ("-p algo --cfg hydra", "package", "'algo'", "hydra"),
    ("--info foo", "--info", "foo", "all"),
    ("-m eps=1,-1", "eps=-1:", "above 0"),
    ("-m algo=adap_ucb,adap_ucbb", "'adap_ucbb'", "did you mean adap_ucb?"),
    ("-m algo=ucb,adap_ucb eps=1", "eps=1:", "ucb", "not private"),
    ("-m results=a,/dev/null/x", "results=/dev/null/x:", "writable folder"),
    ("-m eps=[", "eps=["),
    ("-m horizn=1,2", "'horizn'", "did you mean horizon?"),
]
SWEEPS = [
    ("sweep=5", "sweep=5:", "lists of values"),
    ("sweep=text", "sweep=text:", "lists of values"),
    ("sweep=[5]", "sweep=", "5", "lists of values"),
    ("'sweep={eps:0.5}'", "sweep.eps=0.5:", "list of values"),
    ("'sweep={eps:[]}'", "sweep.eps=[]:", "list of values"),
    ("'sweep={foo:[1]}'", "sweep.foo", "no algorithm", "foo"),
    ("'sweep={checkpoints:[9]}'", "sweep.checkpoints", "no algorithm"),
    ("'sweep={algo:[ucb],alpha:[1,2]}'", "sweep.alpha", "no algorithm"),
    ("'sweep={algo:[ucb],eps:[1,2]}'", "sweep.eps", "no algorithm"),
    ("'sweep={eps:[0.5,0]}'", "eps=0:", "above 0"),
    ("'sweep={alpha:[1,0]}'", "algo.alpha=0:", "above 0"),
    ("'sweep={algo:[adap_ucbb]}'", "'adap_ucbb'", "did you mean adap_ucb?"),
    ("'sweep={env:[bernouli_c2]}'", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    ("'sweep={algo:[3]}'", "algo", "3", "adap_klucb"),
    ("'sweep={algo:[[1]]}'", "algo", "1", "adap_klucb"),
    ("'sweep={eps:[0.5]}' eps=2", "eps=2:", "varies eps"),
    ("'sweep={alpha:[1]}' algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    *(
        (f"{sweep}=[1] eps=3", "eps=3:", "the sweep varies eps", "write sweep.eps=[3]")
        for sweep in ("sweep.eps", "+sweep.eps", "++sweep.eps")
    ),
    ("eps=3 sweep.eps=[1]", "eps=3:", "the sweep varies eps"),
    ("-m sweep.eps=[1] eps=3,4", "eps=3:", "the sweep varies eps"),
    ("sweep.alpha=[1] algo.alpha=3", "algo.alpha=3:", "the sweep varies alpha"),
    ("sweep.algo=[dp_se] algo=ucb", "algo=ucb:", "varies algo", "write sweep.algo=[ucb]"),
    ("sweep.env.arms=[3] env.arms=4", "env.arms=4:", "varies env.arms"),
    ("sweep.horizon=[10] horizon=5", "horizon=5:", "varies horizon"),
    ("sweep.eps=1,2", "sweep.eps=1,2:", "a list of values is needed, sweep.eps=[1,2]"),
    ("+sweep.algo=ucb,dp_se", "a list of values is needed, sweep.algo=[ucb,dp_se]"),
    ("'sweep.eps=range(1,3)'", "sweep.eps=range(1,3):", "sweep.eps=[...]"),
    ("experiment=azize2022_fig4 eps=0.5", "eps=0.5:", "varies eps", "sweep.eps=[0.5]"),
    ("experiment=azize2022_fig4 ++eps=0.5", "eps=0.5:", "varies eps", "sweep.eps=[0.5]"),
    ("experiment=azize2022_fig4 algo=ucb", "algo=ucb:", "varies algo"),
    ("experiment=azize2022_fig8 algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    ("experiment=azize2022_fig8 sweep=5", "sweep=5:", "lists of values"),
    ("experiment=azize2022_fig8 sweep.alpha=[0]", "algo.alpha=0:", "above 0"),
    ("experiment=azize2022_fig8 sweep.alfa=[1]", "'sweep.alfa'"),
]
HEAVY = [  # tails
    *(
        (f"algo=dpr_se env=pareto algo.v={v}", f"algo.v={v}:", "(0, 1]")
        for v in (0, -1, 1.5, "nan")
    ),
    *((f"algo=dpr_ucb env=pareto algo.v={v}", f"algo.v={v}:", "(0, 1]") for v in (0, 1.5)),
    *((f"algo=ldpr_se env=pareto algo.v={v}", f"algo.v={v}:", "(0, 1]") for v in (0, 1.5)),
    ("algo=robust_ucb env=pareto algo.v=2", "algo.v=2:", "(0, 1]"),
    *(
        (f"algo=dpr_se env=pareto algo.u={u}", f"algo.u={u}:", "finite number above 0", "auto")
        for u in (0, -1, "nan", "inf", "much")
    ),
    ("algo=dpr_se env=pareto algo.u=0.5", "env=pareto:", "arm 1 is 0.992", "u = 0.5", "assume"),
    *(
        (f"algo={algo} env=pareto algo.c={c}", f"algo.c={c}:", "literal or practical", "above 0")
        for algo, c in (
            ("dpr_se", 0),
            ("dpr_ucb", -1),
            ("ldpr_se", "practicall"),
            ("dpr_se", "nan"),
        )
    ),
    ("algo=robust_ucb env=pareto algo.c=1", "'algo.c'", "algo.v"),
    ("algo=robust_ucb env=pareto eps=1", "eps=1:", "robust_ucb", "not private"),
    ("algo=dpr_se env=pareto env.shape=1", "env.shape=1:", "above 1", "mean is infinite"),
    ("algo=dpr_se env=pareto env.shape=-2", "env.shape=-2:", "above 1"),
    ("algo=dpr_se env=student env.df=1", "env.df=1:", "above 1", "mean is infinite"),
    ("algo=dpr_se env=student env.df=many", "env.df=many:", "finite number"),
    ("algo=dpr_se env=student env.scale=0", "env.scale=0:", "above 0"),
    ("algo=dpr_se env=lognormal env.sigma=0", "env.sigma=0:", "above 0"),
    ("algo=dpr_se env=lognormal env.sigma=-1", "env.sigma=-1:", "above 0"),
    *(
        (f"algo=dpr_se env={env} env.means=[1,{x}]", f"env.means=[1,{x}]:", f"mean={x}", "above 0")
        for env in ("pareto", "lognormal")
        for x in (0, -1)
    ),
    ("algo=dpr_se env=pareto_v05 algo.v=0.9", "algo.u=auto:", "infinite", "pareto_v05", "v=0.9"),
    (
        "algo=dpr_se env=pareto_v05 algo.v=0.9 algo.u=9",
        "pareto_v05:",
        "infinite",
        "u = 9",
        "assume",
    ),
    ("algo=dpr_se env=student env.df=1.4 assume=true", "algo.u=auto:", "infinite", "student"),
    ("algo=prae_r env=pareto_v05", "env=pareto_v05:", "infinite", "prae_r", "at most 1"),
    ("algo=adap_ucb env=pareto assume=true", "env=pareto:", "inf]", "adap_ucb", "[0, 1]"),
    ("assume=maybe", "assume=maybe:", "true or false"),
    ("assume=1", "assume=1:", "true or false"),
    ("assume=null", "assume=null:", "true or false"),
]
ROBUST = [  # contamination
    *((f"algo=prae_r env=wu_raw algo.k={k}", f"algo.k={k}:", "at least 2") for k in (1.9, "nan")),
    ("algo=prae_c env=wu_central algo.k=1", "algo.k=1:", "at least 2"),
    *(
        (f"algo=prae_r env=wu_raw algo.alpha1={x}", f"algo.alpha1={x}:", "0 to below 0.5", "auto")
        for x in (0.5, -0.1, "nan", "maybe")
    ),
    *(
        (f"algo=prae_c env=wu_central algo.alpha1={x}", f"algo.alpha1={x}:", "below 0.133", "auto")
        for x in (0.133, -0.1)
    ),
    ("algo=prae_c env=wu_central env.alpha=0.2", "algo.alpha1=0.2:", "0.133", "wu_central makes"),
    ("algo=prae_r env=wu_raw algo.alpha1=0.01", "env=wu_raw:", "0.05", "alpha1 = 0.01", "assume"),
    ("algo=prae_c env=wu_central algo.alpha1=0.01", "env=wu_central:", "0.05", "alpha1 = 0.01"),
    ("algo=dpr_se env=contaminated", "env=contaminated:", "0.05", "assumes none", "assume=true"),
    ("algo=prae_c env=student_far algo.D=3", "algo.D=3:", "two bins", "6.325", "prae_r"),
    ("algo=prae_c env=student_far algo.D=0.5", "algo.D=0.5:", "from 1 to 1e6"),
    ("algo=prae_c env=student_far algo.D=2000000", "algo.D=2000000:", "from 1 to 1e6"),
    ("algo=prae_c env=student_far algo.D=nan", "algo.D=nan:", "from 1 to 1e6"),
    ("algo=prae_c env=student_far algo.D=10", "env=student_far:", "20 from 0", "D = 10", "assume"),
    ("algo=prae_c env=student", "env=student:", "E|X - mean|^2", "is 3", "at most 1"),
    ("algo=prae_r env=wu_raw algo.D=50", "'algo.D'", "algo.k"),
    ("algo=prae_r env=wu_raw algo.constants=none", "algo.constants=none:", "unit or explicit"),
    ("algo=prae_c env=wu_central algo.constants=0", "algo.constants=0:", "unit or explicit"),
    ("algo=prae_r env=wu_raw algo.forced=never", "algo.forced=never:", "batch or round"),
    ("algo=prae_c env=wu_central algo.c1=-1", "algo.c1=-1:", "provable or a finite number above 0"),
    ("algo=prae_c env=wu_central algo.c1=provably", "algo.c1=provably:", "provable or"),
    ("algo=prae_r env=wu_raw algo.delta=0", "algo.delta=0:", "(0, 1)", "1/horizon"),
    *(
        (f"env=contaminated env.alpha={x}", f"env.alpha={x}:", words)
        for x, words in (
            (0.5, "[0, 1/2)"),
            (-0.1, "[0, 1/2)"),
            ("much", "number"),
            ("nan", "number"),
        )
    ),
    ("env=contaminated env.outlier=[1,2]", "env.outlier=[1,2]:", "5 outliers", "one per arm"),
    ("env=contaminated env.outlier=[]", "env.outlier=[]:", "5 outliers", "one per arm"),
    ("env=contaminated env.outlier=far", "env.outlier=far:", "finite number"),
    ("env=contaminated env.outlier=null", "env.outlier=null:", "finite number"),
    ("env=contaminated 'env.outlier={law: cauchy}'", "env.outlier.law=cauchy:", "student"),
    ("env=contaminated 'env.outlier={law: unseen, k: 0}'", "env.outlier.k=0:", "at least 1"),
    ("env=contaminated 'env.outlier={law: unseen}'", "env.outlier.k", "missing"),
    (
        "env=contaminated 'env.outlier={law: unseen, k: 2, j: 1}'",
        "env.outlier.j:",
        "law unseen",
        "k",
    ),
    ("env=contaminated 'env.outlier={law: gaussian, mean: 1}'", "env.outlier.sd", "missing"),
    ("env=contaminated 'env.outlier={law: student, mean: 1, scale: 1, df: 1}'", "df=1:", "above 1"),
    ("env=contaminated env.outlier=2", "env=contaminated:", "[0, 2]", "[0, 1]"),
    ("env=contaminated env.relative=maybe", "env.relative=maybe:", "true or false"),
    (
        "env=contaminated env.relative=true 'env.outlier={law: beta, a: 1, b: 1}'",
        "env.relative=true:",
        "values",
        "not laws",
    ),
    ("env=contaminated env.inlier=bernoulli_c22", "'bernoulli_c22'", "did you mean bernoulli_c2?"),
    ("-m assume=true env=contaminated env.inlier=bernoulli_c2,zzz", "'zzz'", "bernoulli_c4"),
    ("env=contaminated env.inlier=3", "env.inlier=3:", "another environment"),
    ("env=contaminated env.inlier=contaminated", "env.inlier=", "another environment"),
    ("env=contaminated 'env.inlier={law: cauchy}'", "env.inlier.law=cauchy:", "student"),
    ("env=contaminated env.inlier=bernoulli env.inlier.mean=[1]", "'env.inlier.mean'"),
    ("env=bernoulli_c2 env.inlier=student_far", "'env.inlier'"),
    ("'sweep={env.nothing:[1]}'", "sweep.env.nothing", "no environment", "env.nothing"),
    ("'sweep={env:[contaminated],env.alpha:[0,0.5]}'", "env.alpha=0.5:", "[0, 1/2)"),
    ("'sweep={env:[contaminated],env.alpha:0.1}'", "sweep.env.alpha=0.1:", "list of values"),
    ("'sweep=[{horizon:[0]},{algo:[ucb]}]'", "horizon=0:", "at least 1"),
    ("'sweep={horizon:[10]}' horizon=5", "horizon=5:", "varies horizon", "sweep.horizon=[5]"),
]
ODD = [  # what Hydra reads in its own way, or not at all
    ("eps=1e-400", "eps=0.0:", "above 0"),
    ("eps=-1e400", "eps=-inf:", "above 0"),
    ("eps=0x10", "eps=0x10:", "above 0"),
    ("'eps=\"\"'", "eps=:", "above 0"),
    ("'eps={a:{b:[1,2]}}'", "eps={a:{b:[1,2]}}:", "above 0"),
    ("eps=[[[[[[]]]]]]", "eps=[[[[[[]]]]]]:", "above 0"),
    (f"eps={'[' * 400}{']' * 400}", "eps=[[[[", "without end"),
    (f"eps={'x' * 50_000}", "eps=xxx", " ... ", "above 0"),
    (f"horizon=1{'0' * 400}", "horizon=1000", "at least 1"),
    (f"horizon=1{'0' * 5000}", "horizon=1000", "4300 digits"),
    (f"algo={'x' * 5000}", "algo", "xxx", "adap_klucb"),
    (f"experiment={'x' * 5000}", "experiment", "xxx", "azize2022_fig2"),
    (f"results={'x' * 5000}", "results=xxx", "writable folder"),
    ("eps=é", "eps=é:", "stands in quotes"),
    ("algo=ücb", "algo=ücb:", "stands in quotes"),
    ("algo..alpha=1", "algo..alpha=1:", "not understood"),
    ("env.arms[0]=1", "env.arms[0]=1:", "not understood"),
    ("'eps=1;2'", "eps=1;2:", "not understood"),
    ("eps==1", "eps==1:"),
    ("eps=a=b", "eps=a=b", "'='"),
    ("eps.x=1", "'eps.x'", "did you mean eps?"),
    ("+eps.x=1", "eps={x:1}:", "above 0"),
    ("+algo.alpha.x=1", "algo.alpha={x:1}:", "finite number above 0"),
    ("'eps=${oc.env:HOME}'", "eps=${oc.env:HOME}:", "another key"),
    ("'results=${oc.env:HOME}'", "results=${oc.env:HOME}:", "another key"),
    ("'eps=${now:%Y}'", "eps=${now:%Y}:", "another key"),
    ("'eps=${python_version:}'", "eps=${python_version:}:", "another key"),
    ("'eps=${eps}'", "eps=${eps}", "Recursive"),
    ("'eps=???'", "eps=???", "Missing mandatory value: eps"),
    ("'algo=???'", "algo", "'???'", "adap_klucb"),
    ("'algo=${env}'", "algo", "'${env}'", "adap_klucb"),
    *((f"~{key}", f"~{key}:", "cannot be left out") for key in ("algo", "env", "seed", "eps")),
    ("+runner.foo=1", "runner.foo:", "runner=local", "no such parameter"),
    ("runner=dask +runner.foo=1", "runner.foo:", "runner=dask", "no such parameter"),
    ("runner=dask runner.address=5", "runner.address=5:", "tcp://"),
    ("runner=../env/bernoulli", "'../env/bernoulli'", "dask"),
    ("~env.arms", "env.arms is missing", "bernoulli_family"),
    ("+algo=ucb", "+algo=ucb", "Multiple values for algo"),
    ("algo@foo=ucb", "'foo'", "algo"),
    ("algo_spec=1", "'algo_spec'", "did you mean algo?"),
    ("'sweep={1:[2]}'", "sweep.1:", "name of a key"),
    ("'sweep={eps:{a:[1]}}'", "sweep.eps={a:[1]}:", "list of values"),
    ("'sweep.algo=[\"ucb eps=3\"]'", "'ucb eps=3'", "did you mean ucb?"),
    ("'sweep.algo=[{a:1}]'", "algo", "a", "adap_klucb"),
    ("experiment=tao2022_central sweep.99.eps=[1]", "sweep.99.eps=[1]"),
    ("-m 'eps=range(1,1000000000000)'", "eps=range(", "more than 100000 combinations"),
    ("-m 'eps=interval(0,1)'", "-m", "range(...)"),
    ("-m 'eps=glob(*)'", "eps=glob(*):", "no file of eps"),
    ("-m 'algo=glob(zz*)'", "algo=glob(zz*):", "no file of algo"),
    ("-m 'algo=glob(*)' eps=0", "eps=0:", "above 0"),
    ("--cfg job -p foo", "package", "'foo'", "algo"),
    ("--resolve", "--resolve", "--cfg"),
    ("env=table env.file=/dev/null", "env.file=/dev/null:", "not a CSV of numbers"),
    ("env=table env.file=/dev/zero", "env.file=/dev/zero:", "not a device"),
    ("env=table env.file=[a]", "env.file=[a]:", "not a CSV of numbers"),
    ("env=table 'env.rewards={a:1}'", "env.rewards:", "list of rounds"),
    ("env=ren_mixed 'env.arms=[{law: bernoulli, mean: 3}]'", "env.arms.0.mean=3:", "[0, 1]"),
    ("env=ren_mixed 'env.arms=[{law: beta}]'", "env.arms.0.a is missing", "beta"),
    ("env=ren_mixed 'env.arms=[{law: coin}]'", "env.arms.0.law=coin:", "bernoulli"),
    (
        "env=ren_mixed 'env.arms=[{law: beta, a: 1, b: 1, copies: 1e9}]'",
        "env.arms.0.copies=",
        "10000",
    ),
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
    *(
        (f"env=contaminated assume=true env.inlier={inlier}", f"env.inlier.{key}", words)
        for inlier, key, words in (
            ("bernoulli env.inlier.means=5", "means=5:", "list of numbers"),
            ("bernoulli env.inlier.means=[2,.5]", "means=[2,0.5]:", "[0, 1]"),
            ("pareto env.inlier.shape=1", "shape=1:", "above 1"),
            ("bernoulli_c1 env.inlier.family=c9", "family=c9:", "c4"),
            ("twopoint_heavy env.inlier.g=7", "g=7:", "(0, 1]"),
            ("table", "rewards:", "file=PATH.csv"),
        )
    ),
    *(
        (f"algo=heldp_ucb_l population={given}", *parts)
        for given, *parts in (
            ("levels", "eps_min:", "auto"),
            ("levels eps=1", "eps=1:", "leave eps out"),
            ("levels population.levels=[0] eps_min=auto", "population=levels:", "above 0"),
            ("levels population.levels=[1e7] eps_min=1", "population.levels=", "from 0 to 1e+06"),
            ("levels population.levels=x eps_min=1", "population.levels=x:", "list of numbers"),
            ("file eps_min=1", "population.path=users.csv:", "No such file"),
            ("clipped_normal population.sd=0 eps_min=1", "population.sd=0:", "above 0"),
            ("clipped_normal +population.foo=1 eps_min=1", "'population.foo'", "population.low"),
        )
    ),
]
TABLE = [*ODD, *VALUES, *ENVIRONMENTS, *NAMES, *PARAMETERS, *LINES, *SWEEPS, *HEAVY, *ROBUST]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in TABLE], ids=[x[0][:80] for x in TABLE]
)
def test_bandit_run_refuses(refused, line, parts):
    message = refused(run, arguments(line))
    assert all(part in message for part in parts), message


STOPS = [
    *[(f"rel_error={x}", f"rel_error={x}:", "(0, 1)") for x in ("0", "1", "-1", "nan", "small")],
    *[(f"beta={x}", f"beta={x}:", "(0, 1)") for x in ("0", "1", "-1", "nan", "small")],
    ("beta=1/horizon", "beta=1/horizon:", "(0, 1)"),
    ("rel_error=[.1,.2]", "rel_error=[0.1,0.2]:", "(0, 1)"),
    ("rel_error=.1,.2", "rel_error=.1,.2", "-m"),
    *[(f"R={x}", f"R={x}:", "above 0") for x in ("0", "-1", "inf", "nan", "wide")],
    *[(f"cap={x}", f"cap={x}:", "at least 1") for x in ("0", "-5", "1.5", "inf", "far", "1e17")],
    *[(f"eps={x}", f"eps={x}:", "above 0") for x in ("0", "-1", "nan", "strong")],
    ("rule=nas eps=1", "eps=1:", "nas", "not private"),
    ("sweep.beta=[.1] beta=.2", "beta=.2:", "varies beta", "write sweep.beta=[.2]"),
    ("sweep.rule=[nas] rule=dp_nas", "rule=dp_nas:", "varies rule"),
    ("rule=dp_naz", "rule", "'dp_naz'", "did you mean dp_nas?"),
    ("rule=zzz", "rule", "'zzz'", "dp_nas, dp_nas_exp, nas"),
    ("rule=3", "rule", "3", "dp_nas"),
    ("rule=", "rule", "''", "dp_nas"),
    ("env=sgin", "env", "'sgin'", "did you mean sign?"),
    ("env.mean=2", "env.mean=2:", "from -1 to 1"),
    ("env.mean=nan", "env.mean=nan:", "finite number"),
    ("env.mean=[.1,.2]", "env.mean=[0.1,0.2]:", "number"),
    ("env.scale=0", "env.scale=0:", "above 0"),
    ("env.scale=2", "env=sign:", "[-2, 2]", "dp_nas_exp", "[-1, 1]", "R=2.0 covers them"),
    ("arm=1", "arm=1:", "env=sign has one arm"),
    ("arm=-1", "arm=-1:", "at least 0"),
    ("arm=0.5", "arm=0.5:", "whole number"),
    ("arm=first", "arm=first:", "whole number"),
    ("env=bernoulli arm=2", "arm=2:", "2 arms, from arm=0 to arm=1"),
    ("env=bernoulli env.means=[.9]", "env.means=[0.9]", "two arms"),
    ("env=ren_gaussian", "env=ren_gaussian:", "[-inf, inf]", "dp_nas_exp"),
    ("rule=nas env=pareto", "env=pareto:", "inf]", "nas"),
    ("env=contaminated", "env=contaminated:", "outliers", "assumes none"),
    ("env=table env.rewards=[[1,0],[0,1]]", "cap=100:", "2 rounds"),
    ("env=table env.rewards=[[1,-3],[0,1]] arm=1 cap=2", "env=table:", "[-3, 1]", "R=3.0"),
    ("horizon=100", "'horizon'", "arm, backend, beta, cap"),
    ("algo=ucb", "'algo'"),
    ("rel_eror=.1", "'rel_eror'", "did you mean rel_error?"),
    ("rule.foo=1", "'rule.foo'"),
    ("+rule.foo=1", "'rule.foo'"),
    ("+foo=1", "'foo'"),
    ("runs=0", "runs=0:", "at least 1"),
    ("jobs=0", "jobs=0:", "-1"),
    ("backend=foo", "backend=foo:", "auto, threads or processes"),
    ("results=/dev/null/x", "results=/dev/null/x:", "writable folder"),
    ("experiment=sajed2019_stoping", "'sajed2019_stoping'", "did you mean sajed2019_stopping?"),
    ("experiment=sajed2019_stopping eps=1", "eps=1:", "varies eps"),
    ("experiment=sajed2019_stopping env.mean=.3", "varies env.mean", "sweep.env.mean=[.3]"),
    ("experiment=sajed2019_stopping rule=nas", "rule=nas:", "varies rule"),
    ("'sweep={rel_error:[.1,0]}'", "rel_error=0:", "(0, 1)"),
    ("'sweep={rule:[nas],eps:[1]}'", "sweep.eps", "no rule"),
    ("'sweep={alpha:[1]}'", "sweep.alpha", "no rule"),
    ("'sweep={env.means:[1]}'", "sweep.env.means", "no environment"),
    ("'sweep={seed:[1]}'", "sweep.seed", "-m seed"),
    ("'sweep={beta:[.1]}' beta=.2", "beta=.2:", "varies beta"),
    ("'sweep={rule:[dp_naz]}'", "'dp_naz'", "did you mean dp_nas?"),
    ("-m beta=.1,2", "beta=2:", "(0, 1)"),
    ("seed=1e30", "seed=1e30:", "at most"),
    ("runs=1e8", "runs=100000000.0:", "at most 10000000"),
    ("jobs=true", "jobs=true:", "whole number"),
    ("results=null", "results=null:", "folder"),
    ("~cap", "~cap:", "cannot be left out"),
    ("'beta=${oc.env:HOME}'", "beta=${oc.env:HOME}:", "another key"),
    ("hydra.run.dir=foo", "hydra.run.dir=foo:", "only hydra/launcher"),
    ("rule=../stopping/nas", "'../stopping/nas'", "dp_nas"),
    (f"cap=1{'0' * 400}", "cap=1000", "at most"),
    ("--foo", "--foo", "bandit-stop --help"),
    *TOGETHER,
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in STOPS], ids=[x[0][:80] for x in STOPS]
)
def test_bandit_stop_refuses(refused, line, parts):
    message = refused(stop, arguments(line, QUICK_STOP))
    assert all(part in message for part in parts), message


SEVERAL = [
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "one setting"),
    ("-m eps=1,2", "-m", "one setting"),
    ("eps=0.1,1", "eps=0.1,1", "one setting"),
    ("'sweep={eps:[0.1,1]}'", "sweep={eps:[0.1,1]}", "one setting"),
    ("experiment=azize2022_fig8", "one setting", "bandit-plot experiment=azize2022_fig8 bounds="),
    ("eps=[", "eps=["),
    ("=3", "=3"),
    ("--config-dir missing", "--config-dir=missing:", "no such folder"),
    ("--foo", "--foo", "--help"),
]
ALIKE = [x for x in VALUES if "/dev/null" not in x[0]]
ALIKE += [*ENVIRONMENTS[:9], *NAMES, *PARAMETERS]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in SEVERAL + ALIKE], ids=[x[0] for x in SEVERAL + ALIKE]
)
def test_bandit_bounds_refuses(refused, line, parts):
    message = refused(bounds, arguments(line) if "=" in line else shlex.split(line))
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("results", ["loop", "loop/inside", "dangling"])
def test_links_that_lead_nowhere_are_refused(refused, results):
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("nothing")
    for module, words in ((run, arguments("")), (status, []), (claims, ["A1", "runs=2"])):
        message = refused(module, [*words, f"results={results}"])
        assert f"results={results}: a writable folder is needed" in message


def test_a_loop_is_no_folder_of_files(refused):
    Path("loop").symlink_to("loop")
    for module in (run, stop, status):
        message = refused(module, ["--config-dir", "loop"])
        assert message.startswith("--config-dir=loop: a folder is needed")


def test_a_pipe_is_no_manifest(refused):
    Path("table.csv").write_text(HEADER + ROW)
    os.mkfifo("table.json")
    assert "no readable manifest table.json" in refused(plot, ["table.csv", "bounds=true"])


@pytest.mark.parametrize("name", ["$", "$x_{$", r"$\\foo$", r"\\$", "_", "{}$a$b$"])
def test_odd_names_are_drawn_as_they_stand(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    regrets = f"{HEADER.strip()},{name}\n" + "".join(
        f"{name},{name}2,{eps},100,0,0,100,5,{value}\n" for eps, value in ((1, name), (2, "$"))
    )
    times = f"{TIMES}\n{name},{name},0,.5,1,.1,.1,1,100,0,0,50,.5,1,1\n"
    for number, table in enumerate((regrets, times)):
        file = Path(f"{name}{number}.csv")
        file.write_text(table)
        monkeypatch.setattr(sys, "argv", ["bandit-plot", str(file)])
        with pytest.raises(SystemExit) as stopped:
            plot.main()
        assert stopped.value.code == 0 and f"{name}{number}.png" in capsys.readouterr().out


def test_names_are_told_in_the_legend(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(HEADER + ROW.replace("ucb", "_mine") + ROW.replace("ucb", r"$\\x$"))
    labels = figure_of_table(read(file), "title").axes[0].get_legend_handles_labels()[1]
    assert labels == [" _mine", r"\$\\x\$"]


def test_bandit_run_refuses_a_file_for_results(refused):
    Path("taken").write_text("a file")
    assert "results=taken: a writable folder is needed" in refused(run, arguments("results=taken"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,b\n1,0\n1\n", "row 2 of column b holds a blank"),
        (b"a,b\n1,0\n1,0,1\n", "CSV of numbers"),
        (b"a,b\n1,x\n", "CSV of numbers"),
        (b"a,b\n", "at least one round"),
        (b"a\n1\n", "two arms"),
        (b"", "CSV of numbers"),
        (bytes(range(256)), "CSV of numbers"),
    ],
)
def test_bandit_run_refuses_a_bad_table_of_rewards(refused, content, reason):
    Path("rewards.csv").write_bytes(content)
    message = refused(run, arguments("env=table env.file=rewards.csv"))
    assert message.startswith("env.file=rewards.csv:") and reason in message


DATA = "algo=dpr_se env=empirical env.file=data.csv"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,b\n1,x\n2,3\n", "row 1 of column b holds 'x'"),
        (b"a,b\n1,2\n2,\n", "row 2 of column b holds a blank"),
        (b"a,b\n1,2\n2\n", "row 2 of column b holds a blank"),
        (b"a,b\n1,2\n2,nan\n", "row 2 of column b holds a blank"),
        (b"a,b\n1,2\n2,inf\n", "row 2 of column b holds 'inf'"),
        (b"a,b\ntrue,2\nfalse,3\n", "column a holds 'True'"),
        (b"a,b\n1,0\n1,2\n", "column a is constant (1); rewards that vary"),
        (b"a\n1\n2\n", "two arms (columns)"),
        (b"a,b\n1,0\n1,0,1\n", "not a CSV of numbers"),
        (b"a,b\n", "at least one row"),
        (b"a;b\n1;2\n", "column a;b holds '1;2'"),
        (b"", "not a CSV of numbers"),
        (b"a,b\n\xff,0\n2,3\n", "utf-8"),
        (bytes(range(256)), "not a CSV of numbers"),
    ],
)
def test_bandit_run_refuses_bad_data(refused, content, reason):
    Path("data.csv").write_bytes(content)
    message = refused(run, arguments(DATA))
    assert message.startswith("env.file=data.csv:") and reason in message


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("algo=dpr_se env=empirical", ["env.file=PATH.csv", "header"]),
        ("algo=dpr_se env=empirical env.file=no.csv", ["env.file=no.csv:", "No such file"]),
        ("algo=dpr_se env=empirical env.file=.", ["env.file=.:", "directory"]),
        (f"{DATA} env.columns=a", ["env.columns=a:", "list of columns"]),
        (f"{DATA} env.columns=[]", ["env.columns=[]:", "list of columns"]),
        (f"{DATA} env.columns=[a]", ["env.file=data.csv:", "two arms (columns)"]),
        (f"{DATA} env.columns=[a,a]", ["env.columns=[a,a]:", "once"]),
        (f"{DATA} env.columns=[[a],third]", ["'[a]'", "data.csv", "did you mean a?"]),
        (f"{DATA} env.columns=[first,third]", ["'first'", "data.csv", "choose from a, third"]),
        (f"{DATA} env.columns=[a,thirt]", ["'thirt'", "data.csv", "did you mean third?"]),
        (f"{DATA} algo.u=0.1", ["env=empirical:", "of arm 2 is", "u = 0.1"]),
        (f"{DATA} algo=adap_ucb", ["env=empirical:", "[1, 4]", "[0, 1]"]),
    ],
)
def test_bandit_run_refuses_data_that_do_not_fit(refused, line, parts):
    Path("data.csv").write_text("a,third\n1,3\n2,4\n")
    message = refused(run, arguments(line))
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("experiment=azize2022_fig44", ["'azize2022_fig44'", "did you mean azize2022_fig4?"]),
        ("experiment=azize2022_fig8", ["results/azize2022_fig8.csv", "bandit-run experiment="]),
        ("experiment=azize2022_fig8 results=r", ["r/azize2022_fig8.csv", "bandit-run experiment="]),
        ("experiment=", ["experiment", "azize2022_fig4"]),
        ("", ["experiment=NAME", "--help"]),
        ("experimnt=azize2022_fig8", ["'experimnt'", "did you mean experiment?"]),
        ("foo=1", ["'foo'", "experiment"]),
        ("--foo", ["--foo", "--help"]),
        ("experiment=../x", ["'../x'", "azize2022_fig2"]),
        ("experiment=azize2022_fig8 bounds=maybe", ["bounds=maybe:", "true or false"]),
        ("experiment=azize2022_fig8 a.csv", ["either", "--help"]),
        ("-m", ["-m", "--help"]),
        ("/dev/null", ["/dev/null:", "not a readable CSV"]),
        (f"experiment={'x' * 5000}", ["experiment", "xxx", "azize2022_fig2"]),
        ("x" * 5000, ["xxx", "too long"]),
        ("missing.csv", ["missing.csv:", "No such file"]),
        (".", [".:", "directory"]),
    ],
)
def test_bandit_plot_refuses(refused, line, parts):
    message = refused(plot, shlex.split(line))
    assert all(part in message for part in parts), message


CLAIMS = [
    ("A9", "claim", "'A9'", "did you mean A6?"),
    ("a1", "'a1'", "did you mean A1?"),
    ("''", "claim", "''", "A1"),
    ("foo=1", "'foo'", "horizon, jobs, results, runs, seed"),
    ("A1 =3", "''", "horizon"),
    ("A1 runs=1", "runs=1:", "at least 2"),
    ("A1 runs=many", "runs=many:", "whole number"),
    ("A1 runs=1e400", "runs=1e400:", "whole number"),
    ("A1 horizon=0", "horizon=0:", "at least 1"),
    ("A1 horizon=nan", "horizon=nan:", "whole number"),
    ("A1 horizon=[", "horizon=["),
    ("A1 'horizon=${oc.env:HOME}'", "horizon=${oc.env:HOME}:", "another key"),
    ("A1 seed=-1", "seed=-1:", "at least 0"),
    ("A1 seed=../x", "seed=../x:", "whole number"),
    ("A1 seed=1,2", "seed=1,2", "Ambiguous"),
    ("A1 jobs=0", "jobs=0:", "-1"),
    ("A1 results=", "results=:", "folder"),
    ("A1 results=/dev/null/x", "results=/dev/null/x:", "writable folder"),
    ("A1 -m", "-m", "--help"),
    ("--foo", "--foo", "bandit-claims --help"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in CLAIMS], ids=[x[0] for x in CLAIMS]
)
def test_bandit_claims_refuses(refused, line, parts):
    message = refused(claims, shlex.split(line))
    assert all(part in message for part in parts), message


CORRUPT = {
    "garbage": (bytes(range(256)) * 20, "not a readable CSV"),
    "empty": (b"", "not a readable CSV"),
    "text for regret": (HEADER + ROW.replace(",5", ",much"), "column regret"),
    "text for eps": (HEADER + ROW.replace("inf", "much"), "column eps"),
    "endless regret": (HEADER + ROW.replace(",5", ",inf"), "column regret"),
    "endless horizon": (HEADER + ROW.replace("100,0,0,100", "inf,0,0,inf"), "column horizon"),
    "missing columns": ("algo,env,eps\nucb,x,1\n", "no column horizon, seed, run, t, regret"),
    "header only": (HEADER, "no rows"),
    "blank regret": (HEADER + ROW.replace(",5", ","), "column regret"),
    "blank algo": (HEADER + ROW.replace("ucb", ""), "column algo"),
    "blank env": (HEADER + ROW.replace("bernoulli_c2", ""), "column env"),
    "cut short": (HEADER + ROW + "ucb,bern", "column eps"),
    "horizon below 0": (
        HEADER + ROW.replace("100,0,0,100", "-1,0,0,-1"),
        "column horizon holds -1",
    ),
    "eps of 0": (HEADER + ROW.replace("inf", "0"), "column eps holds 0; it must be above 0"),
    "huge regret": (HEADER + ROW.replace(",5", ",1e308"), "column regret holds 1e+308"),
    "huge below 0": (HEADER + ROW.replace(",5", ",-1e308"), "at most 1e+100 is needed"),
    "ragged": (HEADER + ROW + "1,2,3,4,5,6,7,8,9,10\n", "not a readable CSV"),
}


@pytest.mark.parametrize("line", ["table.csv", "good.csv table.csv", "experiment=azize2022_fig8"])
@pytest.mark.parametrize("corrupt", CORRUPT)
def test_bandit_plot_refuses_a_corrupt_table(refused, corrupt, line):
    content, reason = CORRUPT[corrupt]
    file = Path("results/azize2022_fig8.csv" if "experiment" in line else "table.csv")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    Path("good.csv").write_text(HEADER + ROW)
    message = refused(plot, line.split())
    assert message.startswith(f"{file}: ") and reason in message


@pytest.mark.parametrize(
    "command",
    [
        "bandit-run eps=0",
        "bandit-run algo=adap_klucbb",
        "bandit-run results=/dev/null/x",
        "bandit-run -m eps=1,-1",
        "bandit-plot missing.csv",
        "bandit-stop rel_error=2",
        "bandit-bounds eps=0",
    ],
)
def test_the_commands_themselves_refuse(tmp_path, command):
    name, *given = command.split()
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert complaint(name, done.returncode, done.stdout, done.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    ["bandit-run horizon=50 runs=1 jobs=1", "bandit-run --help", "bandit-status", "bandit-plot -h"],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_told_in_one_line(tmp_path, command, unbuffered):
    name, *given = command.split()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name(name), *given],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    told = done.stderr.splitlines()[-1]
    assert told == f"{name}: cannot write the output (No space left on device)"

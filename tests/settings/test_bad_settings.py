"""What dp.run and dp.stop refuse in words of their own.

What they refuse in the words of the commands stands in ``refusals.txt``.
"""

import pytest
from refusals import message_of, request_of

from dpbandits.contracts.question import REGRET, STOPPING

# KEY=VALUE words, and how the message begins. In calls from Python a list is a sweep
LISTS = [
    ("eps=[1,0]", "eps=0: a number above 0"),
    ("eps=[]", "eps=[]: at least one value is needed"),
    ("eps=[[[[]]]]", "eps=[[[]]]: a number above 0"),
    ("env=[]", "env=[]: at least one value is needed"),
    (
        "env=[ucb]",
        "unknown env 'ucb': choose from azize_contextual, ",
    ),
    ("env=[bernoulli_c1,bernoulli_c22]", "unknown env 'bernoulli_c22': did you mean bernoulli_c2?"),
]
OF_REGRET = [
    ("algo=[]", "algo=[]: at least one value is needed"),
    ("algo=ucb eps=[1,2]", "sweep.eps: no algorithm of the sweep has a parameter eps"),
    ("algo.alpha=[1,0]", "algo.alpha=0: a finite number above 0"),
    ("runs=[1,2]", "runs=[1,2]: a whole number"),
    ("experiment=azize2022_fig4 eps=0.5", "eps=0.5: experiment azize2022_fig4 varies eps"),
    ("experiment=azize2022_fig4 algo=ucb", "algo=ucb: experiment azize2022_fig4 varies algo"),
    ("experiment=azize2022_fig8 algo.alpha=2", "alpha=2: experiment azize2022_fig8 varies alpha"),
    ("algo.alfa=2", "unknown key or parameter 'alfa': did you mean alpha?"),
    ("algo=ucb algo.alpha=1", "alpha=1: ucb takes no alpha; dp_imed, "),
    ("env.armz=3", "env.armz: law bernoulli_family has no such parameter; did you mean arms?"),
    ("env=bernoulli env.mean=[0.5,0.6]", "env.mean: law bernoulli has no such parameter; did you"),
    ("env=contaminated env.inlier=contaminated", "env.inlier: an environment without outliers"),
    (
        "env=contaminated env.inlier=bernoulli env.inlier.mean=[1]",
        "env.inlier.mean: law bernoulli has no such parameter; did you mean means?",
    ),
]
OF_STOPPING = [("rule.foo=1", "unknown key or parameter 'foo'")]
CASES = [(REGRET, *x) for x in LISTS + OF_REGRET] + [(STOPPING, *x) for x in LISTS + OF_STOPPING]


@pytest.mark.parametrize(
    ("question", "line", "words"), CASES, ids=[f"{q.group}: {line}" for q, line, _ in CASES]
)
def test_what_cannot_be_run_is_refused(question, line, words):
    assert message_of(request_of, line, question).startswith(words)


@pytest.mark.parametrize("question", [REGRET, STOPPING], ids=lambda q: q.name)
def test_what_is_right_is_not_refused(question):
    """Control."""
    request = request_of("eps=.5 runs=3 seed=1 env=bernoulli 'env.means=[.9,.8]'", question)
    (setting,) = request.settings
    assert (setting.budget, request.runs, setting.seed, request.results) == (0.5, 3, 1, None)
    assert setting.record["env_spec"] == {"law": "bernoulli", "means": [0.9, 0.8]}
    assert len(request_of("eps=[.5,1] env=[sign,bernoulli]", STOPPING).settings) == 4

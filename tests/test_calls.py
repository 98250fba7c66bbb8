"""Misspelt and missing arguments of every public function are refused in one line."""

import inspect

import pytest

import dpbandits as dp
from dpbandits.calls import BadCall, checks_arguments
from dpbandits.errors import nearest

FUNCTIONS = [
    name
    for name in dp.__all__
    if inspect.isfunction(getattr(dp, name)) and name != "kernel"  # a decorator, for functions
]


class Two:
    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon

    def act(self):
        return 0

    def update(self, arm, reward):
        pass


def options(function):
    """The names of the arguments that can be given by name, and whether others are taken."""
    kinds = inspect.signature(function).parameters.values()
    return [p.name for p in kinds if p.kind is not p.VAR_KEYWORD], any(
        p.kind is p.VAR_KEYWORD for p in kinds
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_misspelt_arguments_are_refused_with_the_nearest(name):
    function = getattr(dp, name)
    names, takes_any = options(function)
    if takes_any or not names:
        pytest.skip("parameters of any name are taken, and checked elsewhere")
    meant = max(names, key=len)
    required = {
        p.name: 1
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.name != meant
    }
    with pytest.raises(BadCall, match=f"dpbandits.{name}: .*did you mean {meant}[?]"):
        function(**required, **{f"{meant}_": 1})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_missing_arguments_are_refused(name):
    function = getattr(dp, name)
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    if not any(p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in required):
        pytest.skip("no argument is required")
    with pytest.raises(BadCall, match=f"dpbandits.{name}: missing a required argument"):
        function()


def test_an_error_of_the_call_is_for_python_a_type_error():
    with pytest.raises(TypeError, match="too many positional arguments"):
        dp.compare(1, 2, 3)


def test_errors_inside_a_function_pass():
    @checks_arguments
    def fails(x):
        raise TypeError(x)

    with pytest.raises(TypeError, match=r"^mine$") as caught:
        fails("mine")
    assert not isinstance(caught.value, BadCall)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: dp.run(rule="dp_sprt"), "dpbandits.stop(rule='dp_sprt', ...)"),
        (lambda: dp.stop(algo="ucb"), "dpbandits.run(algo='ucb', ...)"),
        (lambda: dp.run(algo="ucb", hrizon=3), "did you mean horizon?"),
        (lambda: dp.audit(algoo="ucb"), "did you mean algo?"),
        (lambda: dp.audit("dp_se", epss=1), "did you mean eps?"),
        (lambda: dp.audit("dp_se", epsilon=1), "did you mean eps?"),
        (lambda: dp.audit("dp_se", bet=0.1), "did you mean algo.beta?"),
        (lambda: dp.audit(policy=Two, hrizon=3), "did you mean horizon?"),
        (lambda: dp.run(policy=Two, eps=1), "if epsilon is its privacy budget, name it eps"),
        (lambda: dp.audit(mechanism="laplace", algoo="ucb"), "no parameter algoo"),
    ],
)
def test_keys_of_another_function_say_where_they_belong(call, meant):
    with pytest.raises(dp.BadInput) as caught:
        call()
    assert meant in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"), [("plto", "plot"), ("sumary", "summary"), ("bernouli", "bernoulli")]
)
def test_misspelt_functions_are_named(name, meant):
    with pytest.raises(AttributeError, match=f"{name}.; did you mean {meant}[?]"):
        getattr(dp, name)


def test_a_name_is_never_suggested_for_itself():
    """Catches 'unknown key checkpoints: did you mean checkpoints?'."""
    assert nearest("runs", ["runs", "run", "eps"]) == "did you mean run?"
    assert nearest("RUNS", ["runs", "eps"]) == "did you mean runs?"  # the control


@pytest.mark.parametrize("named", [{"polcy": Two}, {"polices": [Two]}])
def test_a_class_as_a_misspelt_argument_is_no_reward_law(named):
    with pytest.raises(dp.BadInput, match=r"unknown key or parameter '.*': did you mean policy[?]"):
        dp.run(**named, horizon=10)

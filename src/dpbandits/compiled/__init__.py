"""Everything that knows Numba: decorators, random numbers, and the cache of machine code.

The rest of the package imports from here, and nothing else imports llvmlite or private names:

* ``kernel``, ``inlined``, ``inlined_counted``, ``shared`` ...: what compiled code calls; ``loop``:
  the one piece of machine code that Python calls, with ``is_cached`` and ``is_compiled``.
* ``random`` ... ``poisson``: the numbers of ``numpy.random.Generator``, bit by bit.
* ``global_states`` ...: the generators behind ``np.random`` and ``random`` in compiled code.
* ``unlikely``, ``whole``, ``call_at``: operations of the processor.
* ``compiled_code``: the folder of cached machine code; ``compiler``: the back-end in use, which
  ``report_choice`` reports if it is not the one that one would expect.

There are two back-ends, with the same results. ``plain`` uses the public interfaces of Numba and
llvmlite alone. ``quick`` is preferred where it works (``choice``): it shortens the first run.
"""

from .choice import VARIABLE as COMPILER
from .choice import compiler, is_tested
from .choice import report as report_choice
from .folder import compiled_code
from .global_states import global_states, restore_global_states, seed_global_states
from .kernels import Loop, compiles, declare, is_compiled, kernel, loop
from .notes import inlined, inlined_counted, shared, shared_borrowing, shared_rare
from .operations import answer_of, unlikely, whole
from .pointers import MAX_QUANTILE_PARAMETERS, call_at, compiled_at
from .random_numbers import beta, binomial, exponential, gamma, normal, poisson, random, student
from .sources import SOURCES

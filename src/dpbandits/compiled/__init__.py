"""Everything that depends on Numba: decorators, random numbers, and the cache of machine code.

The modules of dpbandits outside this folder import these names from here. No module outside this
folder imports llvmlite or private names of Numba:

* ``kernel``, ``inlined``, ``inlined_counted``, ``shared`` ... mark the functions that compiled code
  calls; ``loop`` makes the machine code that Python calls, with ``is_cached`` and ``is_compiled``.
* ``random`` ... ``poisson`` draw exactly the same numbers as ``numpy.random.Generator``.
* ``global_states`` ... handle the generators behind ``np.random`` and ``random`` in compiled code.
* ``unlikely``, ``whole`` and ``call_at`` are operations of the processor.
* ``is_installed`` returns whether a file belongs to Python or a package, not to a user;
  ``enclosed`` returns the values from enclosing functions that a function uses.
* ``compiled_code`` returns the folder of cached machine code; ``compiler`` returns the back-end in
  use, and ``report_choice`` reports a fall-back to ``plain``.

There are two back-ends, which give the same results. ``plain`` uses only the public interfaces of
Numba and llvmlite. ``quick`` makes the first run faster, and is preferred where it works
(``choice``).
"""

from .addresses import compiled_at
from .choice import VARIABLE as COMPILER
from .choice import compiler, is_tested, report_choice
from .folder import compiled_code
from .global_states import global_states, restore_global_states, seed_global_states
from .kernels import Loop, compiles, declare, is_compiled, kernel, loop
from .notes import inlined, inlined_counted, shared, shared_borrowing, shared_rare
from .operations import MAX_QUANTILE_PARAMETERS, answer_of, call_at, unlikely, whole
from .random_numbers import beta, binomial, exponential, gamma, normal, poisson, random, student
from .sources import SOURCES, enclosed, is_installed

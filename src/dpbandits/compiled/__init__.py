"""Everything that knows Numba: decorators, random numbers, and the cache of machine code."""

from .cache import (
    SOURCES as SOURCES,
)
from .cache import (
    compiled_code as compiled_code,
)
from .cache import (
    has_disk_cache as has_disk_cache,
)
from .cache import (
    is_cached as is_cached,
)
from .decorators import (
    answer_of as answer_of,
)
from .decorators import (
    compiles as compiles,
)
from .decorators import (
    inlined as inlined,
)
from .decorators import (
    is_compiled as is_compiled,
)
from .decorators import (
    kernel as kernel,
)
from .decorators import (
    loop as loop,
)
from .decorators import (
    verb as verb,
)
from .distributions import (
    beta as beta,
)
from .distributions import (
    binomial as binomial,
)
from .distributions import (
    exponential as exponential,
)
from .distributions import (
    gamma as gamma,
)
from .distributions import (
    normal as normal,
)
from .distributions import (
    poisson as poisson,
)
from .distributions import (
    random as random,
)
from .distributions import (
    reseed as reseed,
)
from .distributions import (
    student as student,
)
from .pointers import MOST as MOST
from .pointers import call_at as call_at
from .pointers import compiled_at as compiled_at
from .primitives import unlikely as unlikely
from .primitives import whole as whole
from .routines import (
    borrowing_routine as borrowing_routine,
)
from .routines import (
    rare_routine as rare_routine,
)
from .routines import (
    routine as routine,
)

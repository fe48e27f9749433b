"""Coulomb's bound on a spring and dashpot in the contact plane, shared by laws.

    F_t = -(k_t s + c_t u),  |F_t| <= μ F_n  (Ferrez 3.12, 3.10)

Where the contact slips, the force is cut back to its bound, and the spring to what it can hold,
|s| <= bound / k_t: the dashpot's share is never stored, so slipping gives no energy back.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable


@register_jitable(inline="always")
def bounded(limit, k_t, c_t, touch):
    """Return the tangential force on grain i [N] and the spring to remember [m].

    Args:
        limit: the largest tangential force, not negative [N].
        k_t: stiffness [N/m].
        c_t: damping [N s/m].
        touch: the contact; its spring pulls i after j.
    """
    sx, sy, sz = touch.sx, touch.sy, touch.sz
    tx = k_t * sx + c_t * touch.ux
    ty = k_t * sy + c_t * touch.uy
    tz = k_t * sz + c_t * touch.uz
    # both cuts with one division: limit / |t| and limit / |k_t s|, where they are too long
    limit2 = limit * limit
    t2 = tx * tx + ty * ty + tz * tz
    s2 = k_t * k_t * (sx * sx + sy * sy + sz * sz)
    t = np.sqrt(t2 if t2 > limit2 else 1.0)
    s = np.sqrt(s2 if s2 > limit2 else 1.0)
    share = limit / (t * s)
    cut_t = share * s if t2 > limit2 else 1.0
    cut_s = share * t if s2 > limit2 else 1.0
    return (cut_t * tx, cut_t * ty, cut_t * tz), (cut_s * sx, cut_s * sy, cut_s * sz)

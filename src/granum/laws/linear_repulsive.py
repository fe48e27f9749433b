"""The linear viscoelastic law without attraction: a contact pushes or is over.

    F_n = max(k_n δ + c_n δ', 0)

and in the contact plane what `linear_viscoelastic` has. Near the end of a collision the dashpot
outweighs the spring; here the force is zero from then on, instead of pulling. The collision ends
there, so stiffness and damping are not those of the attractive law (they would give e = 0.63
where 0.6 is asked for). With ζ and ω t_c of `damping`,

    k_n = m (ω t_c)² / t_c²,   c_n = -2 m ln e_n / t_c

so that a lone head-on collision pushes for exactly t_c and returns exactly e_n, at any speed, for
any 0 < e_n <= 1. The damping is that of the attractive law, the spring is softer: by 1.4 at
e_n = 0.5, by 4.4 at 0.1. The two grains still overlap a little when the force ends and part freely.

Valid for spheres and discs; k_n follows the effective mass m, so it is no property of the material.
Source: T. Schwager and T. Pöschel, Granular Matter 9 (2007) 465.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba.extending import register_jitable

from granum.checks import FloatArray
from granum.laws.damping import without_attraction
from granum.laws.friction import bounded
from granum.laws.linear_viscoelastic import LinearViscoelastic, spring_and_dashpot


@dataclass(frozen=True)
class LinearRepulsive(LinearViscoelastic):
    """Springs and dashpots that never pull, from restitution, contact time and friction.

    Args:
        restitution: share of the approach speed that a head-on collision returns, e_n.
        contact_time: how long grains push each other in a collision, t_c [s].
        friction: Coulomb's coefficient μ.
        tangential_restitution: the same for slip, e_s; that of the normal unless given.
    """

    def coefficients(self) -> FloatArray:
        """Return k_n/m [1/s2], c_n/m [1/s], k_t/m_t, c_t/m_t and μ, as the kernel takes them."""
        t_c = self.contact_time
        k_n = (without_attraction(self.restitution).phase / t_c) ** 2
        c_n = -2.0 * math.log(self.restitution) / t_c
        k_t, c_t = spring_and_dashpot(self.slip_restitution, t_c)
        return np.array([k_n, c_n, k_t, c_t, self.friction])

    kernel = staticmethod(lambda: force)


@register_jitable(inline="always")
def force(p, touch, state):
    """Return normal force [N], tangential force on grain i [N], spring [m] and state."""
    k_n, c_n, k_t, c_t, mu = p
    f_n = max(touch.mass * (k_n * touch.overlap + c_n * touch.rate), 0.0)
    pull, spring = bounded(mu * f_n, touch.slip_mass * k_t, touch.slip_mass * c_t, touch)
    return f_n, pull, spring, state

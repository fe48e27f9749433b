"""What happens where two grains touch.

In: overlap, approach and slip of one contact and what it remembers. Out: its force. A law is a
dataclass of what people measure, and a small function that is compiled into the force kernel. A new
law is one module here with the members of ``Law``, and so is an add-on, with those of ``Addon``.
"""

from granum.laws.capillary_bridge import CapillaryBridge
from granum.laws.cohesion import Adhesion, Cohesion
from granum.laws.composite import With
from granum.laws.law import Law, TimeSteps, Touch
from granum.laws.linear_viscoelastic import LinearViscoelastic
from granum.laws.modelling import model_of
from granum.laws.pairs import Pairs
from granum.laws.rolling_resistance import RollingResistance

__all__ = [
    "Adhesion", "CapillaryBridge", "Cohesion", "Law", "LinearViscoelastic", "Pairs",
    "RollingResistance", "TimeSteps", "Touch", "With", "model_of",
]

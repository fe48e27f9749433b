"""What happens where two grains touch.

In: overlap, approach and slip of one contact and what it remembers. Out: its force. A law is a
dataclass of what people measure, and a small function that is compiled into the force kernel. A new
law is one module here with the members of ``Law``, named in ``LAWS``; an add-on is one with those
of ``Addon``, named in ``ADDONS``. ``medium`` has those that act on single grains.
"""

from granum.laws.adaptive import Adaptive
from granum.laws.capillary_bridge import CapillaryBridge
from granum.laws.cohesion import Adhesion, Cohesion
from granum.laws.composite import With
from granum.laws.elastic import Elastic
from granum.laws.friction import bounded
from granum.laws.hertz_mindlin import HertzMindlin
from granum.laws.kuwabara_kono import KuwabaraKono
from granum.laws.law import Law, TimeSteps, Touch
from granum.laws.linear_repulsive import LinearRepulsive
from granum.laws.linear_viscoelastic import LinearViscoelastic
from granum.laws.medium import Damping, Drag, medium_of
from granum.laws.modelling import model_of
from granum.laws.pairs import Pairs
from granum.laws.rolling_resistance import RollingResistance
from granum.laws.user import UserLaw, law
from granum.laws.walton_braun import WaltonBraun

LAWS: dict[str, type] = {  # by the names that scenario files use
    "adaptive": Adaptive,
    "elastic": Elastic,
    "hertz_mindlin": HertzMindlin,
    "kuwabara_kono": KuwabaraKono,
    "linear_repulsive": LinearRepulsive,
    "linear_viscoelastic": LinearViscoelastic,
    "walton_braun": WaltonBraun,
}
ADDONS: dict[str, type] = {
    "adhesion": Adhesion,
    "capillary_bridge": CapillaryBridge,
    "cohesion": Cohesion,
    "damping": Damping,
    "drag": Drag,
    "rolling_resistance": RollingResistance,
}

__all__ = ["ADDONS", "LAWS", "Adaptive", "Adhesion", "CapillaryBridge", "Cohesion", "Damping",
           "Drag", "Elastic", "HertzMindlin", "KuwabaraKono", "Law", "LinearRepulsive",
           "LinearViscoelastic", "Pairs", "RollingResistance", "TimeSteps", "Touch", "UserLaw",
           "WaltonBraun", "With", "bounded", "law", "medium_of", "model_of"]

"""What happens where two grains touch.

In: overlap, approach and slip of one contact and what it remembers. Out: its force. A law is a
dataclass of what people measure, and a small function that is compiled into the force kernel. A new
law is one module here with the members of ``Law``.
"""

from granum.laws.friction import bounded
from granum.laws.law import Law, TimeSteps, Touch
from granum.laws.linear_viscoelastic import LinearViscoelastic
from granum.laws.modelling import model_of
from granum.laws.pairs import Pairs
from granum.laws.user import UserLaw, law

__all__ = ["Law", "LinearViscoelastic", "Pairs", "TimeSteps", "Touch", "UserLaw", "bounded", "law",
           "model_of"]

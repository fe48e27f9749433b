"""What happens where two grains touch.

In: overlap, approach and slip of one contact and what it remembers. Out: its force. A law is a
dataclass of what people measure, and a small function that is compiled into the force kernel. A new
law is one module here with the members of ``Law``.
"""

from granum.laws.adaptive import Adaptive
from granum.laws.law import Law
from granum.laws.linear_viscoelastic import LinearViscoelastic
from granum.laws.walton_braun import WaltonBraun

__all__ = ["Adaptive", "Law", "LinearViscoelastic", "WaltonBraun"]

"""The bench of laws compares like with like."""

import numpy as np
import pytest

from granum.bench.laws import _laws
from granum.laws import LAWS, Touch


def test_the_users_law_is_the_built_in_one():
    laws = _laws()
    built_in, own = laws["linear_viscoelastic"], laws["user"]
    rng = np.random.default_rng(3)
    for _ in range(50):
        touch = Touch(*(rng.uniform(0.0, 1e-5, 1).tolist() + rng.normal(size=12).tolist()))
        touch = touch._replace(mass=abs(touch.mass), slip_mass=abs(touch.slip_mass))
        answers = [law.kernel()(tuple(law.coefficients().tolist()), touch, ())
                   for law in (built_in, own)]
        assert answers[0] == answers[1]


def test_all_laws_with_friction_are_measured():
    assert set(_laws()) == set(LAWS) - {"elastic"} | {"user"}
    for law in _laws().values():
        assert law.coefficients().size
        assert law.kernel() is not None


@pytest.mark.parametrize("name", ["hertz_mindlin", "kuwabara_kono"])
def test_hertz_is_as_soft_as_the_others_and_stable_at_the_step_of_the_bench(name):
    radius = np.array([0.5e-3])
    assert _laws()[name].time_steps(radius, 2500.0 * 4.19 * radius**3).longest > 1e-6

"""What holds for all tests: the same examples every time, and no test depends on how fast it is."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "granum", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("granum")

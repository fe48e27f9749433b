"""Speed on this machine, measured: grains times steps a second, beside a peer in the same run.

In: a number of grains, a size ratio, threads. Out: plain numbers. ``packing`` makes a settled
packing, ``spheres`` times granum on it, ``lammps_peer`` times LAMMPS on the same packing.
"""

from granum.bench.spheres import BENCHES, bench_spheres

__all__ = ["BENCHES", "bench_spheres"]

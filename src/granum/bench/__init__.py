"""Speed on this machine, measured: grains times steps a second, beside a peer in the same run.

In: a number of grains, a size ratio, threads. Out: plain numbers. ``packing`` makes a settled
packing, ``spheres`` times granum on it, ``lammps_peer`` times LAMMPS on the same packing;
``triangulation`` times the upkeep of the triangulation beside that of the cells, ``cgal_peer`` has
CGAL build the same one; ``laws`` times each contact law on one packing, ``shapes`` grains of
several shapes, ``lammps_bodies`` the cubes of LAMMPS; ``lammps_process`` runs it.
"""

from granum.bench.laws import bench_laws
from granum.bench.shapes import bench_shapes
from granum.bench.spheres import bench_spheres
from granum.bench.triangulation import bench_triangulation

BENCHES = ("laws", "shapes", "spheres", "triangulation")

__all__ = ["BENCHES", "bench_laws", "bench_shapes", "bench_spheres", "bench_triangulation"]

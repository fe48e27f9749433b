"""Copies of cells and edges, to go back to if a way to follow a motion leads nowhere."""

from __future__ import annotations

from typing import NamedTuple

from granum.checks import FloatArray
from granum.geometry.edges import EDGE_TOP, Edges
from granum.geometry.tetrahedra import TOP, Mesh


class Positions(NamedTuple):
    """Where the vertices are at some moment."""

    points: FloatArray  # (n,d)
    weights: FloatArray  # (n,)


class Snapshot(NamedTuple):
    """What must be kept to go back to an earlier state."""

    mesh: Mesh
    edges: Edges


def copied(snapshot: Snapshot) -> Snapshot:
    """Return a copy of all that flips, insertions and removals change."""
    m, e = snapshot
    return Snapshot(
        m._replace(V=m.V.copy(), N=m.N.copy(), home=m.home.copy(), hidden=m.hidden.copy(),
                   witness=m.witness.copy(), counts=m.counts.copy()),
        Edges(e.ends.copy(), e.next.copy(), e.previous.copy(), e.mark,
              e.head.copy(), e.degree.copy(), e.counts.copy()),
    )


def fits(spare: Snapshot, mesh: Mesh, edges: Edges) -> bool:
    """Tell whether the arrays of an old snapshot have the lengths of these."""
    return (len(spare.mesh.V) == len(mesh.V) and len(spare.mesh.home) == len(mesh.home)
            and len(spare.edges.ends) == len(edges.ends))


def copy_into(spare: Snapshot, mesh: Mesh, edges: Edges) -> Snapshot:
    """Return a copy of what is in use in arrays that are there already: no new memory to clear."""
    old, other = spare
    cells, slots = int(mesh.counts[TOP]), int(edges.counts[EDGE_TOP])
    for theirs, mine in ((old.V, mesh.V), (old.N, mesh.N)):
        theirs[:cells] = mine[:cells]
    for theirs, mine in ((other.ends, edges.ends), (other.next, edges.next),
                         (other.previous, edges.previous)):
        theirs[:slots] = mine[:slots]
    for theirs, mine in ((old.home, mesh.home), (old.hidden, mesh.hidden),
                         (old.witness, mesh.witness), (other.head, edges.head),
                         (other.degree, edges.degree)):
        theirs[:] = mine
    old.counts[:], other.counts[:] = mesh.counts, edges.counts
    return Snapshot(
        mesh._replace(V=old.V, N=old.N, home=old.home, hidden=old.hidden, witness=old.witness,
                      counts=old.counts),
        other._replace(mark=edges.mark),
    )

"""Vertices come and go: cells, edges and hidden vertices together."""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry import build2, build3
from granum.geometry.check import is_witnessed
from granum.geometry.edges import exchange_edges
from granum.geometry.either import either
from granum.geometry.remove import unlink
from granum.geometry.tetrahedra import ABSENT, DONE, HIDDEN, drop_old, unhide

_carve = either(build2.carve, build3.carve)


@kernel
def insert_vertices(mesh, edges, vertices, first):
    """Insert the vertices from place ``first`` on; returns how far it came and why it stopped."""
    for k in range(first, vertices.size):
        if mesh.home[vertices[k]] == ABSENT:
            status = _carve(mesh, np.int64(vertices[k]))
            if status != DONE:
                return k, status
            exchange_edges(mesh, edges)
            drop_old(mesh)
    return vertices.size, DONE


@inner_kernel
def _remove_vertex(mesh, edges, v, link, hole):
    """Remove a vertex, visible, hidden or absent; see ``unlink`` for what it returns."""
    if mesh.home[v] < ABSENT:
        unhide(mesh, v)
    if mesh.home[v] == ABSENT:
        return DONE
    status = unlink(mesh, v, link, hole)
    if status == DONE:
        exchange_edges(mesh, edges)
        drop_old(mesh)
    return status


@kernel
def remove_vertices(mesh, edges, vertices, first, link, hole, released):
    """Remove the vertices from place ``first`` on, and with them what they hide.

    Args:
        mesh: the cells.
        edges: their edges.
        vertices: (k,) what to remove.
        first: where to begin.
        link: (n,) scratch.
        hole: (k,4) scratch, see ``unlink``.
        released: (n,) becomes the list of vertices that had been hidden by those removed; they are
            absent afterwards and must be inserted again.

    Returns:
        How far it came, why it stopped, and how many were released.
    """
    number = 0
    for k in range(first, vertices.size):
        v = np.int64(vertices[k])
        status = _remove_vertex(mesh, edges, v, link, hole)
        if status != DONE:
            return k, status, number
        number = _release_witnessed_by(mesh, v, released, number)
    return vertices.size, DONE, number


@inner_kernel
def _release_witnessed_by(mesh, v, released, number):
    """Make absent the hidden vertices that v is a witness against, and add them to the list."""
    W = mesh.witness
    k = 0
    while k < mesh.counts[HIDDEN]:
        u = np.int64(mesh.hidden[k])
        is_witness = False
        for i in range(len(mesh.places)):
            is_witness |= W[u, i] == v
        if is_witness:
            unhide(mesh, u)
            released[number] = u
            number += 1
        else:
            k += 1
    return number


@kernel
def release_uncovered(mesh, released):
    """Make absent the hidden vertices whose witness no longer hides them; lists and counts them."""
    number = 0
    k = 0
    while k < mesh.counts[HIDDEN]:
        u = np.int64(mesh.hidden[k])
        if is_witnessed(mesh, u):
            k += 1
        else:
            unhide(mesh, u)
            released[number] = u
            number += 1
    return number

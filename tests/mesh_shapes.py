"""Small meshes to test with, made without the code under test, and files that hold them."""

from __future__ import annotations

import struct

import numpy as np

CUBE_FACES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
])


def cube(low=(0.0, 0.0, 0.0), high=(1.0, 1.0, 1.0)):
    """Vertices and faces of a box, all facing outwards."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    return np.asarray(low) + corners * (np.asarray(high) - np.asarray(low)), CUBE_FACES


def sheet(count, size, rng):
    """A flat square of 2 count² triangles about the origin; diagonals run at random."""
    line = np.linspace(-size, size, count + 1)
    vertices = np.array([(x, y, 0.0) for x in line for y in line])
    faces = []
    for i in range(count):
        for j in range(count):
            a = i * (count + 1) + j
            b = a + count + 1
            faces += ([[a, b, b + 1], [a, b + 1, a + 1]] if rng.random() < 0.5
                      else [[a, b, a + 1], [b, b + 1, a + 1]])
    return vertices, np.array(faces)


def drum(radius, width, facets):
    """A closed prism about the y axis, from y = 0 to the width; its caps are fans."""
    angle = 2.0 * np.pi * np.arange(facets) / facets
    ring = np.column_stack([radius * np.cos(angle), np.zeros(facets), radius * np.sin(angle)])
    vertices = np.vstack([ring, ring + np.array((0.0, width, 0.0)), [[0, 0, 0]], [[0, width, 0]]])
    faces = []
    for k in range(facets):
        j = (k + 1) % facets
        faces += [[k, facets + k, j], [j, facets + k, facets + j],
                  [2 * facets, k, j], [2 * facets + 1, facets + j, facets + k]]
    return vertices, np.array(faces)


def star(rng, spikes=24):
    """A closed body with bumps and hollows: the hull of points on a sphere, pulled in and out."""
    from scipy.spatial import ConvexHull

    points = rng.normal(size=(spikes, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    return points * rng.uniform(0.6, 1.4, (spikes, 1)), hull.simplices.astype(np.int64)


# ---- files -----------------------------------------------------------------------------------


def stl_text(vertices, faces, dtype=float):
    lines = ["solid made for a test"]
    for triangle in np.asarray(vertices)[faces]:
        lines += ["facet normal 0 0 0", "  outer loop"]
        lines += ["    vertex " + " ".join(repr(dtype(x)) for x in point) for point in triangle]
        lines += ["  endloop", "endfacet"]
    return "\n".join([*lines, "endsolid made for a test", ""]).encode()


def stl_binary(vertices, faces, header=b"made for a test"):
    records = [struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0)
               for triangle in np.asarray(vertices)[faces]]
    return header.ljust(80, b"\0") + struct.pack("<I", len(faces)) + b"".join(records)


def obj_text(vertices, faces):
    lines = ["# made for a test", "o thing"]
    lines += ["v " + " ".join(repr(float(x)) for x in point) for point in vertices]
    lines += ["vn 0 0 1"]
    lines += ["f " + " ".join(f"{k + 1}//1" for k in face) for face in faces]
    return "\n".join([*lines, ""]).encode()


def ply(vertices, faces, form="ascii"):
    header = (f"ply\nformat {form} 1.0\ncomment made for a test\nelement vertex {len(vertices)}\n"
              "property double x\nproperty double y\nproperty double z\nproperty uchar red\n"
              f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
              "element edge 1\nproperty int a\nend_header\n").encode()
    if form == "ascii":
        rows = [" ".join(repr(float(x)) for x in point) + " 7" for point in vertices]
        rows += [f"{len(face)} " + " ".join(map(str, face)) for face in faces]
        return header + "\n".join([*rows, "3", ""]).encode()
    order = "<" if form == "binary_little_endian" else ">"
    body = b"".join(struct.pack(order + "3dB", *point, 7) for point in vertices)
    body += b"".join(struct.pack(f"{order}B{len(face)}i", len(face), *face) for face in faces)
    return header + body + struct.pack(order + "i", 3)

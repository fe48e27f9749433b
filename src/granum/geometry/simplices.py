"""Closest points of points, segments, triangles and lines, on numbers alone.

Points are tuples (x, y, z). A closest point is told by its weights: the share of each corner of the
simplex, not negative, with sum 1. ``part`` tells which sub-simplex holds it, as the sum of the bits
of its corners (1, 2, 4 for the first, second, third): 3 is the inside of a segment, 7 the inside of
a triangle, 1 the first corner itself. Every call names exactly one part, also where rounding
decides, and where it is a corner the weights are exactly 1 and 0.

Nothing is divided by zero: segments without length, needles and triangles without area, parallel
lines all have an answer. The distance is that of the points told, so it is never too short by more
than rounding; and too long by no more than a few roundings of the largest length in play. This
needs products of cross products: with u, v two directions and φ the small angle between them,
|u × v|² keeps the digits that u²v² - (u·v)² loses, and a last step along the ill-conditioned
direction takes off what is left, of the order of a rounding over sin φ.

`of_lines` and `of_segments` are symmetric under an exchange of the two sides, to the bit.
"""

from __future__ import annotations

from numba.extending import register_jitable

Vector = tuple[float, float, float]

FIRST, SECOND, THIRD = 1, 2, 4
SEGMENT, TRIANGLE = FIRST + SECOND, FIRST + SECOND + THIRD
OUTSIDE = 1e-3  # share of a triangle's area by which a foot is outside whatever rounding did
STEEP = 0.1  # sin² φ from which on nothing is badly known
PARALLEL = 1e-30  # sin² φ up to which two directions differ by no more than rounding


@register_jitable
def less(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@register_jitable
def between(a: Vector, b: Vector, t: float) -> Vector:
    """Return the point (1 - t) a + t b."""
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@register_jitable
def dot(a: Vector, b: Vector) -> float:
    """Return a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@register_jitable
def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@register_jitable
def on_segment(p: Vector, a: Vector, b: Vector) -> tuple[float, float, int]:
    """Return ``(t, d², part)``: the point (1 - t) a + t b of a segment that is closest to p.

    The distance to an end is that of the points themselves, so that all segments that share an end
    agree about it to the bit.
    """
    u, r = less(b, a), less(p, a)
    along, whole = dot(r, u), dot(u, u)
    if along <= 0.0:
        return 0.0, dot(r, r), FIRST
    if along >= whole:
        r = less(p, b)
        return 1.0, dot(r, r), SECOND
    t = along / whole
    r = (r[0] - t * u[0], r[1] - t * u[1], r[2] - t * u[2])
    return t, dot(r, r), SEGMENT


@register_jitable
def on_line(p: Vector, a: Vector, b: Vector) -> tuple[float, float]:
    """Return ``(t, d²)``: the point (1 - t) a + t b of a line that is closest to p.

    A line through one point twice is that point, at t = 0.
    """
    u, r = less(b, a), less(p, a)
    whole = dot(u, u)
    t = dot(r, u) / whole if whole > 0.0 else 0.0
    r = (r[0] - t * u[0], r[1] - t * u[1], r[2] - t * u[2])
    return t, dot(r, r)


@register_jitable
def _on_rim(p: Vector, a: Vector, b: Vector, c: Vector) -> tuple[float, float, float, float, int]:
    """Return the closest point of the three sides, as `on_triangle` does."""
    t, best, part = on_segment(p, a, b)
    x, y, z = 1.0 - t, t, 0.0
    t, d2, found = on_segment(p, b, c)
    if d2 < best:
        best, part = d2, 2 * found
        x, y, z = 0.0, 1.0 - t, t
    t, d2, found = on_segment(p, a, c)
    if d2 < best:
        best, part = d2, (found & FIRST) + 2 * (found & SECOND)
        x, y, z = 1.0 - t, 0.0, t
    return x, y, z, best, part


@register_jitable
def _along_longest(x: float, y: float, z: float, r: Vector, ab: Vector, ac: Vector,
                   bc: Vector) -> Vector:
    """Return weights moved along the longest side until what is left, r, is normal to it.

    The foot of the perpendicular on a needle is badly known along the needle only.
    """
    aab, aac, abc = dot(ab, ab), dot(ac, ac), dot(bc, bc)
    if aab >= aac and aab >= abc:
        t = dot(r, ab) / aab
        return x - t, y + t, z
    if aac >= abc:
        t = dot(r, ac) / aac
        return x - t, y, z + t
    t = dot(r, bc) / abc
    return x, y - t, z + t


@register_jitable
def in_triangle(p: Vector, a: Vector, b: Vector,
                c: Vector) -> tuple[float, float, float, float, bool]:
    """Return ``(x, y, z, d², is_inside)``: the foot x a + y b + z c of p, if inside a triangle.

    Its weights are areas over the whole area, each the area of the triangle that p makes with a
    side, seen along the normal n. Far outside, nothing but ``is_inside`` means anything.
    """
    ab, ac, bc = less(b, a), less(c, a), less(c, b)
    n = cross(ab, ac)
    nn = dot(n, n)
    pa, pb, pc = less(a, p), less(b, p), less(c, p)
    y, z = dot(cross(pc, pa), n), dot(cross(pa, pb), n)
    x = nn - y - z
    if (min(x, y, z) <= -OUTSIDE * nn
            or nn <= PARALLEL * dot(ab, ab) * dot(ac, ac)):
        return x, y, z, 0.0, False
    x, y, z = x / nn, y / nn, z / nn
    r = (-pa[0] - (y * ab[0] + z * ac[0]), -pa[1] - (y * ab[1] + z * ac[1]),
         -pa[2] - (y * ab[2] + z * ac[2]))
    x, y, z = _along_longest(x, y, z, r, ab, ac, bc)
    r = (-pa[0] - (y * ab[0] + z * ac[0]), -pa[1] - (y * ab[1] + z * ac[1]),
         -pa[2] - (y * ab[2] + z * ac[2]))
    return x, y, z, dot(r, r), x > 0.0 and y > 0.0 and z > 0.0


@register_jitable
def on_triangle(p: Vector, a: Vector, b: Vector,
                c: Vector) -> tuple[float, float, float, float, int]:
    """Return ``(x, y, z, d², part)``: the point x a + y b + z c of a triangle closest to p."""
    x, y, z, d2, is_inside = in_triangle(p, a, b, c)
    if is_inside:
        return x, y, z, d2, TRIANGLE
    return _on_rim(p, a, b, c)


@register_jitable
def of_lines(a: Vector, b: Vector, c: Vector, d: Vector) -> tuple[float, float, float, float]:
    """Return ``(s, t, d², sin² φ)`` of the lines through a, b and through c, d.

    The closest points are (1 - s) a + s b and (1 - t) c + t d; φ is the angle between the lines.
    Where they are parallel to rounding, or one is a point, sin² φ is exactly 0, and s and t mean
    nothing.

    With r = a - c, u = b - a, v = d - c and n = u × v: s = (v × r)·n / n², t = (u × r)·n / n².
    """
    u, v, r = less(b, a), less(d, c), less(a, c)
    n = cross(u, v)
    uu, vv, nn = dot(u, u), dot(v, v), dot(n, n)
    if nn <= PARALLEL * (uu * vv):
        return 0.0, 0.0, 0.0, 0.0
    s, t = dot(cross(v, r), n) / nn, dot(cross(u, r), n) / nn
    g = _between(r, u, v, s, t)
    if nn < STEEP * (uu * vv):
        # what is left along the lines is rounding: half is taken off on either side
        s, t = s - 0.5 * dot(g, u) / uu, t + 0.5 * dot(g, v) / vv
        g = _between(r, u, v, s, t)
    return s, t, dot(g, g), nn / (uu * vv)


@register_jitable
def _between(r: Vector, u: Vector, v: Vector, s: float, t: float) -> Vector:
    """Return r + s u - t v, with the same bits, negative, when the two lines change places."""
    return (r[0] + (s * u[0] - t * v[0]), r[1] + (s * u[1] - t * v[1]),
            r[2] + (s * u[2] - t * v[2]))


@register_jitable
def of_segments(a: Vector, b: Vector, c: Vector,
                d: Vector) -> tuple[float, float, float, int, int]:
    """Return ``(s, t, d², part, part)`` of the segments ab and cd.

    The closest points are (1 - s) a + s b and (1 - t) c + t d. Unless both are inside, one is an
    end: four distances of an end to the other segment. Where several are the least, as for
    parallel segments side by side, the mean of their points is taken, which is as close.
    """
    s, t, d2, sine2 = of_lines(a, b, c, d)
    if sine2 > 0.0 and 0.0 < s < 1.0 and 0.0 < t < 1.0:
        return s, t, d2, SEGMENT, SEGMENT
    t_a, a2, _ = on_segment(a, c, d)
    t_b, b2, _ = on_segment(b, c, d)
    s_c, c2, _ = on_segment(c, a, b)
    s_d, e2, _ = on_segment(d, a, b)
    d2 = min(a2, b2, c2, e2)
    f = 1.0 if a2 == d2 else 0.0
    g = 1.0 if b2 == d2 else 0.0
    h = 1.0 if c2 == d2 else 0.0
    k = 1.0 if e2 == d2 else 0.0
    count = (f + g) + (h + k)
    s, t = (g + (h * s_c + k * s_d)) / count, ((f * t_a + g * t_b) + k) / count
    return s, t, d2, _part_at(s), _part_at(t)


@register_jitable
def _part_at(t: float) -> int:
    """Return the part of a segment that holds its point at t."""
    if t <= 0.0:
        return FIRST
    return SECOND if t >= 1.0 else SEGMENT

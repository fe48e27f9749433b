"""The outline of a cow seen from the side, in 62 points.

F. Alonso-Marroquín and Y. Wang (Granular Matter 11 (2009) 317) timed a "Minkowski cow" of as many,
to show that an outline may be of anything. This one was drawn for granum: facing left, counter-
clockwise from the nose, in hundredths of its height at the withers.
"""

from __future__ import annotations

COW = (
    # muzzle, throat and chest
    (0, 86), (2, 79), (8, 76), (16, 78), (25, 79), (34, 69), (39, 59), (44, 50),
    # front legs
    (47, 38), (45, 6), (43, 0), (52, 0), (53, 7), (56, 35), (59, 42),
    (62, 34), (63, 7), (62, 0), (71, 0), (71, 8), (73, 37), (78, 44),
    # belly and udder
    (96, 41), (121, 45), (126, 37), (132, 34), (138, 43),
    # hind legs
    (142, 34), (138, 8), (136, 0), (145, 0), (146, 8), (150, 23), (154, 33),
    (157, 22), (154, 8), (153, 0), (162, 0), (163, 9), (166, 27), (170, 47), (172, 64),
    # tail with its tuft
    (177, 50), (179, 36), (177, 26), (184, 21), (186, 33), (184, 52), (180, 74), (172, 89),
    # back, neck, ear, two horns and face
    (128, 88), (66, 94), (48, 101), (50, 107), (40, 106), (36, 110), (42, 123), (32, 113),
    (27, 113), (18, 124), (22, 109), (5, 93),
)
LENGTH = 186.0
"""From the nose to the tail, in the same unit."""

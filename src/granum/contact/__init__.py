"""Narrow phase: from candidate pairs to contact points, their forces and what they remember.

In: packed grains, candidates and a law's function. Out: sums of forces and torques, and history in
the candidates' slots. ``sweep`` is for pairs of grains, ``walls`` for grain and wall, ``history``
for reading history out and laying it back, ``table`` for looking at contacts without touching them.
For swept skeletons, ``skeleton`` tells what is next to what, ``features`` how often each touch
counts, and ``pairs`` is the whole of it for two bodies, slow and plain.
"""

"""Contacts of swept skeletons: grains whose balls are joined by segments and triangles.

In: bodies whose vertices are rows of the engine, and pairs of bodies that may touch. Out: sums of
forces on the vertices, and history in the slots. A slot is a pair of features: two vertices, vertex
and edge, vertex and face, or two edges. ``adjacency`` says what hangs together in a shape,
``slots`` lists the features that may touch, ``apart`` sorts out those that cannot, ``rest`` tells
for how long they do not, ``meeting`` finds where they do and how much that counts, ``single`` makes
one contact of them where that is asked for, ``sweep`` collects them (``rods`` and ``rod_sweep``
those of rods, faster), ``acting`` gets the forces, ``memory`` carries history over, ``table``
lists contacts.
"""

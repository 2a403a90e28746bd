"""The `impulse` engine: convex rigid bodies on a board, by impulses, compiled.

The files, in the order in which to read them:

* `state`: memory layout of bodies, contacts and parameters;
* `flight`: free motion of one body, and its impacts and contacts with a plane;
* `solver`: projected Gauss-Seidel over contact impulses (Catto 2005);
* `gjk`: signed distance of two convex shapes (Gilbert, Johnson and Keerthi 1988);
* `broad_phase`: bodies that may collide within a step;
* `cup`: motion of the cup, and contacts with its wall, floor and rim;
* `manifold`: contacts of bodies with the board and with each other;
* `step`: one step of a world;
* `pour`: a whole throw in one call;
* `drops`: drops of one die, stopped as soon as the outcome is certain;
* `plates`: throws of one die among plates;
* `looks`: states of one body in a recorded throw, and copies of them thrown on;
* `kernels`: the functions that pages and other machines call too;
* `engine`: the engine as the rest of the package sees it, in ordinary Python;
* `webassembly`: the layout of arguments for the same code in a browser.
"""

__all__: list[str] = []

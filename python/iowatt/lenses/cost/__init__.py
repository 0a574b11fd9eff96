"""The cost lens: what a Run costs in dollars, now and over its life, component by component.

``book`` holds the assumptions (each with its source and date), ``system`` what a Run tells of drives and
power, ``horizon`` how long the work goes on; each component has a module, and ``price`` puts them together.
"""

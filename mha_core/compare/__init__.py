"""Two computations side by side.

``variant`` (an example done otherwise), ``diff`` (what differs), ``replay`` (a known mistake, and all that comes after
it), ``pairs`` (published ones to be looked at).
"""

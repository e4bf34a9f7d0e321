"""Two computations side by side.

``variant`` (a changed example), ``diff`` (what differs), ``replay`` (a known mistake and every later step), ``pairs``
(published mistakes).
"""

"""An article in, its examples with claimed numbers out: what is printed where, and which of it is wrong. Read in order:

``document`` (a text with the place of every character in its file), ``formats`` (which format it is, and its limits),
``markdown``, ``pages`` (HTML), ``notebooks`` and ``pdf`` (what each format has to show), ``grids`` (tables of printed
numbers), ``latex``, ``brackets``, ``tables`` and ``programs`` (where grids are found), ``labels`` (what the text
around a grid calls it), ``vectors`` (rows that are printed one by one), ``aliases`` and ``names`` (which matrix that
is), ``place`` (one guess for every grid), ``choices`` (what a reader says it is instead), ``parts`` (several examples
in one text), ``settings`` (divisor, mask, tokens), ``assemble`` (a reading as an example), ``reading`` (the reading
under which most numbers come out right), ``verdict`` (the check in the text, and a corrected copy), ``report``.
"""

"""The parameters of one layer, and each library's arrangement of them.

``packed`` (the parameters of any layer), ``torch_layer``, ``keras_layer``, ``bert``, and ``masks`` (whether True hides
or allows).
"""

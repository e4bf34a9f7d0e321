"""Tests of components in a document without a browser, and what Python sends each of them."""

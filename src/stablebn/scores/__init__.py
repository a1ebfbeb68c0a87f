"""Scores: a family's score is an exact integer, in units of 2**-62 nats, made from statistics."""

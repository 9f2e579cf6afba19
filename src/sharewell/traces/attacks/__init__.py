"""Attacks on logs: what somebody knows of a student, and which released student fits it best.

Where company is promised no attack can exceed it; these show the danger of the original, and judge a release under
`promise = "points"`.
"""

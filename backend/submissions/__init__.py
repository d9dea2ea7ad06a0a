"""Submissions: the files of an upload, its language, and its life from upload to ladder."""

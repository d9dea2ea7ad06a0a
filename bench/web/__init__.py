"""The pages of an arena of a million matches: made-up data, the requests that pages send, what they cost."""

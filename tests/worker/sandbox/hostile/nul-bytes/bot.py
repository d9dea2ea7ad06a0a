import os

input()
os.write(1, b"\0WAIT\0\n")
input()

import os

input()
os.write(2, b"\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>\n")
os.write(1, b"\x1b[2J\x1b]8;;http://example.com\x07<b>\n")
input()

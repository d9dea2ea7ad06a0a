import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


# A program that is in no file, and that becomes this process.
CODE = """
import os, socket
try:
    socket.socket()
    print("has sockets")
except OSError:
    print("held")
input()
"""
import sys

input()
program = os.memfd_create("program")
with open(os.path.realpath(sys.executable or "/usr/bin/python3"), "rb") as file:
    while os.sendfile(program, file.fileno(), None, 1 << 20):
        pass
EXECVEAT, AT_EMPTY_PATH = (322, 281), 0x1000
words = [b"python3", b"-I", b"-S", b"-c", CODE.encode()]
array = (ctypes.c_char_p * (len(words) + 1))(*words, None)
environment = (ctypes.c_char_p * 2)(b"PYTHONHOME=/usr", None)
failed = libc.syscall(EXECVEAT[column], program, b"", array, environment, AT_EMPTY_PATH)
print(f"cannot: {errno.errorcode[ctypes.get_errno()]}")
input()

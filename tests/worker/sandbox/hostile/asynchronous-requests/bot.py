import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


IO_SETUP, IO_DESTROY, IO_GETEVENTS, IO_SUBMIT, IO_CANCEL = (206, 0), (207, 1), (208, 4), (209, 2), (210, 3)
input()
context = (ctypes.c_ulong * 1)(0)
tried = {
    "io_setup": call(IO_SETUP, 128, context),
    "io_submit": call(IO_SUBMIT, context[0], 0, 0),
    "io_getevents": call(IO_GETEVENTS, context[0], 0, 0, 0, 0),
    "io_cancel": call(IO_CANCEL, context[0], 0, 0),
    "io_destroy": call(IO_DESTROY, context[0]),
}
found = [one for one in tried.items() if one[1] != "EPERM"]
print("held" if not found else f"{found}"[:900])
input()

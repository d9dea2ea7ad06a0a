"""The arena: data, decisions and HTTP. Imports `games`, never `worker` or `cli`."""

import os

# Before anybody loads numpy. Several threads in one small matrix would take the bots' cores, and on a busy machine wait
# for each other; and a fit's last bits depend on how many there are.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

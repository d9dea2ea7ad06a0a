import os
import resource

input()
print(*resource.getrlimit(resource.RLIMIT_CORE))
input()
os.abort()

import subprocess

input()
busy = "import time\nwhile time.process_time() < 0.2: pass"
subprocess.run(["python3", "-I", "-S", "-c", busy], check=True)
print("ran")
input()

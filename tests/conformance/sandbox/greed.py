"""What agents run that take more than they are given."""

DEVOURS = """
held = []
for _ in range(32):
    held.append(bytearray(8 << 20))
    time.sleep(0.03)
print("still here", flush=True)
time.sleep(30)
"""
FORKS = """
children = []
for number in range(100):
    try:
        pid = os.fork()
    except OSError as error:
        print("stopped:", error.errno, flush=True)
        break
    if not pid:
        time.sleep(30)
    children.append(pid)
print("forked:", len(children), flush=True)
time.sleep(1)
"""

"""The peers' side of the line protocol (tests/src/peers.rs), for every Python client."""
import json
import os
import queue
import sys
import threading
from types import SimpleNamespace


def options():
    return SimpleNamespace(**json.loads(sys.argv[1]))


def say(event, **facts):
    # One write: lines of several threads do not mix.
    sys.stdout.write(json.dumps({"event": event, **facts}) + "\n")
    sys.stdout.flush()


def commands():
    """A queue that a thread fills with what is read."""
    read = queue.Queue()

    def reading():
        for line in sys.stdin:
            read.put(json.loads(line))
        # Nobody is there to be told anything: end as a process that is killed.
        os._exit(0)

    threading.Thread(target=reading, daemon=True).start()
    return read


def waiting(read):
    """The commands that are there by now."""
    while True:
        try:
            yield read.get_nowait()
        except queue.Empty:
            return

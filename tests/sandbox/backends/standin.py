"""A runtime that confines nothing: it shows that the configuration and the words are right.

--root STATE run --bundle FOLDER ID | kill ID KILL | delete --force ID
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

option, state = sys.argv[1], Path(sys.argv[2])
assert option == "--root" and state.is_dir(), sys.argv
match sys.argv[3:]:
    case ["run", "--bundle", folder, name]:
        configuration = Path(folder, "config.json")
        config = json.loads(configuration.read_text())
        process = config["process"]
        for mount in config["mounts"]:  # every mount has its place in the root
            assert Path(config["root"]["path"] + mount["destination"]).exists(), mount
        environment = dict(each.split("=", 1) for each in process["env"])
        child = subprocess.Popen(
            process["args"], cwd=process["cwd"], env=environment, start_new_session=True
        )
        (state / name).write_text(str(child.pid))
        if "KEEP" in os.environ:
            shutil.copy(configuration, os.environ["KEEP"])
        status = child.wait()
        sys.exit(status if status >= 0 else 128 - status)
    case ["kill", name, "KILL"]:
        os.killpg(int((state / name).read_text()), signal.SIGKILL)
    case ["delete", "--force", name]:
        (state / name).unlink()
    case words:
        sys.exit(f"unknown words {words}")

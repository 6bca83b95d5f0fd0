"""Asks the inspector's API what its OpenAPI description allows, and what it does not allow, with schemathesis (PyPI)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from client import HOME, Connection

# Of the answers: none is a failure of the server, each has a status, a type and a form that the description names.
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
          "unsupported_method")
FOLDER = os.path.join(HOME, ".build", "schemathesis")


def executable():
    """schemathesis; None if there is none."""
    own = os.path.join(FOLDER, "bin", "schemathesis")
    return own if os.path.exists(own) else shutil.which("schemathesis")


def install():
    """Into a folder of the build. Without a network there is none, then."""
    subprocess.run([sys.executable, "-m", "venv", FOLDER], stdout=sys.stderr)
    subprocess.run(
        [os.path.join(FOLDER, "bin", "python3"), "-m", "pip", "install", "-q", "schemathesis>=4.32,<5"], stdout=sys.stderr)


def withValues(document, values):
    """The description, with values that are there beside those that are made up."""
    for operation in document["paths"].values():
        for parameter in operation["get"]["parameters"]:
            known = values.get(parameter["name"])
            if known and parameter["schema"].get("type") == "string" and "enum" not in parameter["schema"]:
                parameter["schema"] = {"anyOf": [{"enum": known}, parameter["schema"]]}
    return document


def fuzz(inspector, values, examples, seed, check):
    cookie = inspector.enter()
    status, _, body = Connection(inspector.port, cookie).ask("/api/openapi.json")
    check("the API is described", status == 200)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "openapi.json")
        with open(path, "w") as file:
            json.dump(withValues(json.loads(body), values), file)
        # At the edge of the budget of an answer a machine that is busy with other things is slow.
        run = subprocess.run(
            [executable(), "run", path, "--url", inspector.base, "--header", f"Cookie: {cookie}", "--checks", CHECKS,
             "--max-examples", str(examples), "--seed", str(seed), "--request-timeout", "90"],
            cwd=folder, capture_output=True, text=True)
    check(f"schemathesis finds nothing, seed {seed}", run.returncode == 0, "\n" + run.stdout[-6000:] + run.stderr[-2000:])
    summary = [line.strip() for line in run.stdout.splitlines() if " generated," in line]
    print("schemathesis: " + "; ".join(summary), file=sys.stderr)
    check("the server is there after it", inspector.process.poll() is None)

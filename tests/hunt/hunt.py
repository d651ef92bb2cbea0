# SPDX-License-Identifier: MIT
"""Shared by the hunts of this folder: options, runs of the command with a time limit, findings."""
import argparse
import os
import subprocess
import sys
import time


def options(name, about):
    parser = argparse.ArgumentParser(prog="tests/hunt/" + name, description=about)
    parser.add_argument("--zwang", default="build/zwang", help="the command to test")
    parser.add_argument("--count", type=int, default=100, help="number of random models")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first model")
    parser.add_argument("--keep", default="", help="folder for the models with findings")
    return parser.parse_args()


class Run:
    """One run of the command: exit code (None: it did not finish in time), output, seconds."""

    def __init__(self, arguments, limit):
        begin = time.monotonic()
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=limit)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.code, self.out, self.err = None, "", ""
        self.seconds = time.monotonic() - begin


class Hunt:
    """Counts models and findings; keeps the models that have some."""

    def __init__(self, name, keep):
        self.name, self.keep, self.models, self.findings = name, keep, 0, 0
        if keep:
            os.makedirs(keep, exist_ok=True)

    def finding(self, seed, kind, text, words):
        self.findings += 1
        kept = ""
        if self.keep:
            kept = os.path.join(self.keep, "%s_%d.zw" % (self.name, seed))
            with open(kept, "w") as file:
                file.write(text)
        print("seed %d, %s: %s%s" % (seed, kind, words, " [%s]" % kept if kept else ""), flush=True)

    def end(self):
        print("hunt %s: %d models, %d findings" % (self.name, self.models, self.findings))
        sys.exit(1 if self.findings else 0)

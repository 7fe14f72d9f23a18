#!/usr/bin/env python3
"""Runs a command under the SystemCallFilter, RestrictAddressFamilies and RestrictNamespaces of a unit file, where systemd itself can't:
confine.py UNIT COMMAND… The sets of calls are those of the systemd that is installed."""
import ctypes
import os
import subprocess
import sys

EPERM, ENOSYS, ALLOW = 0x00050001, 0x00050026, 0x7FFF0000


class Compare(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def calls(name):
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in listed.stdout.splitlines()[1:]]
    return set().union(*(calls(line) for line in lines if line and not line.startswith("#")))


def values(unit, name):
    return [line.split("=", 1)[1].strip() for line in open(unit) if line.startswith(name + "=")]


unit, command = sys.argv[1], sys.argv[2:]
allowed = calls("@default")
for value in values(unit, "SystemCallFilter"):
    names = value.lstrip("~").split()
    chosen = set().union(*(calls(name) for name in names))
    allowed = allowed - chosen if value.startswith("~") else allowed | chosen
families = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}

seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
context = ctypes.c_void_p(seccomp.seccomp_init(EPERM))


def rule(action, name, *compare):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    if number >= 0:
        assert seccomp.seccomp_rule_add_array(context, action, number, len(compare), (Compare * len(compare))(*compare)) == 0, name


for name in sorted(allowed - {"socket", "clone3", "unshare", "setns"}):
    rule(ALLOW, name)
for family in " ".join(values(unit, "RestrictAddressFamilies")).split():
    rule(ALLOW, "socket", Compare(0, 4, families[family], 0))
# As systemd does: clone3 hides its flags in memory, so callers are sent to clone.
rule(ENOSYS, "clone3")
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0
assert seccomp.seccomp_load(context) == 0
os.execvp(command[0], command)

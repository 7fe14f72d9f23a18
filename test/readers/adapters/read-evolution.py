"""Evolution's and GNOME Calendar's store, with the session's bus and folders of its own."""
import glob
import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

here = os.path.dirname(os.path.abspath(__file__))
plugins = f"{here}/usr/lib/evolution-data-server"


def begin(folder):
    """Runs this file again on a bus whose services are those of this folder."""
    os.makedirs(f"{folder}/services")
    for path in glob.glob(f"{here}/usr/share/dbus-1/services/*evolution*"):
        with open(path, encoding="utf-8") as file, open(f"{folder}/services/{os.path.basename(path)}", "w") as written:
            written.writelines(
                line.replace("/usr/libexec", f"{here}/usr/libexec") for line in file if not line.startswith("Systemd")
            )
    with open(f"{folder}/bus.conf", "w", encoding="utf-8") as file:
        file.write(
            f"<busconfig><type>session</type><listen>unix:tmpdir={folder}</listen><servicedir>{folder}/services"
            '</servicedir><policy context="default"><allow send_destination="*" eavesdrop="true"/>'
            '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>'
        )
    subprocess.run(
        ["glib-compile-schemas", f"--targetdir={folder}", f"{here}/usr/share/glib-2.0/schemas"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    env = {
        **os.environ,
        "HOME": folder,
        "XDG_RUNTIME_DIR": folder,
        "GSETTINGS_BACKEND": "memory",
        "GSETTINGS_SCHEMA_DIR": folder,
        "GIO_USE_VFS": "local",
        "EDS_CALENDAR_MODULES": f"{plugins}/calendar-backends",
        "EDS_REGISTRY_MODULES": f"{plugins}/none",
        "EDS_SUBPROCESS_CAL_PATH": f"{here}/usr/libexec/evolution-calendar-factory-subprocess",
    }
    command = [sys.executable, __file__, "--in-session", *sys.argv[1:]]
    bus = ["dbus-run-session", f"--config-file={folder}/bus.conf", "--", *command]
    return subprocess.run(bus, env=env, stdout=subprocess.PIPE, check=True).stdout.decode()


def read(files):
    import gi

    gi.require_version("ECal", "2.0")
    gi.require_version("EDataServer", "1.2")
    gi.require_version("ICalGLib", "3.0")
    from gi.repository import ECal, EDataServer, ICalGLib

    registry = EDataServer.SourceRegistry.new_sync(None)
    source = registry.ref_builtin_calendar()
    client = ECal.Client.connect_sync(source, ECal.ClientSourceType.EVENTS, 30, None)
    for path in files:
        with open(path, encoding="utf-8", newline="") as file:
            calendar = ICalGLib.Component.new_from_string(file.read())
        client.receive_objects_sync(calendar, ECal.OperationFlags.NONE, None)

    def instant(time):
        zone = time.get_timezone()
        if zone is None and time.get_tzid() is not None:
            zone = client.get_timezone_sync(time.get_tzid(), None)[1]
        return datetime.fromtimestamp(time.as_timet_with_zone(zone), timezone.utc).isoformat()

    _, events = client.get_object_list_sync("#t", None)
    for event in events:
        yield {
            "uid": event.get_uid(),
            "start": instant(event.get_dtstart()),
            "end": instant(event.get_dtend()),
            "sequence": event.get_sequence(),
            "status": event.get_status().value_nick.upper(),
            "title": event.get_summary(),
        }


if sys.argv[1] == "--in-session":
    print(json.dumps(list(read(sys.argv[2:]))))
else:
    with tempfile.TemporaryDirectory() as folder:
        print(begin(folder))

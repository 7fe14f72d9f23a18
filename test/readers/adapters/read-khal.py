import contextlib
import json
import os
import sys
import tempfile
from datetime import datetime

import pytz
from khal.cli import main_khal
from khal.khalendar import CalendarCollection

zone = pytz.timezone(os.environ["TZ"])
with tempfile.TemporaryDirectory() as folder:
    entries, settings = os.path.join(folder, "entries"), os.path.join(folder, "khal.conf")
    os.mkdir(entries)
    with open(settings, "w", encoding="utf-8") as file:
        file.write(
            f"[calendars]\n[[home]]\npath = {entries}\n[sqlite]\npath = {folder}/khal.db\n"
            f"[locale]\nlocal_timezone = {zone}\ndefault_timezone = {zone}\n"
            "timeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\n"
            "datetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n"
        )
    for path in sys.argv[1:]:
        with contextlib.redirect_stdout(sys.stderr):
            main_khal(["-c", settings, "import", "--batch", "-a", "home", path], standalone_mode=False)
    home = {"name": "home", "path": entries, "readonly": True, "color": "", "priority": 10, "ctype": "calendar"}
    locale = {"local_timezone": zone, "default_timezone": zone, "unicode_symbols": False}
    collection = CalendarCollection({"home": home}, dbpath=os.path.join(folder, "khal.db"), locale=locale)
    found = [
        {
            "uid": event.uid,
            "start": event.start_local.isoformat(),
            "end": event.end_local.isoformat(),
            "status": event.status.strip(),
            "title": event.summary,
        }
        for event in collection.get_localized(zone.localize(datetime(2027, 1, 1)), zone.localize(datetime(2028, 1, 1)))
    ]
print(json.dumps(found))

"""What python3-vobject finds busy in each file."""
import json
from datetime import datetime, timedelta

import pytz
import vobject

zone = pytz.timezone("Europe/London")


def instant(value):
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = zone.localize(value)
    return int(value.timestamp() * 1000)


def busy(text):
    found = []
    for event in vobject.readOne(text).contents.get("vevent", []):
        start, end = event.dtstart.value, event.dtend.value
        if event.rruleset is None:
            found.append([instant(start), instant(end)])
        for day in event.rruleset or []:
            whole = not isinstance(start, datetime)
            last = day + (end - start)
            if hasattr(day.tzinfo, "localize"):
                last = day.tzinfo.normalize(last)
            found.append([instant(day.date() if whole else day), instant(last.date() if whole else last)])
    return found


with open("weeks.json", encoding="utf-8") as file:
    weeks = json.load(file)
read = []
for week in weeks:
    try:
        read.append(busy(week["ics"]))
    except Exception as error:  # what a reader refuses is a result, too
        read.append(f"{type(error).__name__}: {error}"[:200])
with open("python-read.json", "w", encoding="utf-8") as file:
    json.dump({"python3-vobject": read}, file)

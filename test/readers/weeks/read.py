"""What python3-vobject and python3-recurring-ical-events find busy in each file."""
import json
from datetime import datetime

import icalendar
import pytz
import recurring_ical_events
import vobject

zone = pytz.timezone("Europe/London")


def instant(value):
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = zone.localize(value)
    return int(value.timestamp() * 1000)


def by_vobject(text, _first, _last):
    """Each time as the library gives it and, unless that is excluded, as its clock shows it."""
    found = []
    for event in vobject.readOne(text).contents.get("vevent", []):
        start, end = event.dtstart.value, event.dtend.value
        if not isinstance(start, datetime):
            start, end = (datetime(day.year, day.month, day.day) for day in (start, end))
        excluded = [day.timetuple()[:5] for line in event.contents.get("exdate", []) for day in line.value]
        for day in [start] if event.rruleset is None else event.rruleset:
            time = [day, day + (end - start)]
            if day.timetuple()[:5] not in excluded:
                time += [at.replace(tzinfo=None) for at in time]
            found.append([instant(at) for at in time])
    return found


def by_recurring(text, first, last):
    events = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(first, last)
    return [[instant(event["DTSTART"].dt), instant(event["DTEND"].dt)] for event in events]


def tried(read, week):
    try:
        return read(week["ics"], *(datetime.fromtimestamp(week[at] / 1000, zone) for at in ("from", "to")))
    except Exception as error:  # what a reader refuses is a result, too
        return f"{type(error).__name__}: {error}"[:200]


with open("weeks.json", encoding="utf-8") as file:
    weeks = json.load(file)
readers = {"python3-vobject": by_vobject, "python3-recurring-ical-events": by_recurring}
with open("python-read.json", "w", encoding="utf-8") as file:
    json.dump({name: [tried(read, week) for week in weeks] for name, read in readers.items()}, file)

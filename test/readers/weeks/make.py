"""Closures as python3-icalendar and python3-vobject write them."""
import json
from datetime import date, datetime, timedelta

import icalendar
import pytz
import vobject

zone = pytz.timezone("Europe/London")
with open("specs.json", encoding="utf-8") as file:
    specs = json.load(file)


def at(parts, minutes=0, whole=False):
    naive = datetime(*parts) + timedelta(minutes=minutes)
    return naive.date() if whole else zone.localize(naive)


def by_icalendar(week):
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//closures//")
    calendar.add("version", "2.0")
    for spec in week:
        event = icalendar.Event()
        event.add("uid", spec["uid"])
        event.add("dtstamp", datetime(2026, 11, 29, tzinfo=pytz.utc))
        event.add("summary", "Closed")
        event.add("dtstart", at(spec["start"], whole=spec["allDay"]))
        event.add("dtend", at(spec["start"], spec["minutes"], spec["allDay"]))
        if spec.get("rule"):
            event.add("rrule", {"freq": spec["rule"]["freq"], "count": spec["rule"]["count"]})
            if spec.get("without"):
                event.add("exdate", at(spec["without"], whole=spec["allDay"]))
        calendar.add_component(event)
    return calendar.to_ical().decode()


def by_vobject(week):
    calendar = vobject.iCalendar()
    for spec in week:
        event = calendar.add("vevent")
        event.add("uid").value = spec["uid"]
        event.add("dtstamp").value = datetime(2026, 11, 29, tzinfo=pytz.utc)
        event.add("summary").value = "Closed"
        event.add("dtstart").value = at(spec["start"], whole=spec["allDay"])
        event.add("dtend").value = at(spec["start"], spec["minutes"], spec["allDay"])
        if spec.get("rule"):
            event.add("rrule").value = f"FREQ={spec['rule']['freq']};COUNT={spec['rule']['count']}"
            if spec.get("without"):
                event.add("exdate").value = [at(spec["without"], whole=spec["allDay"])]
    return calendar.serialize()


makers = {"python3-icalendar": by_icalendar, "python3-vobject": by_vobject}
with open("python.json", "w", encoding="utf-8") as file:
    json.dump({name: [write(week) for week in specs[name]] for name, write in makers.items()}, file)

import json
import sys

from icalendar import Calendar

found = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        calendar = Calendar.from_ical(file.read())
    for event in calendar.walk("VEVENT"):
        found.append(
            {
                "uid": event["UID"],
                "start": event.decoded("DTSTART").isoformat(),
                "end": event.decoded("DTEND").isoformat(),
                "sequence": event["SEQUENCE"],
                "status": event["STATUS"],
                "method": calendar.get("METHOD"),
                "title": event["SUMMARY"],
            }
        )
print(json.dumps(found))

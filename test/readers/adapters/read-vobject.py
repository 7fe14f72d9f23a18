import json
import sys

import vobject

found = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        calendar = vobject.readOne(file.read())
    for event in calendar.vevent_list:
        found.append(
            {
                "uid": event.uid.value,
                "start": event.dtstart.value.isoformat(),
                "end": event.dtend.value.isoformat(),
                "sequence": event.sequence.value,
                "status": event.status.value,
                "method": calendar.method.value if hasattr(calendar, "method") else None,
                "title": event.summary.value,
            }
        )
print(json.dumps(found))

import json
import sys
from datetime import datetime, timezone

import gi

gi.require_version("ICalGLib", "3.0")
from gi.repository import ICalGLib  # noqa: E402


def instant(time):
    seconds = time.as_timet_with_zone(time.get_timezone())
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


found = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        calendar = ICalGLib.Component.new_from_string(file.read())
    method = calendar.get_method().value_nick.upper()
    event = calendar.get_first_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
    while event is not None:
        found.append(
            {
                "uid": event.get_uid(),
                "start": instant(event.get_dtstart()),
                "end": instant(event.get_dtend()),
                "sequence": event.get_sequence(),
                "status": event.get_status().value_nick.upper(),
                "method": method,
                "title": event.get_summary(),
            }
        )
        event = calendar.get_next_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
print(json.dumps(found))

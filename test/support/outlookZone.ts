/** Outlook's zone, with a name that no other program knows. */
export const westEurope = [
  "BEGIN:VTIMEZONE",
  "TZID:W. Europe Standard Time",
  "BEGIN:STANDARD",
  "DTSTART:16010101T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10",
  "END:STANDARD",
  "BEGIN:DAYLIGHT",
  "DTSTART:16010101T020000",
  "TZOFFSETFROM:+0100",
  "TZOFFSETTO:+0200",
  "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3",
  "END:DAYLIGHT",
  "END:VTIMEZONE"
].join("\r\n")

const hours = (offset: number): string => `${offset < 0 ? "-" : "+"}${String(Math.abs(offset)).padStart(2, "0")}00`

/** A zone with summer time by its abbreviation, in the form of python3-vobject 0.9.6.1. `offset`: in winter, hours. */
export const zoneRules = (id: string, winter: string, summer: string, offset: number): string =>
  [
    "BEGIN:VTIMEZONE",
    `TZID:${id}`,
    "BEGIN:STANDARD",
    "DTSTART:20001029T020000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
    `TZNAME:${winter}`,
    `TZOFFSETFROM:${hours(offset + 1)}`,
    `TZOFFSETTO:${hours(offset)}`,
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:20000326T010000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
    `TZNAME:${summer}`,
    `TZOFFSETFROM:${hours(offset)}`,
    `TZOFFSETTO:${hours(offset + 1)}`,
    "END:DAYLIGHT",
    "END:VTIMEZONE"
  ].join("\r\n")

/** A zone with one offset, in the same form. */
export const fixedRules = (id: string, offset: string): string =>
  [
    "BEGIN:VTIMEZONE",
    `TZID:${id}`,
    "BEGIN:STANDARD",
    "DTSTART:20000101T000000",
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    "END:STANDARD",
    "END:VTIMEZONE"
  ].join("\r\n")

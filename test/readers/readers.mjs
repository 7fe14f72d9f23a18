// The readers, in the order of the table. An adapter prints the events that a reader finds in the files that it is
// given, one after the other. `keeps`: a program with entries of its own, which it prints after the last file. `anywhere`: it
// answers instants alone, so it is asked once.
const npm = (adapter, ...packages) => ({ npm: packages, command: ["node", `${adapter}.mjs`] })
const python = (adapter, ...packages) => ({ debian: packages, command: ["/usr/bin/python3", `read-${adapter}.py`] })

export const readers = {
  "ical.js": npm("ical-js", "ical.js@2.2.1"),
  "ts-ics": npm("ts-ics", "ts-ics@2.4.6"),
  "node-ical": npm("node-ical", "node-ical@0.27.2"),
  "ical-expander": npm("ical-expander", "ical-expander@3.2.0"),
  "cal-parser": npm("cal-parser", "cal-parser@1.0.2"),
  ical: npm("ical", "ical@0.8.0"),
  "python3-icalendar": python("icalendar", "python3-icalendar=4.0.3-5"),
  "python3-vobject": python("vobject", "python3-vobject=0.9.6.1-2"),
  libical: python("libical", "gir1.2-ical-3.0=3.0.16-1+b1", "libical3=3.0.16-1+b1", "python3-gi=3.42.2-3+b1"),
  "sabre/vobject": {
    debian: ["php-sabre-vobject=2.1.7-6.1", "php8.2-cli"],
    command: ["php8.2", "sabre-vobject.php"]
  },
  "iCal::Parser": { debian: ["libical-parser-perl=1.21-3"], command: ["/usr/bin/perl", "ical-parser.pl"] },
  Evolution: {
    ...python(
      "evolution",
      "evolution-data-server=3.46.4-2+deb12u1",
      "gir1.2-ecal-2.0=3.46.4-2+deb12u1",
      "python3-gi=3.42.2-3+b1",
      "libglib2.0-bin",
      "dbus"
    ),
    keeps: true,
    anywhere: true
  },
  khal: { ...python("khal", "khal=1:0.10.5-1.1"), keeps: true },
  calcurse: { debian: ["calcurse=4.7.1-1"], command: ["/usr/bin/python3", "read-calcurse.py"], keeps: true }
}

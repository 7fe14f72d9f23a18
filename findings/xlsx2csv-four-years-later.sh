#!/usr/bin/env bash
# A visit on 5 June 2027 is on 6 June 2031.
#
# Guess: date1904="0" in a workbook says what leaving it out says: dates are counted from 1900.
# What happens: xlsx2csv counts them from 1904, since it takes every value but the word "false" for true. All dates of
# the file are four years and a day later, and nothing else changes.
# Seen: 2026-11-29, xlsx2csv 1:0.7.8-1 (Debian 12), Python 3.11. Gnumeric 1.12.55 writes date1904="0" in every workbook.
# Why it matters here: a list of visits that was saved by one program is moved by another, and day and month look nearly
# right. We give lists as CSV alone; closures that come back from a workbook have to be compared with the catalogue.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download xlsx2csv=1:0.7.8-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >make.py <<'PY'
import sys, zipfile

kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
package = "http://schemas.openxmlformats.org/package/2006"
parts = {
    "[Content_Types].xml": f"""<Types xmlns="{package}/content-types"><Default Extension="rels"
      ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml"
      ContentType="{kinds}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="{kinds}.styles+xml"/>
      <Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{package}/relationships"><Relationship Id="a" Type="{links}/officeDocument"
      Target="xl/workbook.xml"/></Relationships>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{package}/relationships"><Relationship Id="a"
      Type="{links}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="{links}/styles"
      Target="styles.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook xmlns="{main}" xmlns:r="{links}"><workbookPr{sys.argv[2]}/><sheets><sheet
      name="Visits" sheetId="1" r:id="a"/></sheets></workbook>""",
    "xl/styles.xml": f"""<styleSheet xmlns="{main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>
      <borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"
      /><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>""",
    "xl/worksheets/sheet1.xml": f"""<worksheet xmlns="{main}"><sheetData><row r="1"><c r="A1" s="1"><v>46543</v></c></row>
      </sheetData></worksheet>""",
}
with zipfile.ZipFile(sys.argv[1], "w") as file:
    for name, text in parts.items():
        file.writestr(name, text)
PY
show() { # name, attribute
  /usr/bin/python3 make.py "$1.xlsx" "$2"
  echo "$1: $(/usr/bin/python3 usr/bin/xlsx2csv -f %Y-%m-%d "$1.xlsx")"
}
seen="$(show without '' && show false ' date1904="false"' && show zero ' date1904="0"')"
echo "$seen"
expected="without: 2027-06-05
false: 2027-06-05
zero: 2031-06-06"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }

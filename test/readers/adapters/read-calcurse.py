import json
import re
import subprocess
import sys
import tempfile

found = []
with tempfile.TemporaryDirectory() as folder:
    for path in sys.argv[1:]:
        subprocess.run(["calcurse", "-q", "-D", folder, "-i", path], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/apts", encoding="utf-8") as file:
        for line in file:
            times = re.findall(r"(\d\d)/(\d\d)/(\d{4}) @ (\d\d:\d\d)", line)
            # On the wall: the program keeps no zones.
            start, end = (f"{year}-{month}-{day}T{clock}" for month, day, year, clock in times)
            title = re.sub(r"^[^|!]*?(?:>\S*\s)?\s*[|!]", "", line.strip())
            found.append({"start": start, "end": end, "title": title})
print(json.dumps(found))

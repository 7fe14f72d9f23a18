// Reads what `npm audit --json` says from standard input. Exits 1 where there is an advisory that docs/supply-chain.md
// does not explain, and 2 where the registry did not answer.
import { readFileSync } from "node:fs"

const explained = readFileSync(new URL("../docs/supply-chain.md", import.meta.url), "utf8")
const text = readFileSync(0, "utf8")
let answer
try {
  answer = JSON.parse(text)
} catch {
  answer = {}
}

if (answer.vulnerabilities === undefined) {
  console.error(`The registry was not asked for advisories: ${answer.message ?? "npm audit gave no answer"}`)
  process.exit(2)
}
const advisories = new Map(
  Object.values(answer.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((reason) => typeof reason === "object")
    .map(({ name, severity, title, url }) => [url, `${severity}: ${name}: ${title} (${url})`])
)
const open = [...advisories].filter(([url]) => !explained.includes(url)).map(([, line]) => line)
for (const line of open) console.error(line)
console.log(`${advisories.size} advisories, ${advisories.size - open.length} of them explained in docs/supply-chain.md`)
if (open.length > 0) process.exit(1)

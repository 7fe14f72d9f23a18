// Lists what runs in production by licence, from the lock file. Exits 1 where a licence is not one of these.
import { readFileSync } from "node:fs"

/**
 * Permissive licences; and MPL-2.0, which asks for the source of its own files only, and they are used as published.
 */
const allowed = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "MPL-2.0",
  "Unicode-3.0"
])

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))
const byLicence = new Map()
for (const [path, { dev, license, version }] of Object.entries(packages)) {
  if (path === "" || dev) continue
  const licence = license ?? "none named"
  const name = `${path.replace(/^.*node_modules\//, "")} ${version}`
  byLicence.set(licence, [...(byLicence.get(licence) ?? []), name])
}

for (const [licence, names] of [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${licence}: ${[...new Set(names)].sort().join(", ")}`)
}
const refused = [...byLicence.keys()].filter((licence) => !allowed.has(licence))
if (refused.length > 0) {
  console.error(`Not allowed: ${refused.join(", ")}. Take another package, or allow the licence in .ci/licences.mjs.`)
  process.exit(1)
}

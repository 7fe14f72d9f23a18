// Prints the bill of materials of what runs in production (CycloneDX), from the lock file. `npm sbom --omit dev` leaves
// out each package that a development tool needs, too, and with that most of what runs. So npm is given a copy of the
// lock file without what only development needs.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"))
const withoutDevelopment = (manifest) => ({ ...manifest, devDependencies: undefined })

const manifest = withoutDevelopment(read("package.json"))
const lock = read("package-lock.json")
lock.packages = Object.fromEntries(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, entry]) => [path, path === "" ? withoutDevelopment(entry) : entry])
)

const folder = mkdtempSync(join(tmpdir(), "playroom-sbom-"))
try {
  // npm names the project by its folder.
  const project = join(folder, manifest.name)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(project, "package-lock.json"), JSON.stringify(lock))
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"]
  const done = spawnSync("npm", args, {
    cwd: project,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"]
  })
  process.stdout.write(done.stdout ?? "")
  process.exitCode = done.status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

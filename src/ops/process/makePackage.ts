/**
 * A script that writes the bundle of the package that npm installs into the folder of its argument, and prints, as
 * JSON, which packages it still needs, and which files it reads beside its sources.
 */
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { root } from "./Bundle.ts"
import { apart, writeBundle } from "./writeBundle.ts"

const folder = process.argv[2]
if (folder === undefined) throw new Error("Usage: node makePackage.ts FOLDER")
await writeBundle(
  resolve(folder),
  { main: "src/main.ts", initialiseCluster: "src/platform/database/initialiseCluster.ts" },
  new Map([
    ['fast ?? "./Program.ts"', '"./Program.ts"'],
    // A program of its own.
    ['"./initialiseCluster.ts"', '"../../../dist/main/initialiseCluster.js"']
  ])
)
const beside = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(css|yaml|json)$/.test(path) && !path.endsWith("tsconfig.json"))
  .map((path) => `src/${path}`)
console.log(JSON.stringify({ needs: [...apart, "cldr-core"], beside }))

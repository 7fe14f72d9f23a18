/**
 * A script that creates a new cluster in the folder of its argument. The folder appears only when the cluster is
 * complete.
 */
import { PGlite } from "@electric-sql/pglite"
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"

const folder = process.argv[2]
if (folder === undefined) throw new Error("Usage: node initialiseCluster.ts FOLDER")
process.umask(0o077)
const unfinished = `${folder}.new`
rmSync(unfinished, { recursive: true, force: true })
mkdirSync(dirname(folder), { recursive: true })
const database = await PGlite.create({ dataDir: unfinished })
await database.close()
renameSync(unfinished, folder)

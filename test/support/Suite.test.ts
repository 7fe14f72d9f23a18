import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { sameOnServer } from "./suite.ts"
import { reportPicture } from "../bench/support/TablePicture.ts"

it("a run on a server repeats what reaches the database or the program, however far away", () => {
  const root = mkdtempSync(join(tmpdir(), "playroom-server-tests-"))
  const files = {
    "src/money.ts": "export const money = 1",
    "test/support/database.ts": `process.env["TEST_DATABASE_URL"]`,
    "test/support/world.ts": `export * from "./database.ts"\nexport * from "./around.ts"`,
    "test/support/around.ts": `export * from "./world.ts"`,
    "test/Money.test.ts": `import { money } from "../src/money.ts"`,
    "test/World.test.ts": `import {\n  a\n} from "./support/around.ts"`,
    "test/Late.test.ts": `const later = await import("./support/world.ts")`,
    "test/Process.test.ts": `spawn(process.execPath, ["src/main.ts"])`,
    "test/Service.test.ts": `inject("serviceProgram")`
  }
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    assert.deepStrictEqual(sameOnServer(root), ["test/Money.test.ts"])
  } finally {
    rmSync(root, { recursive: true })
  }
})

it("of this suite, it leaves out rules without a database, and nothing that books, starts or is typed", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url))
  const left = new Set(sameOnServer(root))
  const isLeftOut = (name: string) => {
    const path = `test/${name}.test.ts`
    assert.isTrue(existsSync(join(root, path)), path)
    return left.has(path)
  }
  for (const same of [
    "platform/money/Money",
    "domain/catalogue/Pricing",
    "surfaces/mcp/card/CardViews",
    "ops/process/Bundle",
    "journeys/Booking"
  ])
    assert.isTrue(isLeftOut(same), same)
  for (const other of [
    "domain/booking/Bookings",
    "journeys/VenueWeek",
    "surfaces/cli/Commands",
    "ops/process/Uncaught",
    "platform/database/Database"
  ])
    assert.isFalse(isLeftOut(other), other)
  assert.isBelow(left.size, 200)
})

const picture = (rows: ReadonlyArray<ReadonlyArray<string | number | ReadonlyArray<number>>>) =>
  reportPicture({
    bench: "mcp",
    about: "calls & answers",
    commit: "abc1234",
    machine: "a machine",
    rounds: 3,
    tables: [{ title: "a < b", head: ["", "calls/s"], rows }]
  })

const bars = (svg: string) => [...svg.matchAll(/width="([\d.]+)" height="13"/g)].map(([, width]) => Number(width))

describe("the report's picture", () => {
  it("draws each figure of a column by one scale, with its least and most, and nothing for words", () => {
    const svg = picture([
      ["ours", [90, 100, 110]],
      ["theirs", 50],
      ["none", ""],
      ["unknown", Number.NaN]
    ])
    const [ours = 0, theirs = 0, ...more] = bars(svg)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(theirs * 2, ours)
    assert.include(svg, "100 (90–110)")
  })

  it("stays SVG whatever names have in them, and says the machine and the commit", () => {
    const svg = picture([["<b>&", 0]])
    assert.include(svg, "mcp: calls &amp; answers")
    assert.include(svg, "a &lt; b")
    assert.include(svg, "&lt;b>&amp;")
    assert.include(svg, "a machine; commit abc1234; 3 rounds")
  })
})

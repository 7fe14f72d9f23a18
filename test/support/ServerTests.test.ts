import { assert, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { sameOnServer } from "./serverTests.ts"

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
  for (const same of ["platform/money/Money", "domain/catalogue/Pricing", "surfaces/mcp/card/CardViews"])
    assert.isTrue(isLeftOut(same), same)
  for (const other of [
    "domain/booking/Bookings",
    "journeys/Booking",
    "surfaces/cli/ExitCode",
    "ops/process/Uncaught",
    "platform/database/Database"
  ])
    assert.isFalse(isLeftOut(other), other)
  assert.isBelow(left.size, 200)
})

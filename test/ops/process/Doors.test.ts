import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { believedPaths, changedByOthers, doorsOf } from "../../../src/ops/process/Doors.ts"
import { fromEnv } from "../../../src/platform/config/AppConfig.ts"

const key = "test-key-0123456789abcdef0123456789"
const opened = (environment: Readonly<Record<string, string>>) => {
  const settings = Result.getOrThrow(fromEnv(environment, { secretsNeeded: false }))
  return doorsOf(settings).map(({ at, door, whom }) => `${door}: ${at}: ${whom}`)
}

describe("the doors that settings open (S1)", () => {
  it("are this machine's alone by default: the service, its sandbox, and the database's socket for this user", () => {
    const doors = opened({ DATA_DIR: "/srv/playroom" })
    assert.deepStrictEqual(doors.slice(-2), [
      "payment sandbox: 127.0.0.1:13000: every user of this machine",
      "embedded database: /srv/playroom/.s.PGSQL.5432: this user, and root"
    ])
    for (const door of doors.slice(0, -2))
      assert.match(door, /: 127\.0\.0\.1:3000, as http:\/\/localhost:3000: every user of this machine$/)
  })

  it("are what others reach, with the metrics apart, and no sandbox and no socket where there are none", () => {
    const served = {
      HOST: "::",
      API_KEY: key,
      BASE_URL: "https://book.example.com",
      DATABASE_URL: "postgres://u:p@db/playroom",
      STRIPE_SECRET_KEY: "sk_test_x",
      MANAGEMENT_PORT: "9000"
    }
    const doors = opened(served)
    assert.include(doors, "metrics, probes: 127.0.0.1:9000: every user of this machine")
    assert.notMatch(doors.join(), /sandbox|socket|embedded/)
    assert.include(doors[0] ?? "", "[::]:3000, as https://book.example.com: whoever reaches this address")
    assert.include(opened({ ...served, HOST: "127.0.0.1" })[0] ?? "", "whoever a proxy lets in")
    assert.notInclude(doors.join(), key)
  })
})

// Root's own files and folders are nobody else's, whoever runs this.
describe.skipIf(process.getuid === undefined)("a path that a process believes (S1)", () => {
  const inFolder = (test: (folder: string) => void) => () => {
    const folder = mkdtempSync(join(tmpdir(), "playroom-doors-"))
    try {
      test(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it(
    "is changed by nobody else, though all may write to /tmp; and by all who may write to it, or above it",
    inFolder((folder) => {
      const [inner, secret, link] = [join(folder, "inner"), join(folder, "inner", "secret"), join(folder, "link")]
      mkdirSync(inner)
      writeFileSync(secret, "x", { mode: 0o600 })
      symlinkSync(secret, link)
      for (const path of [folder, secret, link, join(folder, "none")]) assert.isUndefined(changedByOthers(path))
      chmodSync(secret, 0o602)
      for (const path of [secret, link])
        assert.strictEqual(changedByOthers(path), `all users, who may write to ${secret}`)
      chmodSync(secret, 0o600)
      chmodSync(inner, 0o777)
      assert.strictEqual(changedByOthers(secret), `all users, who may write to ${inner}`)
      chmodSync(inner, 0o1777)
      assert.isUndefined(changedByOthers(secret))
      assert.isDefined(changedByOthers(inner), "others may put something into it")
    })
  )

  it("is each program, what it keeps, its data and the file of each secret", () => {
    const settings = Result.getOrThrow(fromEnv({ DATA_DIR: "/srv/playroom" }))
    const paths = believedPaths(settings, { API_KEY_FILE: "/run/secrets/key" })
    assert.includeDeepMembers(
      [...paths],
      [
        ["data directory", "/srv/playroom"],
        ["socket of the embedded database", "/srv/playroom"],
        ["API_KEY", "/run/secrets/key"]
      ]
    )
    for (const what of ["programs", "packages", "bundle", "compiled programs"])
      assert.isTrue(paths.some(([name]) => name === what))
  })
})

import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const node = realpathSync(process.execPath)
const [major] = process.versions.node.split(".")
const otherMajor = `${Number(major) + 75}.0.0`

/** What a Node is here that was built for another system: its loader is missing. */
const foreign = "#!/lib64/ld-linux-of-another-system.so.2\n"
const runs = "#!/bin/sh\necho v99.0.0\n"

interface Checkout {
  readonly pinned: string
  readonly packaged?: string
  /** What node_modules/.bin/node leads to; nothing without it. */
  readonly linked?: string
  readonly readOnly?: boolean
}

const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const nobodyHasNode = spawnSync(node, ["--version"], nobody).status === 0

/** Runs `.ci/setup.mjs` in a checkout with everything installed, where `npm` cannot be used. */
const setUp = ({ linked, packaged, pinned, readOnly = false }: Checkout) => {
  const folder = mkdtempSync(join(tmpdir(), "playroom-setup-"))
  const at = (path: string) => join(folder, path)
  try {
    for (const path of [".ci", "node_modules/.bin", "node_modules/node/bin"]) mkdirSync(at(path), { recursive: true })
    cpSync(new URL("../.ci/setup.mjs", import.meta.url), at(".ci/setup.mjs"))
    writeFileSync(at("package.json"), JSON.stringify({ dependencies: { node: pinned } }))
    writeFileSync(at("package-lock.json"), JSON.stringify({ packages: {} }))
    writeFileSync(at("node_modules/.package-lock.json"), JSON.stringify({ packages: {} }))
    if (packaged !== undefined) {
      writeFileSync(at("node_modules/node/bin/node"), packaged)
      chmodSync(at("node_modules/node/bin/node"), 0o755)
    }
    if (linked !== undefined) symlinkSync(linked, at("node_modules/.bin/node"))
    if (readOnly) for (const path of ["", "node_modules", "node_modules/.bin"]) chmodSync(at(path), 0o555)
    const done = spawnSync(node, [".ci/setup.mjs"], {
      ...(readOnly ? nobody : {}),
      cwd: folder,
      env: { PATH: "/nonexistent", npm_execpath: "/nonexistent/npm" },
      encoding: "utf8"
    })
    const link = at("node_modules/.bin/node")
    return { ...done, node: existsSync(link) ? readlinkSync(link) : undefined }
  } finally {
    for (const path of ["", "node_modules", "node_modules/.bin"]) chmodSync(at(path), 0o755)
    rmSync(folder, { recursive: true })
  }
}

it("scripts run on the shell's Node where its major is the pinned one's, though npm's does not run here", () => {
  const done = setUp({ pinned: `${major}.0.0`, packaged: foreign, linked: "../node/bin/node" })
  assert.deepInclude(done, { status: 0, node })
})

it("scripts run on the shell's Node where npm's is missing, and again after the linked one was removed", () => {
  assert.deepInclude(setUp({ pinned: `${major}.0.0` }), { status: 0, node })
  assert.deepInclude(setUp({ pinned: `${major}.0.0`, linked: "/nix/store/collected/bin/node" }), { status: 0, node })
})

it("scripts run on npm's Node where the shell's has another major, also after a shell whose Node was right", () => {
  assert.deepInclude(setUp({ pinned: otherMajor, packaged: runs }), { status: 0, node: "../node/bin/node" })
  assert.deepInclude(setUp({ pinned: otherMajor, packaged: runs, linked: node }), {
    status: 0,
    node: "../node/bin/node"
  })
})

it("where neither runs, one sentence says which Node to install", () => {
  const done = setUp({ pinned: otherMajor, packaged: foreign, linked: "../node/bin/node" })
  assert.strictEqual(done.status, 1)
  assert.include(done.stderr, `runs on Node ${otherMajor.split(".")[0]}. This shell has Node ${process.versions.node}`)
  assert.lengthOf(done.stderr.trim().split("\n"), 1)
})

it.skipIf(!nobodyHasNode)(
  "who may only read the installation runs what its owner linked, and is told where that does not run",
  () => {
    const checkout = { pinned: `${major}.0.0`, linked: "../node/bin/node", readOnly: true }
    assert.deepInclude(setUp({ ...checkout, packaged: runs }), { status: 0, node: "../node/bin/node" })
    const done = setUp({ ...checkout, packaged: foreign })
    assert.strictEqual(done.status, 1)
    assert.include(done.stderr, "node_modules/.bin/node has to lead to")
  }
)

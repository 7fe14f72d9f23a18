import { assert, describe, it } from "@effect/vitest"
import { hindranceOfAll, isSilent, silentBeats, type WorkerSaid } from "../../src/process/WorkersReady.ts"

const worker = (changes: Partial<WorkerSaid> = {}): WorkerSaid => ({
  listens: true,
  dismissed: false,
  unanswered: 1,
  said: { hindrance: undefined },
  ...changes
})
const away = worker({ said: { hindrance: "The database can't be reached." } })
const hung = worker({ unanswered: silentBeats })

describe("a service of several workers", () => {
  it("is ready as long as one of them says so, whatever becomes of the others", () => {
    for (const others of [[], [away], [hung], [worker({ listens: false }), worker({ dismissed: true })]])
      assert.isUndefined(hindranceOfAll([...others, worker()]))
  })

  it("is not ready for the reason that a worker gives, and without one that answers for that", () => {
    assert.strictEqual(hindranceOfAll([away, hung]), "The database can't be reached.")
    for (const silent of [[hung], [worker({ said: undefined })], [hung, worker({ said: undefined })]])
      assert.strictEqual(hindranceOfAll(silent), "No worker answers.")
  })

  it("is not ready while none listens, nor while all end", () => {
    for (const none of [[], [worker({ listens: false })], [worker({ dismissed: true }), worker({ dismissed: true })]])
      assert.match(hindranceOfAll(none) ?? "", /^No worker serves/)
  })

  it("counts a worker as silent that let ten beats pass, and not one that was asked a moment ago", () => {
    assert.deepStrictEqual(
      [0, 1, 9, 10, 11].map((unanswered) => isSilent({ unanswered })),
      [false, false, false, true, true]
    )
  })
})

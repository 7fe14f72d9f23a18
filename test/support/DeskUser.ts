/** Who works at a desk in a browser, and a service of their own with a clock that can be set. */
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { messages } from "../../src/words/Languages.ts"
import { judged, judgedByScreen, type Tab, type View } from "./Browser.ts"
import { clockAhead, writeAhead } from "./ManualClock.ts"
import { databaseOf, startService, typedCommands } from "./Service.ts"

/** A service with the sandbox provider, from this time on, commands typed there, and its database. */
export const serviceOnClock = Effect.fnUntraced(function* (
  begin: number,
  changes: Readonly<Record<string, string>> = {}
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-desk-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const clockFile = join(folder, "clock")
  let ahead = 0
  const turnTo = (instant: number) =>
    Effect.andThen(
      Effect.sync(() => writeAhead(clockFile, (ahead = instant - Date.now()))),
      // The service reads the file every 40 ms.
      Effect.sleep("200 millis")
    )
  yield* turnTo(begin)
  const onItsClock = {
    ...changes,
    NODE_OPTIONS: `--import=${fileURLToPath(new URL("./clockOffset.ts", import.meta.url))}`,
    CLOCK_OFFSET_FILE: clockFile
  }
  const service = yield* startService(onItsClock)
  /** Another node on the same database, if that is on a server. */
  const anotherNode = startService({ ...onItsClock, DATABASE_URL: service.env["DATABASE_URL"] ?? "" })
  const typed = typedCommands(service)
  const onClock = Effect.provideService(
    Clock.Clock,
    clockAhead(() => ahead)
  )
  const playroom = (line: string) => onClock(typed.playroom(line))
  const refused = (line: string) => onClock(typed.refused(line))
  const database = yield* Layer.build(Layer.effect(SqlClient.SqlClient, databaseOf(service)))
  const sql = Context.get(database, SqlClient.SqlClient)
  return { anotherNode, folder, playroom, refused, service, sql, turnTo }
})

// Somebody at a screen of one size, who goes by what they read. Each kind of page that they come to is judged, on a
// telephone and on a large screen.

/** A telephone's screen, and a large one. */
const widths = [360, 1280]

/** Gives the focus to the button or link with this label; answers what hinders that. */
const focusOn = (label: string, within: string) => `(() => {
  const read = (one) => one.innerText.replace(/\\s+/g, " ").trim()
  const all = [...document.querySelectorAll(${JSON.stringify(`:is(${within}) :is(a[href], button)`)})]
  const found = all.find((one) => read(one) === ${JSON.stringify(label)}) ?? all.find((one) => read(one).startsWith(${JSON.stringify(label)}))
  if (found === undefined) return "there are: " + all.map(read).join(" | ")
  found.focus()
  return document.activeElement === found ? "" : "it takes no focus"
})()`

/** Fills in a field by its name, or chooses what has this value or label; answers what hinders that. */
const enterIn = (name: string, value: string) => `(() => {
  const [name, value] = ${JSON.stringify([name, value])}
  const all = [...document.querySelectorAll("[name='" + name + "']:not([type=hidden])")]
  const chosen = all.find((one) => ["radio", "checkbox"].includes(one.type) && one.value === value)
  if (chosen !== undefined) return (chosen.checked = true), ""
  const fields = all.filter((one) => !["radio", "checkbox"].includes(one.type))
  const field = fields.find((one) => [...(one.options ?? [])].some((option) => option.value === value)) ?? fields[0]
  if (field === undefined) return "there is no such field"
  const named = [...(field.options ?? [])].find((one) => one.text === value)
  field.value = named?.value ?? value
  return field.value === (named?.value ?? value) ? "" : "it holds " + field.value
})()`

/**
 * A person with a tab of their own. `kinds`: the kinds of pages that axe has judged; those who share it have each
 * judged once.
 */
export const browserUser = (tab: Tab, view: View, kinds = new Set<string>()) => {
  const { find } = tab
  const text = Effect.map(find("document.body.innerText"), String)
  /** What the page alerts to; empty if to nothing. */
  const alert = Effect.map(
    find("[...document.querySelectorAll('[role=alert]:not([hidden])')].map((one) => one.innerText).join(' ')"),
    String
  )
  /** Judges the page, and answers what it says. */
  const seen = Effect.gen(function* () {
    const kind = `${String(yield* find("document.querySelector('h1')?.innerText ?? document.title"))} ${yield* alert}`
    if (!kinds.has(kind)) {
      kinds.add(kind)
      assert.deepStrictEqual(yield* find(judged), [], `${kind}, ${view.width} px wide`)
      for (const width of widths.filter((one) => one !== view.width)) {
        yield* tab.resize(width)
        assert.deepStrictEqual(yield* find(judgedByScreen), [], `${kind}, ${width} px wide`)
      }
      yield* tab.resize(view.width)
    }
    return yield* text
  })
  const aim = Effect.fnUntraced(function* (label: string, within = "body") {
    const hinders = String(yield* find(focusOn(label, within)))
    if (hinders !== "") assert.fail(`"${label}" can't be pressed: ${hinders}\n${yield* text}`)
    return Effect.andThen(tab.key("Enter"), seen)
  })
  return {
    text,
    alert,
    find,
    /** Opens an address, and answers what the page says. */
    open: (url: string) => Effect.andThen(tab.look(url, view, "null"), seen),
    /** Gets ready to press a button or link, found by its label; the answer presses it. */
    aim,
    /** Presses it, and answers what the next page says. `within`: only there. */
    press: (label: string, within?: string) => Effect.flatten(aim(label, within)),
    /** Enters these into the form's fields, by their names. */
    enter: (fields: Readonly<Record<string, string>>) =>
      Effect.forEach(
        Object.entries(fields),
        ([name, value]) =>
          Effect.map(find(enterIn(name, value)), (hinders) =>
            assert.strictEqual(hinders, "", `${name} does not take ${value}`)
          ),
        { discard: true }
      ),
    path: Effect.map(find("location.pathname"), String)
  }
}

export type BrowserUser = ReturnType<typeof browserUser>

/** Somebody who was invited makes a passkey. `told`: a text with its address. */
export const joinDesk = Effect.fnUntraced(function* (person: BrowserUser & { readonly tab: Tab }, told: string) {
  const invitation = /http\S+/.exec(told)?.[0] ?? ""
  yield* person.tab.passkeys
  yield* person.open(invitation)
  yield* person.press(messages.en.desk.makePasskey)
  assert.strictEqual(yield* person.path, "/desk")
})

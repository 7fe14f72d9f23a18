/** Somebody at a screen of one size, who goes by what they read. Each kind of page that they come to is judged, on a telephone and on a large screen. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { judged, judgedByScreen } from "./Accessibility.ts"
import type { Tab, View } from "./Browser.ts"

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

/** A person with a tab of their own. `kinds`: the kinds of pages that axe has judged; those who share it have each judged once. */
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

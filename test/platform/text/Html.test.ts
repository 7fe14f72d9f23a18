import { assert, it } from "@effect/vitest"
import { html, htmlPage, joined, sentence } from "../../../src/platform/text/Html.ts"

const wild = `<b title="x">Tom & Jerry's</b>`
const safe = "&lt;b title=&quot;x&quot;&gt;Tom &amp; Jerry&#39;s&lt;/b&gt;"

it("text is escaped between tags and in attributes, and markup stays as it is", () => {
  assert.strictEqual(html`<p class="${wild}">${wild}</p>`.toString(), `<p class="${safe}">${safe}</p>`)
  assert.strictEqual(html`<p>${html`<b>${wild}</b>`}${0}${undefined}</p>`.toString(), `<p><b>${safe}</b>0</p>`)
})

it("the entries of a list get a line each, or the separator that is asked for", () => {
  assert.strictEqual(html`<ul>${["a", html`<b>c</b>`]}</ul>`.toString(), "<ul>a\n<b>c</b></ul>")
  assert.strictEqual(joined([wild, html`<i>d</i>`], html`<br>`).toString(), `${safe}<br><i>d</i>`)
  assert.strictEqual(joined(["a", "b"], " & ").toString(), "a &amp; b")
})

it("a sentence has markup for its value, and is text but for that", () => {
  const asks = (who: string) => `Does <${who}> ask “${who}”?`
  assert.strictEqual(sentence(asks, html`<bdi>A</bdi>`).toString(), "Does &lt;<bdi>A</bdi>&gt; ask “<bdi>A</bdi>”?")
})

it("an attribute without quotes is a defect", () => {
  assert.throws(() => html`<a href=${"x"}>`, "without quotes")
  assert.strictEqual(html`${"a="}${"b"}`.toString(), "a=b")
})

it("what only looks like markup is text", () => {
  const forged: unknown = { toString: () => "<script>" }
  // @ts-expect-error an object of another make is no markup
  assert.throws(() => html`${forged}`)
  // @ts-expect-error a page's body is markup
  assert.throws(() => htmlPage("Title", "", new URL("https://example.com")))
})

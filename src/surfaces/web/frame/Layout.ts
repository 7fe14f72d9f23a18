/** The layout of the service's own pages: one style sheet, allowed by its hash. */
import type { Effect } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import type { Publisher } from "../../../platform/config/AppConfig.ts"
import { html, type Html, htmlPage, joined, type HtmlPart } from "../../../platform/text/Html.ts"
import { noEmail } from "../../../platform/text/Contact.ts"
import { dialled } from "../../../platform/text/Text.ts"
import { type Language, languages, messages } from "../../../words/Languages.ts"

/** What a handler of pages answers. */
export type PageAnswer = Effect.Effect<HttpServerResponse.HttpServerResponse, SqlError.SqlError>

const style = `
:root{color-scheme:light dark;--bg:#fbf9f6;--card:#fff;--ink:#22201d;--soft:#6a645c;--line:#e6e0d8;--accent:#b8442e;--code:#f4f0ea;--button:#b8442e;--on-button:#fff;--second:#2f7f86;--third:#e0a63a;--fourth:#8a6bb0}
@media(prefers-color-scheme:dark){:root{--bg:#191715;--card:#221f1c;--ink:#eee9e2;--soft:#a8a096;--line:#38332d;--accent:#ff9d80;--code:#2a2622;--button:#ff9d80;--on-button:#191715;--second:#5fb3b9;--third:#d9a441;--fourth:#a78bce}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:break-word;background:var(--bg);color:var(--ink);font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:46rem;margin:0 auto;padding:3rem 1.25rem 4rem}
main.broad{max-width:84rem}
h1,h2{overflow-wrap:anywhere;hyphens:auto}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .75rem;letter-spacing:-.02em}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem}
h3{font-size:1.05rem;margin:1.5rem 0 .35rem}
p,ul,dl{margin:.5rem 0 1rem}
.lead{font-size:1.2rem;color:var(--soft)}
.lead strong{color:var(--ink)}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
pre{background:var(--code);border:1px solid var(--line);border-radius:.6rem;padding:.85rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem;line-height:1.5;user-select:all;-webkit-user-select:all}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em;overflow-wrap:anywhere}
pre code{font-size:1em}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.5rem 1.75rem;margin:1.5rem 0}
@media(max-width:30rem){.card{padding:1.25rem 1rem}}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
.reference{font:700 1.5rem/1.3 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.06em;overflow-wrap:anywhere}
.method{display:inline-block;min-width:3.4rem;font:700 .8rem/1 ui-monospace,monospace;color:var(--accent)}
h4{font-size:1rem;margin:1rem 0 .25rem}
.soft{color:var(--soft)}
.fields dt{margin-top:.6rem}
.fields dd{margin:.1rem 0 0 1.25rem}
.fields code{overflow-wrap:break-word}
summary{cursor:pointer;font-weight:700;padding:.2rem 0}
summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
form{margin:1.25rem 0}
label{display:block;font-weight:700;margin:0 0 .35rem}
input,select,textarea{display:block;width:100%;font:inherit;color:inherit;background:var(--code);border:1px solid var(--soft);border-radius:.6rem;padding:.6rem .75rem;margin:0 0 .75rem}
.field{margin:0 0 1.25rem}
.field input,.field select,.field textarea{margin:0}
select{min-height:2.75rem}
.field p{margin:0 0 .35rem}
.field [type=number]{max-width:8rem}
.fault{color:var(--accent);font-weight:700}
fieldset{border:1px solid var(--line);border-radius:.6rem;padding:1rem 1rem 0;margin:0 0 1.25rem;min-width:0}
legend{font-weight:700;padding:0 .35rem;max-width:100%;overflow-wrap:anywhere}
.check{display:flex;gap:.6rem;align-items:center;font-weight:400;min-height:1.5rem;overflow-wrap:anywhere}
.check input{width:1.5rem;height:2.75rem;margin:0;flex:none;accent-color:var(--button)}
button{max-width:100%;overflow-wrap:anywhere;font:inherit;font-weight:700;border-radius:.6rem;padding:.65rem 1.25rem;min-height:2.75rem;cursor:pointer;border:1px solid var(--button);background:var(--button);color:var(--on-button)}
button.second{background:none;border-color:var(--soft);color:var(--ink)}
input:focus-visible,select:focus-visible,textarea:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[role=alert]{border-left:.3rem solid var(--accent);padding:.35rem .85rem}
.url{overflow-wrap:anywhere}
a.button{display:inline-flex;align-items:center;justify-content:center;text-align:center;font-weight:700;border-radius:.6rem;padding:.65rem 1.25rem;min-height:2.75rem;border:1px solid var(--button);background:var(--button);color:var(--on-button);text-decoration:none}
a.button.second{background:none;border-color:var(--soft);color:var(--ink)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0}
.actions form{margin:0}
@media(max-width:30em){.actions,.actions form{flex-direction:column;align-items:stretch;width:100%}.actions button,.actions .button,main>form>button,.card>form>button{width:100%;overflow-wrap:anywhere}}
.quiet button{background:none;border-color:var(--soft);color:var(--ink)}
.links{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
.links a,nav a,footer a,dd a,.url{display:inline-block;max-width:100%;min-height:1.5rem;padding:.15rem 0}
.choices{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.6rem}
.choices a.button{flex-direction:column;width:100%;height:100%;padding:.55rem .5rem;line-height:1.35;text-align:center}
.choices small{font-weight:400;color:var(--soft)}
.hero h1{font-size:clamp(1.9rem,7vw,2.6rem)}
.hero h1{margin-top:1.25rem}
.hero .when{font-size:1.2rem;line-height:1.4;margin:.5rem 0 .35rem}
.hero .place{margin:.35rem 0 1rem;overflow-wrap:anywhere}
.picture{position:relative;height:clamp(9rem,40vw,17rem);border-radius:1.25rem;overflow:hidden;background:var(--code)}
.picture svg,.picture img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}
.picture img{inset:-1.5rem;width:calc(100% + 3rem);height:calc(100% + 3rem);max-width:none}
.tiles{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));gap:1rem}
.tiles>li{position:relative;display:flex;flex-direction:column;background:var(--card);border:1px solid var(--line);border-radius:1rem;overflow:hidden;overflow-wrap:anywhere}
.tiles .picture{height:8.5rem;border-radius:0;flex:none}
@media(max-width:30em){.tiles .picture{height:6rem}}
.tiles h2,.tiles h3{font-size:1.05rem;line-height:1.3;margin:0}
.tiles h2 a::after,.tiles h3 a::after{content:"";position:absolute;inset:0;border-radius:1rem}
.tiles>li>div:last-child{padding:.85rem 1rem 1rem}
.tiles p{margin:.3rem 0 0;font-size:.95rem;line-height:1.45}
.photos{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));gap:1rem}
.photos figure{margin:0}
.photos .picture{height:9rem;border-radius:.75rem}
.photos figcaption{color:var(--soft);font-size:.9rem;line-height:1.4;margin-top:.35rem}
.picture .a{fill:var(--accent)}
.picture .b{fill:var(--second)}
.picture .c{fill:var(--third)}
.picture .d{fill:var(--fourth)}
.picture .line{fill:none;stroke:var(--soft);stroke-width:2}
.facts{padding:.5rem 1.75rem}
.facts>div{display:grid;grid-template-columns:10rem minmax(0,1fr);gap:.25rem 1.25rem;padding:.85rem 0;border-bottom:1px solid var(--line)}
.facts>div:last-child{border-bottom:0}
.facts dt{color:var(--soft);overflow-wrap:anywhere;hyphens:auto}
.facts dd{margin:0;overflow-wrap:anywhere}
.facts dd p{margin:0}
.facts dd ul{margin:0;padding-left:1.1rem}
.facts dd .plain{padding:0}
.facts dd p+p{margin-top:.5rem}
.amount{font-variant-numeric:tabular-nums;white-space:nowrap}
.stacks:has(td:last-child .amount) tr>:last-child{padding-right:0;text-align:end}
@media(max-width:30rem){.facts{padding:.35rem 1rem}.facts>div{grid-template-columns:minmax(0,1fr)}}
.notice{border-left:.3rem solid var(--accent);background:var(--card);border-radius:0 .75rem .75rem 0;padding:.85rem 1.1rem;margin:1.25rem 0}
.notice>:first-child{margin-top:0}
.notice>:last-child{margin-bottom:0}
.wide{overflow-x:auto;margin:0 0 1rem}
.narrow{display:none}
@media(max-width:30em){.narrow{display:inline}.stacks td[data-head=""]{display:none}.stacks thead{display:none}.stacks tr{display:block;padding:.45rem 0;border-bottom:1px solid var(--line)}.stacks th{display:block;border:0;padding:.1rem 0}.stacks td{display:inline-block;border:0;padding:.1rem 1.25rem .1rem 0}.stacks td[data-head]:not([data-head=""])::before{content:attr(data-head) ": ";color:var(--soft)}}
.wide tbody th{overflow-wrap:anywhere;hyphens:auto;min-width:6.5em}
.above{font-weight:700;color:var(--accent);margin:0 0 .35rem;overflow-wrap:anywhere}
.plain{list-style:none;padding:0}
.week{list-style:none;padding:0;margin:1rem 0 0;display:grid;grid-template-columns:repeat(auto-fit,minmax(1.65rem,1fr));gap:.2rem}
.unseen,h2+.wide caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.week a{position:relative;display:flex;flex-direction:column;align-items:center;justify-content:center;height:100%;padding:.4rem .1rem;border:1px solid var(--line);border-radius:.6rem;color:inherit;text-decoration:none;line-height:1.3}
.week a[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.week span{font-size:.8rem;color:var(--soft)}
.days .actions{flex-flow:row wrap;margin:.5rem 0 1rem;gap:.5rem}
.days .actions .button,.days .actions button{width:auto}
.week .count{color:var(--accent);font-weight:700}
.visit{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.75rem 1rem;margin:.5rem 0;line-height:1.45;overflow-wrap:anywhere}
@media(min-width:48em){.broad .visit{display:grid;grid-template-columns:minmax(0,1.3fr) minmax(0,1.2fr) minmax(0,1fr);gap:0 1.5rem}.visit>div>:first-child{margin-top:0}}
.visit.unsure{border-style:dashed}
.visit h3{font-size:1.15rem;margin:0 0 .35rem}
.visit p{margin:.2rem 0 0}
.visit .time{color:var(--accent);margin-right:.35rem}
.visit .note{white-space:pre-wrap}
.visit .then{display:block}
.visit .due{color:var(--accent)}
.now{display:flex;align-items:center;gap:.75rem;color:var(--accent);margin:.75rem 0}
.now::before,.now::after{content:"";flex:1;border-top:2px solid var(--accent)}
.overview{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:.75rem;align-items:start}
.overview .card{margin:0;padding:1rem 1.25rem}
.overview h2{font-size:1.05rem}
.hours{list-style:none;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.15rem 1.25rem;font-variant-numeric:tabular-nums}
.search{display:flex;gap:.5rem;align-items:end;margin:0 0 1rem}
.search.wraps{flex-wrap:wrap}
.search label{flex:1 1 9rem;min-width:0;max-width:26rem;margin:0}
main .search>button{width:auto;padding-inline:.75rem;overflow-wrap:normal}
.search input{margin:0;min-height:2.75rem;font-weight:400}
.search:has([type=date]){max-width:20rem}
.days .search{margin-top:.5rem}
.bar{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between;margin:0 0 1.25rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2rem}
.bar form,.bar p{margin:0}
.bar p{flex:1 1 6rem;max-width:100%;overflow-wrap:break-word}
@media(max-width:30em){main.broad{padding-top:.75rem}.broad h1{font-size:1.5rem;margin-bottom:.25rem}.broad header p{margin:0}.bar{margin:0;gap:.5rem}.bar p{flex-basis:4rem}nav .links{margin:.25rem 0 .5rem;gap:0 1rem}.days .actions .button,.days .actions>button{flex:1 1 auto;min-width:2.75rem;padding:.4rem .5rem;font-size:.95rem;line-height:1.25;overflow-wrap:normal}.days .week{margin-top:.5rem}.week span{font-size:.7rem}}
.deadline{border-left:.3rem solid var(--accent);padding:.1rem 0 .1rem 1rem;margin:1.25rem 0}
.deadline strong{display:block;font-size:1.3rem;line-height:1.3}
.code{white-space:nowrap;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
caption{overflow-wrap:anywhere;text-align:left;font-weight:700;padding:0 0 .35rem}
@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#999;--accent:#000}main{max-width:none;padding:0}.actions,.picture,.noprint{display:none}.card{border:0;padding:0;margin:.5rem 0}tr,.visit,.facts>div{break-inside:avoid}.facts>div{grid-template-columns:13rem minmax(0,1fr)}.visit{display:grid;grid-template-columns:4fr 4fr 3fr;gap:0 .75rem;border:0;border-bottom:1px solid #999;border-radius:0;padding:.25rem 0;margin:0;line-height:1.25}.visit h3,.visit p{margin:0;font-size:1em}.now{display:none}.overview{display:flex;gap:1.5rem}.overview .card{border:0;padding:0;margin:.3rem 0}.overview h2{margin:0}h1{font-size:1.4rem}header p{margin:.1rem 0}.visit .then{display:inline}.visit .then::before{content:" · "}html{font-size:8.5pt}body{font-size:9.5pt;line-height:1.3}h2,h3{break-after:avoid;margin:.6rem 0 .2rem}a{color:inherit}}
footer{margin-top:3rem;color:var(--soft);font-size:.9rem}
`

// The policy allows only this style, and a page's own script, by their hashes. Injected ones have no effect.
const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`
const styleHash = hashOf(style)

const headersFor = (
  formAction: string,
  { asksUs, pictureFrom, script }: Pick<NonNullable<Parameters<typeof page>[2]>, "asksUs" | "pictureFrom" | "script">
) => ({
  "content-security-policy": `default-src 'none'; style-src ${styleHash};${script === undefined ? "" : ` script-src ${hashOf(script)};`}${asksUs === undefined ? "" : " connect-src 'self';"} img-src 'self' data:${pictureFrom === undefined ? "" : ` ${pictureFrom}`}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
  "cache-control": "no-store"
})

/** Marks where a page's footer goes. Texts from outside are escaped, so no text can contain a mark. */
const footerMark = (language: Language): Html => html`<!--footer ${language}-->`

const footerOf = ({ privacyUrl, supportUrl, termsUrl }: Publisher, language: Language): Html | undefined => {
  const { privacy, support, terms } = messages[language].publisher
  const links = [
    { href: privacyUrl, label: privacy },
    { href: termsUrl, label: terms },
    { href: supportUrl, label: support }
  ].flatMap(({ href, label }) => (href === undefined ? [] : [html`<li><a href="${href}">${label}</a></li>`]))
  return links.length === 0 ? undefined : html`<footer class="noprint"><nav><ul>${links}</ul></nav></footer>`
}

/**
 * Completes pages with the links to the publisher's privacy policy, terms and support. It is applied to every answer of
 * the server, so that no page can lack them.
 */
export const withFooter = (
  publisher: Publisher
): ((response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse) => {
  const footers = languages.map((language) => ({
    mark: Buffer.from(footerMark(language).toString()),
    footer: Buffer.from(String(footerOf(publisher, language) ?? ""))
  }))
  return (response) => {
    const { body } = response
    if (body._tag !== "Uint8Array" || body.contentType !== pageType) return response
    const bytes = Buffer.from(body.body.buffer, body.body.byteOffset, body.body.byteLength)
    for (const { footer, mark } of footers) {
      const at = bytes.lastIndexOf(mark)
      if (at === -1) continue
      const completed = Buffer.concat([bytes.subarray(0, at), footer, bytes.subarray(at + mark.length)])
      return HttpServerResponse.setBody(response, HttpBody.uint8Array(completed, pageType))
    }
    return response
  }
}

const pageType = "text/html; charset=utf-8"

/**
 * A page. `more`: its status, further headers, its language (English by default), the allowed form targets as sources
 * of a Content-Security-Policy (none by default), the origins of its external pictures, a script, without which the
 * page says the same, whether that asks us for anything, and whether the page uses the width of a large screen.
 */
export const page = (
  title: string,
  body: Html,
  more: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly language?: Language
    readonly formAction?: string
    readonly pictureFrom?: string | undefined
    readonly script?: string | undefined
    readonly asksUs?: true
    readonly broad?: true
  } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    htmlPage(
      title,
      style,
      html`<main${more.broad === undefined ? "" : html` class="broad"`}>\n${body}\n${footerMark(more.language ?? "en")}\n</main>`,
      more.language,
      more.script
    ),
    {
      contentType: pageType,
      status: more.status ?? 200,
      headers: { ...headersFor(more.formAction ?? "'none'", more), ...more.headers }
    }
  )

/** A block to copy: one click selects all of it, and browsers don't translate it. */
export const copyable = (text: string): Html => html`<pre tabindex="0" translate="no"><code>${text}</code></pre>`

/** Text with backquoted parts as code, the only Markdown that our texts and OpenAPI descriptions use. */
export const prose = (text: string): Html =>
  joined(text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part)))

// Building blocks of the pages for families and operators.

// The drawing for venues without a picture: bunting, balloons and a ball pit in the page's colours.

const flags = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
  const x = 20 + n * 100
  const y = 26 + 26 * Math.sin((Math.PI * (n + 0.5)) / 8)
  return html`<path class="${["a", "b", "c"][n % 3]}" d="M${x} ${y.toFixed(0)}h56l-28 50z"/>`
})

const balls = Array.from({ length: 34 }, (_, n) => {
  const x = 12 + n * 24 + (n % 2) * 5
  const y = 284 - ((n * 37) % 5) * 9
  return html`<circle class="${["a", "b", "c", "d"][(n * 7) % 4]}" cx="${x}" cy="${y}" r="${22 + ((n * 13) % 3) * 3}"/>`
})

const balloon = (x: number, y: number, r: number, kind: string): Html =>
  html`<path class="line" d="M${x} ${y + r * 1.15}q-14 40 2 90"/><ellipse class="${kind}" cx="${x}" cy="${y}" rx="${r}" ry="${r * 1.15}"/><path class="${kind}" d="M${x - 7} ${y + r * 1.15 + 9}l7-12 7 12z"/>`

/** A smaller drawing for lists. */
const smallDrawing = html`<svg viewBox="0 0 400 150" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false"><path class="line" d="M0 8q200 44 400 0"/>${[0, 1, 2, 3, 4, 5, 6].map((n) => html`<path class="${["a", "b", "c"][n % 3]}" d="M${14 + n * 56} ${[14, 22, 27, 29, 27, 22, 14][n]}h28l-14 24z"/>`)}${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => html`<circle class="${["a", "b", "c", "d"][(n * 7) % 4]}" cx="${10 + n * 42}" cy="${142 - ((n * 37) % 3) * 9}" r="22"/>`)}</svg>`

const placeholderPicture = html`<svg viewBox="0 0 800 300" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false"><path class="line" d="M0 20Q400 84 800 20"/>${flags}${balloon(210, 140, 34, "b")}${balloon(268, 166, 28, "a")}${balloon(590, 150, 36, "c")}${balls}</svg>`

/** A picture of the venue at an external https address. */
export interface Picture {
  readonly url: string
  readonly alt: string
}

/** A picture, and its host as a source of a Content-Security-Policy. */
export interface HostedPicture extends Picture {
  readonly origin: string
}

/** A photo of a venue, if browsers may load it: from an https address whose host is no more than a name. */
export const hostedPicture = ({ alt, url }: Picture): HostedPicture | undefined => {
  const parsed = URL.parse(url)
  return parsed?.protocol === "https:" && /^[\w.:[\]-]+$/.test(parsed.host)
    ? { url: parsed.href, alt, origin: parsed.origin }
    : undefined
}

/** The sources of several pictures; undefined if there are none. */
export const originsOf = (pictures: ReadonlyArray<HostedPicture>): string | undefined =>
  pictures.length === 0 ? undefined : [...new Set(pictures.map(({ origin }) => origin))].join(" ")

/** A text from outside in a `<bdi>`, so that its direction ends with it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`

/** Paragraphs that an operator or a family wrote. */
export const paragraphs = (text: string): ReadonlyArray<Html> =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => html`<p dir="auto">${joined(part.trim().split("\n"), html`<br>`)}</p>`)

/**
 * A page's head: a picture, the heading, what stands below it, and a sentence. A drawing shows if there is no picture
 * or it fails to load.
 */
export const hero = (of: {
  readonly picture?: Picture | undefined
  readonly title: string
  readonly below: Html
  readonly lead: string
}): Html => {
  const { picture } = of
  // The frame has the alternative text: a failed image would show its own over the drawing. The image is larger than
  // the frame, which hides the browser's icon for a broken image.
  const frame = picture === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${picture.alt}"`
  const image = picture === undefined ? undefined : html`<img src="${picture.url}" alt="" referrerpolicy="no-referrer">`
  return html`<header class="hero">
<div class="picture"${frame}>${placeholderPicture}${image}</div>
<h1>${of.title}</h1>
${of.below}
${of.lead === "" ? "" : html`<p class="lead">${of.lead}</p>`}
</header>`
}

/** A picture in a list, where a text beside it says what it shows. A drawing shows if there is none or it fails to load. */
export const smallPicture = (picture: Picture | undefined): Html =>
  html`<div class="picture" aria-hidden="true">${smallDrawing}${picture === undefined ? undefined : html`<img src="${picture.url}" alt="" width="400" height="150" loading="lazy" decoding="async" referrerpolicy="no-referrer">`}</div>`

/** A row of `facts`. */
export interface Fact {
  readonly term: string
  readonly is: HtmlPart
}

/** A card with a list of terms and their values. */
export const facts = (rows: ReadonlyArray<Fact>): Html =>
  html`<dl class="card facts">${rows.map(({ is, term }) => html`<div><dt>${term}</dt><dd>${is}</dd></div>`)}</dl>`

/** A mailto link, a dash for who gave no address. Characters that could add headers to the mail are encoded. */
export const emailLink = (email: string): Html =>
  email === noEmail
    ? html`–`
    : html`<a class="url" href="mailto:${encodeURIComponent(email).replace("%40", "@")}">${email}</a>`

/** A link that dials the number in a text; the text alone if it has none. */
export const phoneLink = (phone: string): Html => {
  const dials = dialled(phone)
  return dials === undefined ? isolated(phone) : html`<a class="url" href="tel:${dials}">${phone}</a>`
}

/** A section with a heading; undefined if it has no content. */
export const section = (heading: string, content: ReadonlyArray<Html>): Html | undefined =>
  content.length === 0 ? undefined : html`<section><h2>${heading}</h2>\n${content}</section>`

/** A highlighted notice. */
export const notice = (content: Html): Html => html`<div class="notice">${content}</div>`

/** A link that looks like a button. `second` marks a secondary one. */
export const buttonLink = (href: string, label: string, second = false): Html =>
  html`<a class="button${second ? " second" : ""}" href="${href}">${label}</a>`

/** Hidden fields of a form. */
export const hiddenInputs = (fields: Readonly<Record<string, string>>): ReadonlyArray<Html> =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A form with hidden fields and one button. It posts to the page's own address. */
export const buttonForm = (
  address: string,
  hidden: Readonly<Record<string, string>>,
  label: string,
  second = false
): Html => {
  const button = html`<button${second ? html` class="second"` : ""}>${label}</button>`
  return html`<form method="post" action="${address}">${joined(hiddenInputs(hidden))}${button}</form>`
}

/** A row of buttons that wraps. */
export const actions = (...parts: ReadonlyArray<Html | undefined>): Html | undefined =>
  parts.every((part) => part === undefined) ? undefined : html`<div class="actions">${parts}</div>`

/** Links in a row that wraps. */
export const links = (all: ReadonlyArray<Html>): Html =>
  html`<ul class="links noprint">${all.map((link) => html`<li>${link}</li>`)}</ul>`

/** A list of links to choose from, each with a remark. `spoken`: what a link says of itself beside a heading. */
export const choices = (
  links: ReadonlyArray<{
    readonly href: string
    readonly label: string
    readonly remark: string
    readonly spoken?: string
  }>
): Html => {
  const items = links.map(({ href, label, remark, spoken }) => {
    const beside = remark === "" ? "" : html` <small>${remark}</small>`
    const alone = spoken === undefined ? "" : html` aria-label="${spoken}"`
    return html`<li><a class="button second" href="${href}"${alone}>${label}${beside}</a></li>`
  })
  return html`<ul class="choices">${items}</ul>`
}

/**
 * A table; the first cell of a row names it. Where there is no room, each cell gets a line that begins with its head.
 */
export const dataTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<HtmlPart>>
): Html => {
  const heads = head.map((cell) => html`<th scope="col">${cell}</th>`)
  const body = rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${joined(cells.map((cell, index) => html`<td data-head="${cell === "" ? "" : (head[index + 1] ?? "")}">${cell}</td>`))}</tr>`
  )
  return html`<div class="wide"><table class="stacks"><caption>${caption}</caption><thead><tr>${joined(heads)}</tr></thead><tbody>
${body}
</tbody></table></div>`
}

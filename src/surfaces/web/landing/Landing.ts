/** `/`: what this is, some playrooms, and how to connect an assistant. */
import type { HttpServerResponse } from "effect/http"
import { findBookingPath } from "../../../platform/access/LinkTokens.ts"
import type { Settings } from "../../../platform/config/AppConfig.ts"
import { isLoopback } from "../../../platform/text/Text.ts"
import { html, type Html, type HtmlPart } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { bearerLine, endpointOf, type Host, hosts, type Way } from "./Hosts.ts"
import { actions, buttonLink, copyable, page, prose, links } from "../frame/Layout.ts"
import { cityLinks, roomsPath, roomTiles } from "./Rooms.ts"
import type { RoomList } from "./ShownRooms.ts"

const paragraph = (text: string): Html => html`<p>${prose(text)}</p>`

const hostsBy = (way: Way): ReadonlyArray<Host> => hosts.filter((host) => host.way === way)
const hostNames = (way: Way): Html => {
  const names = hostsBy(way).map(({ name }) => name)
  return html`<p class="soft">${names.join(" · ")}</p>`
}

/** The message for operators who return from the provider's onboarding pages (`playroom operator onboard`). */
export type OnboardingEnd = "done" | "expired"

/** So many playrooms stand on the start page. */
export const roomsOnStart = 6

/**
 * The start page. `onboarding` is set for operators who return from the provider's onboarding pages; `shown` if
 * playrooms could be read.
 */
export const landing = (
  { baseUrl, connect }: Pick<Settings, "baseUrl" | "connect">,
  language: Language,
  { onboarding, shown }: { readonly onboarding?: OnboardingEnd | undefined; readonly shown?: RoomList | undefined } = {}
): HttpServerResponse.HttpServerResponse => {
  const { rooms } = messages[language]
  const tiles = shown === undefined || shown.rooms.length === 0 ? undefined : roomTiles(shown.rooms, language, 3)
  const text = messages[language].landing
  const address = (way: Way): Html => copyable(baseUrl + endpointOf(way))

  const setup = ({ name, setup }: Host): ReadonlyArray<Html> =>
    setup === undefined
      ? []
      : [
          html`<details><summary>${name}</summary>
${paragraph(setup.file === undefined ? text.inShell : text.inFile(setup.file))}
${copyable(setup.text(baseUrl))}</details>`
        ]

  const signIn =
    connect.length === 0
      ? paragraph(text.noSignIn)
      : html`${paragraph(text.signIn)}
${address("sign_in")}
${paragraph(text.signInWays[connect.length === 2 ? "both" : (connect[0] ?? "both")])}
${isLoopback(new URL(baseUrl).hostname) ? paragraph(text.localOnly) : ""}`

  const known = (evidence: Host["evidence"]): HtmlPart => {
    switch (evidence.kind) {
      case "tried":
        return text.tried
      case "by_hand":
        return text.byHand(evidence.version)
      case "documented":
        return html`<a href="${evidence.url}">${text.documented}</a>`
    }
  }
  const row = ({ evidence, name, way }: Host): Html =>
    html`<tr><th scope="row">${name}</th><td data-head="${text.sends}">${text.ways[way]}</td><td data-head="${text.evidence}">${known(evidence)}</td></tr>`

  return page(
    "Playroom booking",
    html`<h1>Playroom booking</h1>
${onboarding === undefined ? "" : html`<p role="status"><strong>${text.onboarding[onboarding]}</strong></p>\n`}<p class="lead">${text.lead}</p>
${links([
  ...(tiles === undefined ? [] : [html`<a href="#rooms">${rooms.title}</a>`]),
  html`<a href="#connect">${text.book}</a>`,
  html`<a href="#venues">${text.venuesHeading}</a>`,
  html`<a href="#developers">${text.more}</a>`,
  html`<a href="${findBookingPath}">${messages[language].findBooking.title}</a>`
])}
${paragraph(text.how)}
${paragraph(text.payment)}

${
  tiles === undefined
    ? undefined
    : html`<h2 id="rooms">${rooms.title}</h2>
<p>${rooms.lead}</p>
${tiles.list}
${cityLinks(shown?.cities ?? [], language)}
${actions(buttonLink(roomsPath, rooms.all, true))}
`
}
<h2>${text.askHeading}</h2>
<ul>${text.asks.map((ask) => html`<li>${ask}</li>`)}</ul>

<h2 id="connect">${text.connectHeading}</h2>
<h3>${text.signInHeading}</h3>
${hostNames("sign_in")}
${signIn}
<h3>${text.headerHeading}</h3>
${hostNames("header")}
${paragraph(text.header)}
${address("header")}
${paragraph(text.keyless)}
${hostsBy("header").flatMap(setup)}
<h3>${text.bearerHeading}</h3>
${hostNames("bearer")}
${paragraph(text.bearer)}
${copyable(bearerLine)}

<h2>${text.knownHeading}</h2>
${paragraph(text.known)}
<table class="stacks"><thead><tr><th scope="col">${text.host}</th><th scope="col">${text.sends}</th><th scope="col">${text.evidence}</th></tr></thead><tbody>
${hosts.filter(({ way }) => way !== "sign_in" || connect.length > 0).map(row)}
</tbody></table>

<h2 id="venues">${text.venuesHeading}</h2>
${paragraph(text.venues)}

<h2 id="developers">${text.more}</h2>
<ul>
<li><a href="/docs">${text.documentation}</a></li>
<li><a href="/openapi.json">${text.openapi}</a></li>
<li><a href="/healthz">${text.health}</a></li>
</ul>`,
    { language, headers: { vary: "accept-language" }, pictureFrom: tiles?.pictureFrom }
  )
}

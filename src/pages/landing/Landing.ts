/** `/`: what this is, and how to connect an assistant. */
import { Predicate } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Settings } from "../../config/AppConfig.ts"
import { escape } from "../../kernel/Html.ts"
import type { Language } from "../../kernel/Language.ts"
import { bearerLine, endpointOf, type Host, hosts, type Way } from "./Hosts.ts"
import { messages } from "./LandingMessages.ts"
import { copyable, page, prose } from "../Layout.ts"

const paragraph = (text: string): string => `<p>${prose(text)}</p>`

const hostsBy = (way: Way): ReadonlyArray<Host> => hosts.filter((host) => host.way === way)
const hostNames = (way: Way): string =>
  `<p class="soft">${hostsBy(way)
    .map(({ name }) => escape(name))
    .join(" · ")}</p>`

/** What an operator reads who comes back from the provider's onboarding pages (`playroom operator onboard`). */
export type OnboardingEnd = "done" | "expired"

/** The page, in a language. `onboarding`: for operators who come from the provider's onboarding pages. */
export const landing = (
  { baseUrl, connect, publisher }: Pick<Settings, "baseUrl" | "connect" | "publisher">,
  language: Language,
  onboarding?: OnboardingEnd
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language]
  const address = (way: Way): string => copyable(baseUrl + endpointOf(way))

  const setup = ({ name, setup }: Host): ReadonlyArray<string> =>
    setup === undefined
      ? []
      : [
          `<details><summary>${escape(name)}</summary>
${paragraph(setup.file === undefined ? text.inShell : text.inFile(setup.file))}
${copyable(setup.text(baseUrl))}</details>`
        ]

  const signIn =
    connect.length === 0
      ? paragraph(text.noSignIn)
      : `${paragraph(text.signIn)}
${address("sign_in")}
${paragraph(text.signInWays[connect.length === 2 ? "both" : (connect[0] ?? "both")])}`

  const known = (evidence: Host["evidence"]): string => {
    switch (evidence.kind) {
      case "tried":
        return escape(text.tried)
      case "by_hand":
        return escape(text.byHand(evidence.version))
      case "documented":
        return `<a href="${escape(evidence.url)}">${escape(text.documented)}</a>`
    }
  }
  const row = ({ evidence, name, way }: Host): string =>
    `<tr><th scope="row">${escape(name)}</th><td>${escape(text.ways[way])}</td><td>${known(evidence)}</td></tr>`

  const { privacyUrl, supportUrl, termsUrl } = publisher
  const links = [
    { href: privacyUrl, label: text.privacy },
    { href: termsUrl, label: text.terms },
    { href: supportUrl, label: text.support }
  ].filter((link): link is { href: string; label: string } => Predicate.isNotUndefined(link.href))

  return page(
    "Playroom booking",
    `<h1>Playroom booking</h1>
${onboarding === undefined ? "" : `<p role="status"><strong>${escape(text.onboarding[onboarding])}</strong></p>\n`}<p class="lead">${escape(text.lead)}</p>
${paragraph(text.how)}
${paragraph(text.payment)}

<h2>${escape(text.askHeading)}</h2>
<ul>${text.asks.map((ask) => `<li>${escape(ask)}</li>`).join("")}</ul>

<h2>${escape(text.connectHeading)}</h2>
<h3>${escape(text.signInHeading)}</h3>
${hostNames("sign_in")}
${signIn}
<h3>${escape(text.headerHeading)}</h3>
${hostNames("header")}
${paragraph(text.header)}
${address("header")}
${paragraph(text.keyless)}
${hostsBy("header").flatMap(setup).join("\n")}
<h3>${escape(text.bearerHeading)}</h3>
${hostNames("bearer")}
${paragraph(text.bearer)}
${copyable(bearerLine)}

<h2>${escape(text.knownHeading)}</h2>
${paragraph(text.known)}
<table><thead><tr><th scope="col">${escape(text.host)}</th><th scope="col">${escape(text.sends)}</th><th scope="col">${escape(text.evidence)}</th></tr></thead><tbody>
${hosts
  .filter(({ way }) => way !== "sign_in" || connect.length > 0)
  .map(row)
  .join("\n")}
</tbody></table>

<h2>${escape(text.more)}</h2>
<ul>
<li><a href="/docs">${escape(text.documentation)}</a></li>
<li><a href="/openapi.json">${escape(text.openapi)}</a></li>
<li><a href="/healthz">${escape(text.health)}</a></li>
</ul>
${
  links.length === 0
    ? ""
    : `<footer><nav><ul>${links.map(({ href, label }) => `<li><a href="${escape(href)}">${escape(label)}</a></li>`).join("")}</ul></nav></footer>`
}`,
    { language, headers: { vary: "accept-language" } }
  )
}

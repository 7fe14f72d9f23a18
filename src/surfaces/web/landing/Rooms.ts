/**
 * `/rooms`: playrooms for people to look at, by city and page by page. `/rooms/{playroom}`: one of them, with what it
 * sells and on which terms. Free times and bookings are the assistant's.
 */
import type { HttpServerResponse } from "effect/http"
import type { ShownVenue } from "../../../domain/catalogue/Catalogue.ts"
import type { Package } from "../../../domain/catalogue/Package.ts"
import type { PlayroomSummary, PlayroomView } from "../../../domain/catalogue/Playroom.ts"
import { coveredParty } from "../../../domain/catalogue/PriceTimes.ts"
import { isDepositKept, packageTermsData, stepsOf, type TermsData } from "../../../domain/catalogue/Terms.ts"
import { buyPath } from "../../../platform/access/LinkTokens.ts"
import type { Settings } from "../../../platform/config/AppConfig.ts"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import { dayMs, localDateOf, minutesOf, startOfDay, weekdays } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import {
  dateIn,
  exactlyIn,
  hoursIn,
  moneyIn,
  percentIn,
  pluralIn,
  rangeOfIn,
  visitTimeIn,
  weekdayIn
} from "../../../words/Localized.ts"
import { pictureOf, wayThere } from "../family/Visit.ts"
import {
  actions,
  buttonLink,
  copyable,
  type Fact,
  facts,
  type HostedPicture,
  hero,
  hostedPicture,
  isolated,
  links,
  originsOf,
  page,
  paragraphs,
  section,
  smallPicture
} from "../frame/Layout.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import { endpointOf } from "./Hosts.ts"
import type { RoomList } from "./ShownRooms.ts"

/** Where playrooms are listed; each stands below it. */
export const roomsPath = "/rooms"

/** So many playrooms stand on a page of the list, if they are not too long. */
export const roomsOnPage = 24

const addressOf = (playroom_id: string): string => `${roomsPath}/${playroom_id}`

/** The list, of a city if it is not empty, after a cursor. */
const listAddress = (city: string, cursor?: string): string => {
  const query = new URLSearchParams({
    ...(city === "" ? {} : { city }),
    ...(cursor === undefined ? {} : { cursor })
  }).toString()
  return query === "" ? roomsPath : `${roomsPath}?${query}`
}

/** The address with the city, which venues may have in it. */
const placeOf = ({ address, city }: Pick<PlayroomSummary, "address" | "city">): string =>
  address.includes(city) ? address : `${address}, ${city}`

const childrenIn = (language: Language, of: { readonly least?: number; readonly most: number }): string =>
  rangeOfIn(language, of.least ?? of.most, of.most, messages[language].words.children)

/** Whom a playroom is for: `up to 25 children, ages 1 to 11`. */
const partyText = ({ age_max, age_min, max_children }: PlayroomSummary, language: Language): string => {
  const { rooms, words } = messages[language]
  return `${rooms.upTo(childrenIn(language, { most: max_children }))}${words.comma}${rooms.ages(age_min, age_max)}`
}

const photoOf = ({ photo_url: url }: PlayroomSummary): HostedPicture | undefined =>
  url === undefined ? undefined : hostedPicture({ url, alt: "" })

/** Playrooms as a list of links, and the origins of its pictures. `level`: that of their headings. */
export const roomTiles = (
  rooms: ReadonlyArray<PlayroomSummary>,
  language: Language,
  level: 2 | 3
): { readonly list: Html; readonly pictureFrom: string | undefined } => {
  const text = messages[language].rooms
  const tiles = rooms.map((room) => {
    const { from_price, name, playroom_id } = room
    const link = html`<a href="${addressOf(playroom_id)}">${isolated(name)}</a>`
    const price =
      from_price === undefined
        ? undefined
        : html`<p><strong class="amount">${text.lowest(moneyIn(language, from_price.amount, from_price.currency))}</strong></p>`
    return html`<li>${smallPicture(photoOf(room))}<div>${level === 2 ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`}
<p>${isolated(placeOf(room))}</p>
<p class="soft">${partyText(room, language)}</p>
${price}</div></li>`
  })
  return {
    list: html`<ul class="tiles">${tiles}</ul>`,
    pictureFrom: originsOf(rooms.flatMap((room) => photoOf(room) ?? []))
  }
}

/** Links to the cities; undefined if there is none to choose. */
export const cityLinks = (cities: ReadonlyArray<string>, language: Language): Html | undefined =>
  cities.length < 2
    ? undefined
    : html`<nav aria-label="${messages[language].rooms.cities}"><ul>${cities.map((city) => html`<li><a href="${listAddress(city)}">${isolated(city)}</a></li>`)}</ul></nav>`

const withLanguage = (language: Language) => ({ language, headers: { vary: "accept-language" } })

/** A page of the list. `city`: as it was asked for. */
export const roomsPage = (
  { cities, next, rooms }: RoomList,
  { city, language }: { readonly city: string; readonly language: Language }
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].rooms
  const [first] = rooms
  // The catalogue's own spelling, if all are in one city.
  const named = first !== undefined && rooms.every((room) => room.city === first.city) ? first.city : city
  const title = city === "" ? text.title : text.titleIn(named)
  const { list, pictureFrom } = roomTiles(rooms, language, 2)
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${text.lead}</p>
<form method="get" action="${roomsPath}" class="search wraps" role="search">
<label for="city">${text.city}<input id="city" name="city" value="${city}" maxlength="100" autocomplete="address-level2"></label>
<button>${text.find}</button>
</form>
${rooms.length === 0 && next === undefined ? html`<p role="status">${city === "" ? text.none : text.noneIn(city)}</p>` : undefined}
${cityLinks(cities, language)}
${rooms.length === 0 ? undefined : list}
${next === undefined ? undefined : actions(buttonLink(listAddress(city, next), text.next, true))}
${links([...(city === "" ? [] : [html`<a href="${roomsPath}">${text.all}</a>`]), html`<a href="/">Playroom booking</a>`])}`,
    { ...withLanguage(language), formAction: "'self'", pictureFrom }
  )
}

/** The page for an address that is no listed playroom's. */
export const missingRoomPage = (language: Language): HttpServerResponse.HttpServerResponse => {
  const { missing, title } = messages[language].rooms
  return page(
    missing.title,
    html`<h1>${missing.title}</h1>
<p class="lead">${missing.lead}</p>
<p>${missing.more}</p>
${links([html`<a href="${roomsPath}">${title}</a>`, html`<a href="/">Playroom booking</a>`])}`,
    { ...withLanguage(language), status: 404 }
  )
}

type Hours = PlayroomView["opening_hours"]

/** A line for each run of days with the same hours: `Monday – Friday · 09:00–18:00`. Days without hours: `closed`. */
const hoursList = (hours: Hours, language: Language, closed?: string): Html => {
  const { words } = messages[language]
  const runs: Array<{ readonly from: number; to: number; readonly times: string }> = []
  for (const [day, weekday] of weekdays.entries()) {
    const times = hours
      .filter((one) => one.weekday === weekday)
      .map(({ closes, opens }) => hoursIn(language, minutesOf(opens), minutesOf(closes)))
      .join(words.comma)
    const last = runs.at(-1)
    if (last !== undefined && last.times === times) last.to = day
    else runs.push({ from: day, to: day, times })
  }
  const lines = runs.flatMap(({ from, times, to }) => {
    const days = from === to ? weekdayIn(language, from) : `${weekdayIn(language, from)} – ${weekdayIn(language, to)}`
    const said = times === "" ? closed : times
    return said === undefined ? [] : [html`<li>${days} · <span class="soft">${said}</span></li>`]
  })
  return html`<ul class="plain">${lines}</ul>`
}

/** A time that is closed: days, if it begins and ends with them. */
const closedText = (
  view: PlayroomView,
  { from, to }: { readonly from: string; readonly to: string },
  language: Language
): string => {
  const { time_zone: zone } = view
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const isMidnight = (at: number) => startOfDay(zone, localDateOf(zone, at)) === at
  if (!isMidnight(start) || !isMidnight(end)) return visitTimeIn(language, zone, start, end)
  const last = end - dayMs / 2
  const one = dateIn(language, zone, start)
  return localDateOf(zone, start) === localDateOf(zone, last) ? one : `${one} – ${dateIn(language, zone, last)}`
}

/** What is paid when booking. */
const dueText = (
  { payment }: Package,
  { currency, deposit }: TermsData,
  isFree: boolean,
  language: Language
): string => {
  const { rooms: text, terms } = messages[language]
  if (deposit !== undefined)
    return terms.deposit(
      "amount" in deposit ? moneyIn(language, deposit.amount, currency) : percentIn(language, deposit.percent),
      isDepositKept({ deposit })
    )
  return isFree ? terms.nothingToPay : payment.kind === "full" ? text.payAll : text.payLater
}

/** A package's terms in a language, from the same data as the tools' `terms.text`. */
const termsList = (
  pkg: Package,
  { amount, currency }: PlayroomView["packages"][number]["price_from"],
  language: Language
): ReadonlyArray<Html> => {
  const { refundTable, rooms: text, terms: words } = messages[language]
  const terms = packageTermsData(pkg, currency)
  const {
    final_headcount_hours_before: headcount,
    free_reschedule_hours_before: move,
    release_unpaid_after_hours: release
  } = terms
  const isFree = amount === 0
  const span = (hours: number) => exactlyIn(language, hours * 60)
  const until = (hours: number) => (hours === 0 ? text.untilStart : text.until(span(hours)))
  const steps = stepsOf(terms)
  const back = [
    ...steps.map(({ hours_before, refund_percent }) =>
      text.back(until(hours_before), refund_percent === 0 ? refundTable.nothing : percentIn(language, refund_percent))
    ),
    text.afterwards(refundTable.nothing)
  ]
  const refunds =
    steps.length > 0
      ? html`<p>${isDepositKept(terms) ? text.backOfRest : refundTable.caption}</p><ul>${back.map((one) => html`<li>${one}</li>`)}</ul>`
      : isFree
        ? undefined
        : html`<p>${words.nothingBack}</p>`
  const lines = (...said: ReadonlyArray<string | undefined>) =>
    said.flatMap((one) => (one === undefined ? [] : [html`<p>${one}</p>`]))
  return [
    ...lines(dueText(pkg, terms, isFree, language), terms.balance_at_venue === true ? words.restAtVenue : undefined),
    ...(refunds === undefined ? [] : [refunds]),
    ...lines(
      release === undefined ? undefined : text.released(span(release)),
      headcount === undefined ? undefined : text.headcount(until(headcount)),
      terms.party_may_shrink === false ? text.growsOnly : undefined,
      move === undefined ? undefined : text.move(until(move))
    )
  ]
}

/** Whom a package's lowest price covers: `4–10 children, up to 2 adults`. */
const coveredText = (pkg: Package, language: Language): string => {
  const { rooms: text, words } = messages[language]
  const { adults, least, most } = coveredParty(pkg)
  const children = childrenIn(language, { least, most })
  if (adults === undefined) return children
  const told = adults === 0 ? text.withoutAdults : text.upTo(pluralIn(language, adults, words.adults))
  return `${children}${words.comma}${told}`
}

/** Whom a package takes. */
const limitsText = (
  { max_adults, max_children, min_children }: PlayroomView["packages"][number],
  language: Language
) => {
  const { rooms: text, words } = messages[language]
  const children = childrenIn(language, { least: min_children, most: max_children })
  return max_adults === undefined
    ? children
    : `${children}${words.comma}${text.upTo(pluralIn(language, max_adults, words.adults))}`
}

/** A package: what it is, for whom, from which price on, and its terms. */
const packageCard = (shown: PlayroomView["packages"][number], pkg: Package | undefined, language: Language): Html => {
  const { rooms: text } = messages[language]
  const { amount, currency } = shown.price_from
  const from = moneyIn(language, amount, currency)
  const terms = pkg === undefined ? [] : termsList(pkg, shown.price_from, language)
  return html`<section class="card">
<h3>${isolated(shown.name)}</h3>
<p><strong>${pkg === undefined ? text.lowest(from) : text.from(from, coveredText(pkg, language))}</strong></p>
${paragraphs(shown.description)}
<ul>
<li>${limitsText(shown, language)}</li>
<li>${exactlyIn(language, shown.duration_minutes)}</li>
<li>${text.modes[shown.mode]}</li>
</ul>
${terms.length === 0 ? undefined : html`<details><summary>${text.terms}</summary>\n${terms}\n</details>`}
</section>`
}

/** The price of an add-on, apart from special ones. */
const addOnText = ({ price, unit }: PlayroomView["add_ons"][number], language: Language): string => {
  const { party } = messages[language]
  const amount = moneyIn(language, price.amount, price.currency)
  return unit === "per_child" ? party.perChild(amount) : unit === "per_item" ? party.each(amount) : amount
}

/** A playroom's page. */
export const roomPage = (
  { venue, view }: ShownVenue,
  { baseUrl, connect }: Pick<Settings, "baseUrl" | "connect">,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { booking, operator, party, rooms: text, words } = messages[language]
  const picture = pictureOf(view)
  const photos = view.photos.flatMap((photo) => hostedPicture(photo) ?? [])
  const others = photos.filter(({ url }) => url !== picture?.url)
  const differ = venue.playroom.overrides.length > 0
  const packages = new Map(venue.packages.map((pkg) => [pkg.package_id, pkg]))
  const rows: ReadonlyArray<Fact> = [
    { term: booking.who, is: partyText(view, language) },
    ...(view.opening_hours.length === 0
      ? []
      : [
          {
            term: text.hours,
            is: html`${hoursList(view.opening_hours, language, operator.closed)}${differ ? html`<p class="soft">${text.hoursDiffer}</p>` : undefined}`
          }
        ]),
    ...(view.quiet_hours === undefined ? [] : [{ term: text.quiet, is: hoursList(view.quiet_hours, language) }]),
    ...(view.upcoming_closures.length === 0
      ? []
      : [
          {
            term: text.closures,
            is: html`<ul>${view.upcoming_closures.map((closure) => html`<li>${closedText(view, closure, language)}${closure.reason === "" ? undefined : html` <span class="soft">(${isolated(closure.reason)})</span>`}</li>`)}</ul>`
          }
        ]),
    ...(view.amenities.length === 0
      ? []
      : [{ term: text.amenities, is: joined(view.amenities.map(isolated), html` · `) }]),
    ...(view.accessibility === "" ? [] : [{ term: text.accessibility, is: paragraphs(view.accessibility) }]),
    ...(view.bring === undefined ? [] : [{ term: words.bring, is: paragraphs(view.bring) }])
  ]
  return page(
    view.name,
    html`${hero({
      picture,
      title: view.name,
      below: html`<p class="place">${isolated(placeOf(view))}<br><span class="soft">${text.runBy} ${isolated(view.operator_name)}</span></p>${links(wayThere(view, language))}`,
      lead: view.summary
    })}
${actions(
  buttonLink("#ask", text.ask),
  venue.operator.vouchers === undefined
    ? undefined
    : buttonLink(`${buyPath}${venue.operator.operator_id}`, messages[language].buying.title, true)
)}
${paragraphs(view.description)}
${section(
  text.photos,
  others.length === 0
    ? []
    : [
        html`<ul class="photos">${others.map((photo) => html`<li><figure>${smallPicture(photo)}<figcaption>${isolated(photo.alt)}</figcaption></figure></li>`)}</ul>`
      ]
)}
${facts(rows)}
<h2>${text.packages}</h2>
<p class="soft">${text.priceNote}</p>
${view.packages.map((shown) => packageCard(shown, packages.get(shown.package_id), language))}
${section(
  party.extras,
  view.add_ons.length === 0
    ? []
    : [
        html`<ul>${view.add_ons.map((addOn) => html`<li>${isolated(addOn.name)} · ${addOnText(addOn, language)}</li>`)}</ul>
${view.add_ons.some(({ price_range }) => price_range !== undefined) ? html`<p class="soft">${text.varies}</p>` : undefined}`
      ]
)}
<h2 id="ask">${text.ask}</h2>
<p>${text.askHow}</p>
${copyable(text.request(view.name, view.city, view.playroom_id))}
<p>${text.connect}</p>
${copyable(baseUrl + endpointOf(connect.length === 0 ? "header" : "sign_in"))}
<p><a href="/#connect">${text.connectHow}</a></p>
${section(booking.rules, paragraphs(view.house_rules))}
${section(booking.questions, [askVenue({ name: view.operator_name, ...view.contact }, language)])}
${links([
  html`<a href="${listAddress(view.city)}">${text.titleIn(view.city)}</a>`,
  html`<a href="${roomsPath}">${text.all}</a>`,
  html`<a href="/">Playroom booking</a>`
])}`,
    { ...withLanguage(language), pictureFrom: originsOf(photos) }
  )
}

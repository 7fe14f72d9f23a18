/**
 * `/desk/now`: who walks in is sold a visit that has begun, or the next one, in three presses: this page, how many
 * children come, how they pay (`NewBooking.ts`, which shows the price first).
 */
import { Clock, Effect, Option } from "effect"
import { AdultCount } from "../../../domain/availability/Availability.ts"
import { BookingOptions } from "../../../domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../../domain/booking/BookingRecords.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { limitsOf } from "../../../domain/booking/ChangePlan.ts"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import { atCounter } from "../../../domain/catalogue/Playroom.ts"
import { type Sold, venueBookings } from "../../../domain/payment/changes/VenueBookings.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayMs, type Instant, localDateOf, minuteMs } from "../../../platform/time/LocalTime.ts"
import { messages } from "../../../words/Languages.ts"
import { moneyIn, partyIn, pluralIn, timesIn } from "../../../words/Localized.ts"
import { actions, buttonLink, isolated } from "../frame/Layout.ts"
import { deskAddress, deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"
import { bookAddress, numberIn } from "./NewBooking.ts"
import { field } from "./ActForm.ts"

/** Of so many packages the starts are read; the others are sold at `/desk/book`. */
const maxPackages = 60
/** Buttons with a number of children, from the fewest that a package takes. */
const counts = 6

/** A visit that can be sold now. */
interface SaleNow extends Sold {
  readonly start: Instant
  /** How many children can come, each with the option that is sold, and the price of the fewest. */
  readonly offers: ReadonlyArray<{ readonly children: number; readonly option_id: string; readonly total: number }>
}

/** A visit with its times, and a button for each number of children. */
const salePart = ({ language }: DeskRequest, { offers, pkg, start, venue }: SaleNow, now: Instant): Html => {
  const { desk, words } = messages[language]
  const { currency, name, time_zone } = venue.playroom
  const [least] = offers
  const price =
    least === undefined
      ? ""
      : ` · ${pluralIn(language, least.children, words.children)}: ${moneyIn(language, least.total, currency)}`
  const buttons = offers.map(
    ({ children, option_id }) =>
      html`<li><a href="${bookAddress({ option: option_id, till: "now" })}"><b>${children}</b><span class="unseen"> ${pluralIn(language, children, words.children)}, ${pkg.name}, ${timesIn(language, time_zone, start, start + pkg.duration_minutes * minuteMs)}</span></a></li>`
  )
  return html`<article class="card">
<h2>${timesIn(language, time_zone, start, start + pkg.duration_minutes * minuteMs)} ${isolated(pkg.name)}</h2>
<p>${start <= now ? html`<b>${desk.walkIn.begun}</b> · ` : ""}${isolated(name)}${price}</p>
<ol class="week">${buttons}</ol>
</article>`
}

const adultsForm = ({ language }: DeskRequest, adults: number): Html => {
  const { booking, desk } = messages[language]
  const input = html`<input id="adults" name="adults" type="number" inputmode="numeric" min="0" max="999" required value="${String(adults)}">`
  return html`<form class="card noprint" method="get" action="${deskPaths.now}">
${field("adults", booking.lines.adults, input)}
${actions(html`<button class="second">${desk.showDay}</button>`)}
</form>`
}

const soldPart = ({ language }: DeskRequest, row: BookingRow): Html => {
  const { desk } = messages[language]
  const what = `${partyIn(language, row)}, ${moneyIn(language, row.total, row.currency)}`
  return html`<p role="status"><strong>${desk.walkIn.sold(what)}</strong> <a href="${deskAddress(row.booking_id)}" class="code">${row.reference}</a></p>`
}

/** The screen. */
export const walkIns = Effect.gen(function* () {
  const bookings = yield* venueBookings
  const catalogue = yield* Catalogue
  const options = yield* BookingOptions
  const records = yield* BookingRecords

  /** The last start of a package that has begun, and the next one of today. */
  const salesOf = Effect.fnUntraced(function* (sold: Sold, asked: number, now: Instant) {
    const { pkg, venue } = sold
    const {
      least_children = 1,
      most_adults = asked,
      most_children = least_children
    } = limitsOf({
      ...sold,
      party: { children: 1, adults: 0, add_ons: [] },
      start: now
    })
    const adults = Math.min(asked, most_adults)
    const party = { children: Math.max(1, least_children), adults, add_ons: [] }
    const { time_zone } = venue.playroom
    const today = localDateOf(time_zone, now)
    const found = yield* options.starts(
      { ...atCounter(sold), party },
      { from: localDateOf(time_zone, now - dayMs), to: today }
    )
    const starts = Option.getOrElse(found, () => []).map(({ places_left = most_children, start }) => ({
      most: Math.min(most_children, places_left),
      start: Date.parse(start)
    }))
    const begun = starts.findLast(({ start }) => start <= now)
    const next = starts.find(({ start }) => start > now)
    return yield* Effect.forEach(
      [begun, next].filter((one) => one !== undefined),
      ({ most, start }) =>
        Effect.map(
          Effect.forEach(
            Array.from({ length: counts }, (_, i) => party.children + i).filter((children) => children <= most),
            (children) =>
              Effect.map(
                bookings.option({ ...sold, party: { ...party, children }, start }),
                ({ option_id, price: { total } }) => ({ children, option_id, total })
              )
          ),
          (offers): SaleNow => ({ pkg, venue, start, offers })
        )
    )
  })

  const show = Effect.fnUntraced(function* (
    desk: DeskRequest,
    asked: { readonly adults?: string; readonly sold?: string }
  ) {
    const now = yield* Clock.currentTimeMillis
    const { operator_id } = desk.member
    const adults = numberIn(AdultCount, asked.adults, 1)
    const venues = yield* catalogue.venuesOfOperator(operator_id)
    const packages = venues.flatMap((venue) => venue.packages.map((pkg): Sold => ({ venue, pkg })))
    const sales = yield* Effect.forEach(packages.slice(0, maxPackages), (sold) => salesOf(sold, adults, now), {
      concurrency: 4
    })
    const row = asked.sold === undefined ? Option.none() : yield* records.byId(asked.sold)
    const made = Option.filter(row, (one) => one.operator_id === operator_id)
    const { book, walkIn } = messages[desk.language].desk
    const shown = sales.flat().toSorted((a, b) => a.start - b.start)
    return deskPage(desk, {
      title: walkIn.title,
      head: html`<h1>${walkIn.title}</h1>
${Option.match(made, { onNone: () => "", onSome: (one) => soldPart(desk, one) })}
<p class="lead">${shown.length === 0 ? walkIn.none : walkIn.lead}</p>`,
      body: html`${shown.map((sale) => salePart(desk, sale, now))}
${adultsForm(desk, adults)}
${actions(buttonLink(deskPaths.book, book.title, true), buttonLink(deskPaths.desk, messages[desk.language].desk.toDay, true))}`
    })
  })

  return { path: deskPaths.now, right: "book", show } satisfies DeskScreen
})

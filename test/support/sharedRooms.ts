/** Rooms of one operator whose add-ons take from the same stock, as a catalogue file. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { AddOnChoice } from "../../src/domain/catalogue/Pricing.ts"
import type { ImportOptions } from "../../src/domain/import/Imported.ts"
import { AddOnId, PlayroomId } from "../../src/platform/ids/Ids.ts"
import { contact, principal } from "./BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  importJson,
  operatorJson,
  packageJson,
  type PlayroomJson,
  playroomJson
} from "./catalogues.ts"

/** What the operator has of each kind. */
export type Stock = Readonly<Record<string, number>>

export const machinesOf = (room: number) => AddOnId.make(idOf("addon", room))

/** A room with parties of an hour, half an hour of set-up, and bubble machines that take from the shared ones. */
export const sharingRoom = (n: number, changes: Partial<PlayroomJson> = {}): PlayroomJson =>
  playroomJson(n, {
    operator_id: idOf("operator", 7),
    packages: [packageJson(n, { setup_minutes: 30, max_children: 20 })],
    add_ons: [
      {
        add_on_id: machinesOf(n),
        name: "Bubble machine",
        unit: "per_item",
        unit_amount: 1200,
        max_quantity: 2,
        uses: "bubble-machines"
      }
    ],
    ...changes
  })

/** The same room where nothing is paid, so that a booking is confirmed at once. */
export const freeRoom = (n: number): PlayroomJson => {
  const room = sharingRoom(n)
  return {
    ...room,
    packages: room.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, extra_child: 0 } })),
    add_ons: room.add_ons?.map((one) => ({ ...one, unit_amount: 0 })) ?? []
  }
}

/** The operator of these rooms. */
export const sharing = (stock: Stock) =>
  operatorJson(7, { stock: Object.entries(stock).map(([slug, units]) => ({ slug, units })) })

export const importSharing = (stock: Stock, rooms: ReadonlyArray<PlayroomJson>, options?: ImportOptions) =>
  importJson(catalogueJson(rooms, [sharing(stock)]), options)

/** The options of a room for two children on a day, with so many machines. */
export const optionsOf = Effect.fnUntraced(function* (
  room: number,
  machines: number,
  {
    add_ons,
    children = 2,
    date = "2026-12-05"
  }: {
    readonly add_ons?: ReadonlyArray<AddOnChoice>
    readonly children?: number
    readonly date?: string
  } = {}
) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: PlayroomId.make(idOf("playroom", room)),
      date,
      children,
      add_ons: add_ons ?? (machines === 0 ? [] : [{ add_on_id: machinesOf(room), quantity: machines }]),
      limit: 100
    })
  )
  return options
})

/** The clock times at which a room can be booked with so many machines. */
export const timesOf = (...args: Parameters<typeof optionsOf>) =>
  Effect.map(optionsOf(...args), (options) => options.map(({ start }) => start.slice(11, 16)))

let buyers = 0
/** Books the start at a clock time. */
export const bookAt = Effect.fnUntraced(function* (time: string, ...args: Parameters<typeof optionsOf>) {
  const option = (yield* optionsOf(...args)).find(({ start }) => start.slice(11, 16) === time)
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal(), {
      option_id: option?.option_id ?? assert.fail(`nothing at ${time}`),
      contact: contact(`sharer${++buyers}`)
    })
  )
  return row
})

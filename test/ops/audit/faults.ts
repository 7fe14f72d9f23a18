/** The faults that `Audit.test.ts` plants in sound data: what hands, bugs or a bad disk could leave behind. */

/** The ids of the bookings that are there, by how they stand; `dispute`: the lost one of `disputed`. */
export interface Scene {
  /** By the terms, with a refund that has arrived. */
  readonly cancelled: string
  /** Confirmed; deposit and balance were paid. */
  readonly deposit: string
  readonly dispute: string
  readonly disputed: string
  /** Expired; its payment came late and went back. */
  readonly late: string
  /** Held, with a page that can be paid. */
  readonly open: string
  /** Confirmed and paid at once. */
  readonly paid: string
  /** Two places and an add-on with stock. */
  readonly places: string
  /** Held, with a payment under way. */
  readonly processing: string
}

export interface Fault {
  /** Under which name it must be found, and which others it may be found under. */
  readonly what: string
  readonly also?: ReadonlyArray<string>
  /** What the finding's id must include. */
  readonly about?: (scene: Scene) => string
  readonly plant: (scene: Scene) => ReadonlyArray<string>
}

const at = (column: string, id: string) => `where ${column} = '${id}'`
const of = (booking_id: string) => at("booking_id", booking_id)
const set = (table: string, what: string, booking_id: string, more = "") => [
  `update ${table} set ${what} ${of(booking_id)} ${more}`
]
const noOverlap = "alter table occupancy drop constraint occupancy_no_double_sale"
/** A copy of a table's row with other values. */
const copy = (table: string, values: string, booking_id: string) =>
  `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${values}))).* from ${table} t ${of(booking_id)} limit 1`
/** A line of a mark, as late as the latest one: long before the visit. */
const marked = (event: string, booking_id: string) =>
  `insert into booking_history overriding system value select (jsonb_populate_record(t, jsonb_build_object('event', '${event}', 'seq', 1000000,
    'from_status', t.to_status, 'from_payment_status', t.to_payment_status))).* from booking_history t ${of(booking_id)} order by t.seq desc limit 1`
/** The playroom's own places of a booking, not those of an add-on. */
const room = "and resource_id like 'playroom%'"

export const faults: ReadonlyArray<Fault> = [
  {
    what: "voucher overspent",
    plant: ({ paid }) => [
      `insert into voucher (voucher_id, operator_id, code_digest, amount, currency, way, sold_at, time_zone)
        select 'voucher_01k9zzzzzzzzzzzzzzzzzzzzzz', operator_id, '\\x00', 1, currency, 'cash', now(), 'UTC'
        from payment_session ${of(paid)} limit 1`,
      `update payment_session set way = 'voucher', voucher_id = 'voucher_01k9zzzzzzzzzzzzzzzzzzzzzz',
        provider_session_id = null, payment_intent_id = null ${of(paid)} and status = 'paid'`
    ]
  },
  {
    what: "places missing",
    about: ({ paid }) => paid,
    plant: ({ paid }) => [`delete from occupancy ${of(paid)}`]
  },
  {
    what: "places missing",
    about: ({ open }) => open,
    plant: ({ open }) => [`delete from occupancy ${of(open)}`]
  },
  {
    what: "places differ",
    about: ({ paid }) => paid,
    plant: ({ paid }) =>
      set(
        "occupancy",
        "during = tstzrange(lower(during) + interval '3 hours', upper(during) + interval '3 hours')",
        paid
      )
  },
  {
    what: "places differ",
    about: ({ places }) => places,
    plant: ({ places }) => set("occupancy", "units = '{[0,1)}'", places, room)
  },
  {
    what: "places differ",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("occupancy", "units = '{[0,29)}'", paid)
  },
  {
    what: "places kept",
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled, paid }) => [
      copy("occupancy", `'booking_id', '${cancelled}', 'during', '["2029-03-01 10:00Z","2029-03-01 12:00Z")'`, paid)
    ]
  },
  {
    what: "places kept",
    also: ["late payment kept", "history differs"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "status = 'expired'", paid)
  },
  {
    what: "places sold twice",
    also: ["places differ"],
    plant: ({ deposit, paid }) => [
      noOverlap,
      `update occupancy set during = (select during from occupancy ${of(paid)}) ${of(deposit)}`
    ]
  },
  {
    what: "places sold twice",
    also: ["places differ"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => [noOverlap, copy("occupancy", "'units', '{[3,4)}'", paid)]
  },
  {
    what: "places beyond capacity",
    also: ["places differ"],
    about: ({ places }) => places,
    plant: ({ places }) => set("occupancy", "units = '{[0,26)}'", places, room)
  },
  {
    what: "places beyond capacity",
    also: ["add-on not counted"],
    about: ({ places }) => places,
    plant: ({ places }) => set("occupancy", "units = '{[0,3)}'", places, "and resource_id like 'addon%'")
  },
  {
    what: "places elsewhere",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("occupancy", "operator_id = 'operator_nobody'", paid)
  },
  {
    what: "places elsewhere",
    also: ["places missing"],
    about: ({ places }) => places,
    plant: ({ paid, places }) =>
      set("occupancy", `resource_id = (select playroom_id from booking ${of(paid)})`, places, room)
  },
  {
    what: "add-on not counted",
    about: ({ places }) => places,
    plant: ({ places }) => [`delete from occupancy ${of(places)} and resource_id like 'addon%'`]
  },
  { what: "closure without places", plant: () => ["delete from occupancy where closure_id is not null"] },
  {
    what: "closure differs",
    plant: () => [
      "update occupancy set during = tstzrange(lower(during), upper(during) + interval '1 day') where closure_id is not null"
    ]
  },
  {
    what: "places of no calendar",
    plant: () => [
      "insert into occupancy (resource_id, operator_id, units, during, other_calendar) select resource_id, operator_id, '{[0,1)}', '[2031-06-01,2031-06-02)', true from resource where resource_id = playroom_id limit 1"
    ]
  },
  {
    what: "capacity differs",
    also: ["places differ"],
    plant: () => ["update resource set units = 40 where resource_id = playroom_id"]
  },
  { what: "capacity differs", also: ["places differ"], plant: () => ["update playroom set capacity = 12"] },
  { what: "stock differs", plant: () => ["update add_on set stock = 3"] },
  {
    what: "price differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "total = total + 1", paid)
  },
  {
    what: "price differs",
    about: ({ deposit }) => deposit,
    plant: ({ deposit }) => set("booking", "terms = jsonb_set(terms, '{price,lines,0,amount}', '1')", deposit)
  },
  {
    what: "price differs",
    also: ["payment differs"],
    about: ({ deposit }) => deposit,
    plant: ({ deposit }) => set("booking", "due_now = due_now - 100", deposit)
  },
  {
    what: "party differs",
    about: ({ places }) => places,
    plant: ({ places }) => set("booking", "children = children + 1", places)
  },
  {
    what: "party differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "child_ages = '{4,5}'", paid)
  },
  {
    what: "party differs",
    about: ({ places }) => places,
    plant: ({ places }) => set("booking", "terms = jsonb_set(terms, '{add_ons}', '[]')", places)
  },
  {
    what: "confirmed, not paid",
    also: ["paid amount differs", "event without its effect"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => [`delete from payment_session ${of(paid)}`]
  },
  {
    what: "confirmed, not paid",
    also: ["paid amount differs", "event without its effect", "history differs"],
    about: ({ open }) => open,
    plant: ({ open }) =>
      set("booking", "status = 'confirmed', payment_status = 'paid', hold_expires_at = null, paid = total", open)
  },
  {
    what: "held, though paid",
    also: ["history differs", "hold never ended"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "status = 'held', hold_expires_at = starts_at", paid)
  },
  {
    what: "hold never ended",
    about: ({ open }) => open,
    plant: ({ open }) => set("booking", "hold_expires_at = hold_expires_at - interval '3 days'", open)
  },
  {
    what: "processing without a payment",
    also: ["event without its effect"],
    about: ({ processing }) => processing,
    plant: ({ processing }) => set("payment_session", "status = 'failed'", processing)
  },
  {
    what: "history differs",
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled }) => [`delete from booking_history ${of(cancelled)} and to_status = 'cancelled'`]
  },
  {
    what: "history differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => [`delete from booking_history ${of(paid)}`]
  },
  {
    what: "mark differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "attendance = 'arrived'", paid)
  },
  {
    what: "mark differs",
    about: ({ deposit }) => deposit,
    plant: ({ deposit }) => [marked("arrived", deposit)]
  },
  {
    what: "mark differs",
    about: ({ deposit }) => deposit,
    plant: ({ deposit }) => [...set("booking", "attendance = 'no_show'", deposit), marked("no_show", deposit)]
  },
  {
    what: "booking of another operator",
    also: ["places elsewhere", "payment differs"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "operator_id = 'operator_nobody'", paid)
  },
  {
    what: "one wish booked twice",
    plant: ({ deposit, paid }) => [
      "drop index booking_repeated",
      `update booking b set retry_key = o.retry_key, contact_name = o.contact_name, another = o.another from booking o
        where o.booking_id = '${paid}' and b.booking_id = '${deposit}'`
    ]
  },
  {
    what: "idempotency key without a result",
    about: () => "places",
    plant: () => ["update idempotency set result_id = 'booking_lost' where idempotency_key = 'places'"]
  },
  {
    what: "paid amount differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "paid = paid - 1", paid)
  },
  {
    what: "paid twice",
    also: ["paid amount differs"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => [
      copy("payment_session", "'payment_session_id', 'payment_copy', 'provider_session_id', 'cs_copy'", paid)
    ]
  },
  {
    what: "payment status differs",
    also: ["history differs"],
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "payment_status = 'refunded'", paid)
  },
  {
    what: "payment status differs",
    also: ["history differs"],
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled }) => set("booking", "payment_status = 'paid'", cancelled)
  },
  {
    what: "two open pages",
    about: ({ open }) => open,
    plant: ({ open }) => [
      "drop index payment_session_live",
      copy("payment_session", "'payment_session_id', 'payment_copy', 'provider_session_id', 'cs_copy'", open)
    ]
  },
  {
    what: "payment differs",
    plant: ({ open }) => set("payment_session", "amount = amount + 100", open)
  },
  {
    what: "payment differs",
    plant: ({ open }) => set("payment_session", "account = 'acct_9'", open)
  },
  {
    what: "tax differs",
    about: ({ paid }) => paid,
    plant: ({ paid }) => set("booking", "terms = jsonb_set(terms, '{price,tax,rate_percent}', '7')", paid)
  },
  { what: "payment's tax differs", plant: ({ deposit }) => set("payment_session", "tax = '[]'", deposit) },
  {
    what: "payment's tax differs",
    also: ["tax differs"],
    plant: ({ cancelled }) => set("refund", "tax = jsonb_set(tax, '{0,amount}', '1')", cancelled)
  },
  {
    what: "payment not recorded",
    plant: ({ paid }) => set("payment_session", "paid_at = null", paid)
  },
  {
    what: "event without its effect",
    also: ["confirmed, not paid", "paid amount differs"],
    plant: ({ paid }) => set("payment_session", "status = 'open', paid_at = null", paid)
  },
  {
    what: "event without its effect",
    also: ["confirmed, not paid", "paid amount differs"],
    plant: ({ paid }) => [
      ...set("payment_session", "status = 'open', paid_at = null", paid),
      ...set("webhook_event", "type = 'v1.' || type", paid)
    ]
  },
  {
    what: "event never applied",
    plant: ({ paid }) =>
      set("webhook_event", "status = 'received', received_at = received_at - interval '2 days'", paid)
  },
  {
    what: "refunded amount differs",
    also: ["payment status differs"],
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled }) => set("booking", "refunded = refunded - 1", cancelled)
  },
  {
    what: "payment's refunds differ",
    plant: ({ cancelled }) => set("payment_session", "refunded = 0", cancelled)
  },
  {
    what: "late payment kept",
    also: ["refunded amount differs", "payment's refunds differ"],
    about: ({ late }) => late,
    plant: ({ late }) => [`delete from refund ${of(late)}`]
  },
  {
    what: "refund owed, not sent",
    also: ["refunded amount differs", "payment's refunds differ"],
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled }) => [`delete from refund ${of(cancelled)}`]
  },
  {
    what: "refunded beyond what is owed",
    about: ({ cancelled }) => cancelled,
    plant: ({ cancelled }) => set("booking", "refund_owed = 6000", cancelled)
  },
  {
    what: "refunded beyond the payment",
    also: ["refunded beyond what is owed"],
    plant: ({ cancelled }) => [
      "drop index refund_once_a_turn",
      copy("refund", "'refund_id', 'refund_copy', 'provider_refund_id', 're_copy'", cancelled)
    ]
  },
  {
    what: "refund without the provider's id",
    plant: ({ cancelled }) => set("refund", "provider_refund_id = null", cancelled)
  },
  {
    what: "refund of an unpaid page",
    also: ["event without its effect", "paid amount differs"],
    plant: ({ cancelled }) => set("payment_session", "status = 'failed'", cancelled)
  },
  {
    what: "refund differs",
    also: [
      "refund owed, not sent",
      "refunded amount differs",
      "payment's refunds differ",
      "refunded beyond what is owed",
      "payment status differs"
    ],
    plant: ({ cancelled, paid }) => set("refund", `booking_id = '${paid}'`, cancelled)
  },
  {
    what: "dispute differs",
    also: ["refunded amount differs", "payment's refunds differ"],
    about: ({ dispute }) => dispute,
    plant: ({ disputed }) => [`delete from refund ${of(disputed)}`]
  },
  {
    what: "dispute differs",
    about: ({ dispute }) => dispute,
    plant: ({ dispute }) => [`update dispute set status = 'won' ${at("dispute_id", dispute)}`]
  }
]

/** Faults of the schema itself. */
export const schemaFaults: ReadonlyArray<Fault> = [
  { what: "missing in the schema", plant: () => [noOverlap] },
  { what: "missing in the schema", plant: () => ["drop index payment_session_live"] },
  {
    what: "differs in the schema",
    plant: () => [
      "create or replace function hold_runs(b booking, at timestamptz) returns boolean language sql immutable parallel safe return true"
    ]
  },
  { what: "off in the schema", plant: () => ["alter table booking disable trigger all"] },
  {
    what: "off in the schema",
    plant: () => ["update pg_index set indisvalid = false where indexrelid = 'booking_repeated'::regclass"]
  }
]

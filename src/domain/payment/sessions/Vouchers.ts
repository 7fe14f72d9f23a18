/**
 * Gift vouchers: sold at a venue or online (`settlement/VoucherSales.ts`), and spent in parts on its bookings. A voucher is money that the venue owes: it came in
 * when the voucher was sold, and is revenue when a booking is paid with it. What is left is counted from the payments
 * with it and from what of these went back onto it, under the lock of its row, so that nothing is spent twice.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { createHash, createHmac } from "node:crypto"
import { makeServiceSecret } from "../../../platform/access/LinkTokens.ts"
import { columnsOf, decodeRows } from "../../../platform/database/Rows.ts"
import { newId, OperatorId, VoucherId } from "../../../platform/ids/Ids.ts"
import { Money, money } from "../../../platform/money/Money.ts"
import { type Instant, InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { OfflinePaymentMethod } from "./PaymentSession.ts"

// The code of a voucher: 15 letters that nobody guesses (75 bits), and one by which a slip in copying is told. It is
// made of the voucher's id under a secret of the service, so that it can be printed again and no table has it.

/** Crockford's base 32: no letter is taken for another. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const codeLetters = 16
const group = 4

/** Twice a number of the field GF(32), by the polynomial x⁵ + x² + 1. */
const doubled = (value: number): number => (value & 16 ? ((value << 1) ^ 37) & 31 : value << 1)

/**
 * The letter after the others. Each counts by another power of the field's generator, so that one wrong letter changes
 * it, and so do two that changed places.
 */
const checkLetter = (letters: string): string =>
  alphabet.charAt(Array.from(letters).reduce((sum, letter) => doubled(sum ^ alphabet.indexOf(letter)), 0))

const codeOf = (secret: Uint8Array, voucher_id: VoucherId): string => {
  const mac = createHmac("sha256", secret).update(voucher_id).digest()
  const letters = Array.from(mac.subarray(0, codeLetters - 1), (byte) => alphabet.charAt(byte & 31)).join("")
  return letters + checkLetter(letters)
}

/** A code in groups, as it is printed. */
export const inGroups = (code: string): string => code.match(new RegExp(`.{1,${group}}`, "g"))?.join("-") ?? ""

/** Where a voucher is shown, to print and to see what is left. The code follows the path, and is a secret. */
export const voucherPath = "/v/"

/** What of a typed text is read. Longer ones are no codes. */
export const maxTypedCode = 100

/** A code as people type it: with any dash, space or case, and I and L for 1, O for 0. None if it was copied wrongly. */
export const readCode = (typed: string): Option.Option<string> => {
  const code = typed
    .slice(0, maxTypedCode)
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[\s\p{Dash}]/gu, "")
    .replaceAll(/[IL]/g, "1")
    .replaceAll("O", "0")
  const letters = code.slice(0, codeLetters - 1)
  const known = code.length === codeLetters && Array.from(code).every((letter) => alphabet.includes(letter))
  return known && checkLetter(letters) === code.slice(codeLetters - 1) ? Option.some(code) : Option.none()
}

const digestOf = (code: string): Uint8Array => createHash("sha256").update(code).digest()

/** A row of the `voucher` table, without the digest of its code. Minor units. */
const VoucherRow = Schema.Struct({
  voucher_id: VoucherId,
  operator_id: OperatorId,
  amount: Schema.Int,
  currency: Schema.String,
  /** `link`: online, at the provider. */
  way: Schema.Literals(["link", ...OfflinePaymentMethod.literals]),
  sold_by: Schema.NullOr(Schema.String),
  sold_at: InstantFromDate,
  time_zone: Schema.String,
  /** Null: it does not end. */
  expires_at: Schema.NullOr(InstantFromDate),
  /** It was sold by mistake. */
  voided_at: Schema.NullOr(InstantFromDate),
  voided_by: Schema.NullOr(Schema.String)
})

/**
 * A voucher. `spent`: what was paid with it, without what went back onto it. `back`: what of its own payment went back,
 * or is on its way. `left`: the rest. `overdrawn`: what was spent and went back all the same.
 */
export const Voucher = Schema.Struct({
  ...VoucherRow.fields,
  spent: Schema.Int,
  back: Schema.Int,
  left: Schema.Int,
  overdrawn: Schema.Int
})
export type Voucher = typeof Voucher.Type

/** Why a voucher pays nothing; undefined if it may. Pure. */
export const endedOf = ({ expires_at, voided_at }: Voucher, now: Instant): "expired" | "voided" | undefined => {
  if (voided_at !== null) return "voided"
  return expires_at !== null && expires_at <= now ? "expired" : undefined
}

/** A voucher to be sold. `amount` in minor units. */
interface NewVoucher {
  /** The same id sells the same voucher once, however often it is asked for. */
  readonly voucher_id: VoucherId
  readonly operator_id: OperatorId
  readonly amount: number
  readonly currency: string
  readonly way: OfflinePaymentMethod
  readonly sold_by?: string
  readonly time_zone: string
  readonly expires_at?: Instant
}

/**
 * A voucher is not undone. `spent`: something was paid with it. `ended`: it has expired; in the accounts nothing of it
 * is owed any more.
 */
export class VoucherKept extends Schema.TaggedError<VoucherKept>()("VoucherKept", {
  voucher_id: VoucherId,
  reason: Schema.Literals(["spent", "ended"]),
  left: Money
}) {
  override get message(): string {
    return this.reason === "spent"
      ? `${this.voucher_id} is not undone: something was paid with it, and ${this.left.display} is left.`
      : `${this.voucher_id} is not undone: it has expired.`
  }
}

/** The failure of a refund that was no longer needed when it was to be sent. */
export const wentBackAlready = "it went back already"

/** The most vouchers that are listed. */
export const maxListed = 100

type Found = Effect.Effect<Option.Option<Voucher>, SqlError.SqlError>

export class Vouchers extends Context.Service<
  Vouchers,
  {
    /** Sells a voucher. None if another operator's has this id. */
    readonly sell: (voucher: NewVoucher) => Found
    readonly find: (voucher_id: VoucherId) => Found
    /** The voucher with this code, as `readCode` gives it; of any operator. */
    readonly byCode: (code: string) => Found
    /** The same of one operator, with its row locked; in a transaction that locked the booking. */
    readonly lockByCode: (operator_id: string, code: string) => Found
    /** The code, for whoever may spend the voucher. Don't call it in a transaction: the first call stores the secret. */
    readonly code: (voucher_id: VoucherId) => Effect.Effect<string, SqlError.SqlError>
    /** The digest of the code by which it is found. Don't call it in a transaction, either. */
    readonly digest: (voucher_id: VoucherId) => Effect.Effect<Uint8Array, SqlError.SqlError>
    /** Has what is left of an order's payment go back soon; of a gift voucher it stays. In the caller's transaction. */
    readonly lookSoon: (voucher_id: VoucherId) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Decides that what is left of a voucher that was paid online goes back, unless that is decided already. What failed
     * to go back is not tried again, unless `again`. The provider is asked by `VoucherSales`. In the caller's
     * transaction, which has the voucher's row locked.
     */
    readonly payLeftBack: (voucher_id: VoucherId, again?: boolean) => Effect.Effect<void, SqlError.SqlError>
    /** Whether an operator has ever sold any. */
    readonly sold: (operator_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** An operator's vouchers, the latest first. */
    readonly latest: (operator_id: string) => Effect.Effect<ReadonlyArray<Voucher>, SqlError.SqlError>
    /**
     * Undoes the sale of a voucher of which nothing is spent. What was paid online goes back by the provider. Asked again,
     * it changes nothing, but a refund that failed is sent again. None: no such voucher.
     */
    readonly undo: (
      voucher_id: VoucherId,
      operator_id: string | undefined,
      by: string | undefined
    ) => Effect.Effect<Option.Option<Voucher>, VoucherKept | SqlError.SqlError>
  }
>()("playroom/payment/sessions/Vouchers") {
  static readonly layer = Layer.effect(
    Vouchers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(Voucher))
      const random = yield* SecureRandom.SecureRandom
      const secret = yield* makeServiceSecret("vouchers")
      const code = (voucher_id: VoucherId) => Effect.map(secret, (key) => codeOf(key, voucher_id))

      const columns = sql.literal(columnsOf(VoucherRow, "v"))
      /** What was spent also counts what was paid back in another way. */
      const sums = sql`cross join lateral (select
          coalesce((select sum(s.amount - coalesce((select sum(r.amount) from refund r
              where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id and r.status = 'succeeded'
                and r.way = 'voucher'), 0))
            from payment_session s where s.voucher_id = v.voucher_id and s.status = 'paid'), 0)::int as spent,
          coalesce((select sum(b.amount) from voucher_refund b where b.voucher_id = v.voucher_id
            and b.status in ('pending', 'succeeded')), 0)::int as back) x`
      const left = sql`x.spent, x.back, greatest(0, v.amount - x.spent - x.back) as left,
        greatest(0, x.spent + x.back - v.amount) as overdrawn`
      const first = (where: Statement.Fragment): Found =>
        Effect.map(rows(sql`select ${columns}, ${left} from voucher v ${sums} where ${where}`), (found) =>
          Option.fromNullishOr(found[0])
        )
      /** Nobody is given the voucher that pays an order. */
      const isGift = sql`not (v.way = 'link' and exists (select from voucher_sale o where o.voucher_id = v.voucher_id
        and o.order_id is not null))`
      const find = (voucher_id: VoucherId) => first(sql`v.voucher_id = ${voucher_id}`)

      const sell: Vouchers["Service"]["sell"] = Effect.fn("Vouchers.sell")(function* (voucher) {
        const { amount, currency, operator_id, time_zone, voucher_id, way } = voucher
        const digest = digestOf(yield* code(voucher_id))
        const now = yield* Clock.currentTimeMillis
        const expires_at = voucher.expires_at === undefined ? null : new Date(voucher.expires_at)
        yield* sql`insert into voucher (voucher_id, operator_id, code_digest, amount, currency, way, sold_by, sold_at,
            time_zone, expires_at)
          values (${voucher_id}, ${operator_id}, ${digest}::bytea, ${amount}::int, ${currency}, ${way},
            ${voucher.sold_by ?? null}, ${new Date(now)}, ${time_zone}, ${expires_at}) on conflict do nothing`
        return Option.filter(yield* find(voucher_id), (sold) => sold.operator_id === operator_id)
      })

      const payLeftBack: Vouchers["Service"]["payLeftBack"] = Effect.fnUntraced(function* (voucher_id, again = false) {
        const refund_id = yield* Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)
        const at = new Date(yield* Clock.currentTimeMillis)
        const decided =
          yield* sql`insert into voucher_refund (refund_id, voucher_id, operator_id, cause, status, amount,
            currency, created_at, updated_at)
          select ${refund_id}, v.voucher_id, v.operator_id, 'undone', 'requested', v.amount - x.spent - x.back - f.failed,
            v.currency, ${at}::timestamptz, ${at}::timestamptz
          from voucher v ${sums} cross join lateral (select coalesce(sum(r.amount), 0)::int as failed from voucher_refund r
            where r.voucher_id = v.voucher_id and r.cause = 'undone' and r.status = 'failed' and r.reversed_at is null
              and r.failure <> ${wentBackAlready} and not ${again}::boolean) f
          where v.voucher_id = ${voucher_id} and v.amount > x.spent + x.back + f.failed
            and not exists (select from voucher_refund r where r.voucher_id = v.voucher_id and r.status = 'requested')
          returning 1 as decided`
        if (decided.length > 0)
          yield* sql`update voucher_sale set next_at = ${at}, updated_at = ${at} where voucher_id = ${voucher_id}`
      })

      const undo: Vouchers["Service"]["undo"] = Effect.fn("Vouchers.undo")(function* (voucher_id, operator_id, by) {
        const now = yield* Clock.currentTimeMillis
        // What is left is read after the lock, by a statement of its own.
        yield* sql`select from voucher where voucher_id = ${voucher_id} for no key update`
        const found = Option.filter(
          yield* find(voucher_id),
          (one) => operator_id === undefined || one.operator_id === operator_id
        )
        if (Option.isNone(found)) return found
        const { currency, left, spent, way } = found.value
        // Asked for again, what failed is sent again.
        const payBack =
          way === "link"
            ? Effect.andThen(
                payLeftBack(voucher_id, true),
                sql`update voucher_refund set seen_at = coalesce(seen_at, ${new Date(now)})
                  where voucher_id = ${voucher_id} and cause = 'undone' and status = 'failed'`
              )
            : Effect.void
        if (found.value.voided_at !== null) {
          yield* payBack
          return found
        }
        const kept = (reason: VoucherKept["reason"]) =>
          new VoucherKept({ voucher_id, reason, left: money(left, currency) })
        if (spent > 0) return yield* kept("spent")
        if (endedOf(found.value, now) !== undefined) return yield* kept("ended")
        yield* sql`update voucher set voided_at = ${new Date(now)}, voided_by = ${by ?? null}
          where voucher_id = ${voucher_id}`
        yield* payBack
        return yield* find(voucher_id)
      }, sql.withTransaction)

      return Vouchers.of({
        sell,
        find,
        code,
        digest: (voucher_id) => Effect.map(code(voucher_id), digestOf),
        undo,
        payLeftBack,
        lookSoon: Effect.fnUntraced(function* (voucher_id) {
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* sql`update voucher_sale set next_at = ${at} where voucher_id = ${voucher_id} and order_id is not null`
        }),
        byCode: (code) => first(sql`v.code_digest = ${digestOf(code)}::bytea`),
        lockByCode: Effect.fnUntraced(function* (operator_id, code) {
          const digest = digestOf(code)
          // What is left is read after the lock, by a statement of its own.
          yield* sql`select from voucher where operator_id = ${operator_id} and code_digest = ${digest}::bytea
            for no key update`
          return yield* first(sql`v.operator_id = ${operator_id} and v.code_digest = ${digest}::bytea`)
        }),
        sold: (operator_id) =>
          Effect.map(
            sql`select from voucher v where v.operator_id = ${operator_id} and ${isGift} limit 1`,
            (found) => found.length > 0
          ),
        latest: (operator_id) =>
          rows(sql`select ${columns}, ${left} from voucher v ${sums} where v.operator_id = ${operator_id} and ${isGift}
            order by v.sold_at desc, v.voucher_id desc limit ${maxListed}::int`)
      })
    })
  )
}

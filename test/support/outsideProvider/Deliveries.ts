/** Events of the outside provider: signed, and delivered until the service takes them; some are lost, doubled, late or of another API version. */
import { randomBytes } from "node:crypto"
import type { Chance } from "../../fuzz/Chance.ts"
import { signatureHeader } from "../eventSignature.ts"
import type { ProviderChange } from "./ProviderState.ts"

export interface Targets {
  /** Where the service listens. */
  readonly url: string
  readonly platformSecret: string
  readonly connectedSecret: string
  readonly apiVersion: string
}

interface Event {
  readonly id: string
  readonly change: ProviderChange
  readonly body: string
  readonly version: string
}

/** Versions that are not the client's: an old one and a future one. */
const otherVersions = ["2020-08-27", "2031-01-15.quinoa"] as const
/** An object as another version has it: the same thing in other fields. */
const otherShape = (object: object): object => {
  const { amount_total, lines, payment_status, status, ...rest } = object as Record<string, unknown>
  return { ...rest, total: { amount: amount_total, lines }, state: { payment: payment_status, session: status } }
}

const againMs = 500
const triesMost = 400

export class Deliveries {
  /** Counts of what was done with events. */
  readonly done = { made: 0, lost: 0, doubled: 0, late: 0, otherVersion: 0, delivered: 0, refused: 0 }
  /** One in so many events has a fault of each kind; 0: none has. */
  faultsOnceIn = 0
  targets: Targets | undefined
  #late: Array<Event> = []
  #waiting = 0
  readonly #chance: Chance
  readonly #now: () => number

  constructor(chance: Chance, now: () => number) {
    this.#chance = chance
    this.#now = now
  }

  /** How many deliveries are not taken yet, the late ones left out. */
  get waiting(): number {
    return this.#waiting
  }

  /** Sends an event about `change`, whose object is `object` at this moment. */
  send(change: ProviderChange, object: object): void {
    const { targets } = this
    if (targets === undefined) return
    const bad = () => this.faultsOnceIn > 0 && this.#chance.once(this.faultsOnceIn)
    this.done.made++
    if (bad()) return void this.done.lost++
    const other = bad()
    if (other) this.done.otherVersion++
    const version = other ? this.#chance.one(otherVersions) : targets.apiVersion
    const id = `evt_${randomBytes(12).toString("hex")}`
    const body = JSON.stringify({
      id,
      object: "event",
      api_version: version,
      created: Math.floor(this.#now() / 1000),
      type: change.type,
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      ...(change.account === undefined ? {} : { account: change.account }),
      data: { object: other ? otherShape(object) : object }
    })
    const event = { id, change, body, version }
    if (bad()) {
      this.done.late++
      this.#late.push(event)
      return
    }
    this.#start(event, this.faultsOnceIn > 0 ? this.#chance.below(400) : 0)
    if (bad()) {
      this.done.doubled++
      this.#start(event, this.#chance.below(1500))
    }
  }

  /** Delivers the late events, the newest first. */
  flush(): void {
    const late = this.#late.reverse()
    this.#late = []
    for (const event of late) this.#start(event, 0)
  }

  #start(event: Event, afterMs: number): void {
    this.#waiting++
    setTimeout(() => void this.#attempt(event, 1), afterMs)
  }

  async #attempt(event: Event, tries: number): Promise<void> {
    const ok = await this.#post(event)
    if (ok) this.done.delivered++
    else if (tries >= triesMost) this.done.refused++
    else return void setTimeout(() => void this.#attempt(event, tries + 1), againMs)
    this.#waiting--
  }

  #post(event: Event): Promise<boolean> {
    const { targets } = this
    if (targets === undefined) return Promise.resolve(false)
    const platform = event.change.account === undefined
    const t = Math.floor(this.#now() / 1000)
    const secret = platform ? targets.platformSecret : targets.connectedSecret
    return fetch(`${targets.url}/api/PaymentWebhook/${platform ? "Handle" : "HandleConnected"}`, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signatureHeader(event.body, secret, t)
      },
      body: event.body,
      signal: AbortSignal.timeout(5_000)
    }).then(
      (response) => response.ok,
      () => false
    )
  }
}

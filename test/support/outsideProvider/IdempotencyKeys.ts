/**
 * Idempotency keys as the provider keeps them: the first answer under a key, a server error too, is every later answer under it, for
 * 24 hours; other parameters under it are an error (https://docs.stripe.com/api/idempotent_requests).
 */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

export type Recalled =
  | { readonly is: "new" }
  | { readonly is: "busy" }
  | { readonly is: "other" }
  | { readonly is: "known"; readonly answer: Answer }

const lifeMs = 24 * 3600 * 1000

export class IdempotencyKeys {
  readonly #kept = new Map<
    string,
    { readonly at: number; readonly asked: string; readonly answer: Answer | undefined }
  >()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  recall(key: string, asked: string): Recalled {
    const kept = this.#kept.get(key)
    if (kept === undefined || this.#now() - kept.at >= lifeMs) return { is: "new" }
    if (kept.asked !== asked) return { is: "other" }
    return kept.answer === undefined ? { is: "busy" } : { is: "known", answer: kept.answer }
  }

  begin(key: string, asked: string): void {
    this.#kept.set(key, { at: this.#now(), asked, answer: undefined })
  }

  end(key: string, asked: string, answer: Answer): void {
    this.#kept.set(key, { at: this.#now(), asked, answer })
  }

  /** Nothing was begun: the request was refused before the provider did anything, or it was not reached. */
  drop(key: string): void {
    this.#kept.delete(key)
  }
}

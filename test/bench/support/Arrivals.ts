/** How the callers of a bench come: whatever became of the earlier ones, or one after the other. */
import { Schema } from "effect"

/** Fields of a plan. */
export const arriving = {
  seconds: Schema.Finite,
  /**
   * Those who come a second, whatever became of the earlier ones; without it, so many come again once they are
   * answered.
   */
  rate: Schema.optionalKey(Schema.Finite),
  together: Schema.Int
}
type Arriving = typeof arriving

/** Calls `arrive` with the time at which each is due: so many a second, for so many seconds. */
export const arrivals = (rate: number, seconds: number, arrive: (due: number) => void): Promise<void> =>
  new Promise((done) => {
    const started = performance.now()
    const count = Math.ceil(rate * seconds)
    let came = 0
    const timer = setInterval(() => {
      for (; came < count; came++) {
        const due = started + (came * 1000) / rate
        if (due > performance.now()) return
        arrive(due)
      }
      clearInterval(timer)
      done()
    }, 1)
  })

/** Calls with the time at which each is due, until the plan's time is up and the last call has ended. */
export const comeAs = async (
  { rate, seconds, together }: Schema.Struct<Arriving>["Type"],
  call: (due: number) => Promise<void>
): Promise<void> => {
  if (rate === undefined) {
    const endsAt = performance.now() + seconds * 1000
    const again = async (): Promise<void> => {
      for (let now = performance.now(); now < endsAt; now = performance.now()) await call(now)
    }
    await Promise.all(Array.from({ length: together }, again))
    return
  }
  const under = new Set<Promise<void>>()
  await arrivals(rate, seconds, (due) => {
    const one = call(due).finally(() => under.delete(one))
    under.add(one)
  })
  await Promise.all(under)
}

/** The address of the n-th sender, for `X-Forwarded-For`. */
export const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

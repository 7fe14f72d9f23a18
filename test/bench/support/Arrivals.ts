/** Callers who come whatever became of the earlier ones, each a sender of its own. */

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

/** The address of the n-th sender, for `X-Forwarded-For`. */
export const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

/**
 * Things in the order in which they came, of which any may leave. As a set does, but a set that changes with each request
 * leaves outgrown tables behind, each of which keeps the next until all memory is collected: that came twice as often.
 */

/** The place of a thing in a line, or in none. */
export class Spot<A> {
  readonly value: A
  line: Line<A> | undefined
  after: Spot<A> | undefined
  #before: Spot<A> | undefined

  constructor(value: A) {
    this.value = value
  }

  /** To the end of a line, from wherever it was. */
  join(line: Line<A>): this {
    this.leave()
    this.line = line
    this.#before = line.last
    if (line.last === undefined) line.first = this
    else line.last.after = this
    line.last = this
    return this
  }

  leave(): void {
    const { line, after } = this
    if (line === undefined) return
    if (this.#before === undefined) line.first = after
    else this.#before.after = after
    if (after === undefined) line.last = this.#before
    else after.#before = this.#before
    this.line = undefined
    this.after = undefined
    this.#before = undefined
  }
}

export class Line<A> {
  first: Spot<A> | undefined
  last: Spot<A> | undefined

  add(value: A): Spot<A> {
    return new Spot(value).join(this)
  }

  *[Symbol.iterator](): Iterator<A> {
    for (let spot = this.first; spot !== undefined; spot = spot.after) yield spot.value
  }
}

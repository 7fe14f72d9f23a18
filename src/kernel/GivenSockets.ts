/** Sockets that whoever started this process gave it to listen on, by the number of their open file. By default there are none. */
import { Context } from "effect"

export interface GivenSockets {
  /** The service's port. */
  readonly service: ReadonlyArray<number>
  /** The sandbox's. */
  readonly sandbox: ReadonlyArray<number>
  /** Whether nobody else listens on them yet. */
  readonly isFirst: boolean
}

export const CurrentGivenSockets = Context.Reference<GivenSockets>("playroom/kernel/GivenSockets", {
  defaultValue: () => ({ service: [], sandbox: [], isFirst: false })
})

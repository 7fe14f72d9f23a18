/**
 * Sockets that whoever started this process listens on for it: systemd's socket activation (`sd_listen_fds(3)`). They outlive the
 * process, and several processes may have the same: what nobody has accepted yet waits in the system's queue.
 */
import { Context } from "effect"

/** The first number that systemd gives to an open file. */
const firstInherited = 3

/** The numbers of the sockets that these variables give to the process with this id. */
export const inheritedSockets = (
  { LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>,
  pid: number
): ReadonlyArray<number> =>
  LISTEN_PID === String(pid) ? Array.from({ length: Number(LISTEN_FDS) }, (_, n) => firstInherited + n) : []

/** The socket to listen on. Default: none, and the process opens its own. */
export const CurrentInheritedSocket = Context.Reference<number | undefined>("playroom/kernel/InheritedSocket", {
  defaultValue: () => undefined
})

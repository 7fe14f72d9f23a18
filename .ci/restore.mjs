// Runs the commands of docs/backup.md as they stand there: families book and pay at a provider that outlives the
// service, a backup is made, more happens, the database is lost, the backup is restored. Then the service's books are
// compared with the provider's. Once on the PostgreSQL server of TEST_DATABASE_URL, once on the embedded database.
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callTool, day, freePort, must, node, ready, root, run, serve, server, sleep } from "./support.mjs"

const key = "restore-0123456789-abcdefghijklmnop"
const page = readFileSync(join(root, "docs/backup.md"), "utf8")

/** The blocks of commands under a heading of the page. */
const commandsOf = (heading) => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0]
  const blocks = [...(section ?? "").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block)
  if (blocks.length === 0) throw new Error(`docs/backup.md has no commands under ${heading}`)
  return blocks
}
/** The whole story on one kind of database. */
const story = async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), `playroom-restore-`))
  const processes = []
  const database = `playroom_restore_${process.pid}`
  const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
  const onServer = (text) => execFileSync("psql", [server, "-qAt", "-c", text], { encoding: "utf8" })
  try {
    const home = join(folder, "provider")
    mkdirSync(home)
    const started = spawn(node, [join(root, "test/support/outsideProvider/main.ts"), "1", home], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    processes.push(started)
    await new Promise((ready) => started.stdout.once("data", ready))
    const provider = `http://127.0.0.1:${readFileSync(join(home, "controls"), "utf8")}`
    const control = (what, how = {}) =>
      fetch(`${provider}/${what}`, { method: "POST", body: JSON.stringify(how) }).then((answer) => answer.json())

    const port = await freePort()
    const dataDir = join(folder, "data")
    const env = {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      PORT: String(port),
      API_KEY: key,
      LOG_FORMAT: "logfmt",
      DATA_DIR: dataDir,
      ...(kind === "server" ? { DATABASE_URL: url } : {}),
      PAYMENT_PROVIDER: "stripe",
      STRIPE_SECRET_KEY: "sk_test_outside",
      PAYMENT_WEBHOOK_SECRETS: "whsec_platform",
      PAYMENT_CONNECT_WEBHOOK_SECRETS: "whsec_connected",
      RATE_LIMIT_DISABLED: "true",
      MAX_HOLDS_PER_KEY: "1000",
      PROVIDER_HOME: home,
      CLOCK_OFFSET_FILE: join(home, "clock")
    }
    mkdirSync(join(folder, "bin"))
    const command = join(folder, "bin/playroom")
    writeFileSync(
      command,
      `#!/bin/sh\nexec "${node}" --import "${join(root, "test/support/outsideProvider/preload.ts")}" "${join(root, "src/main.ts")}" "$@"\n`
    )
    chmodSync(command, 0o755)
    const playroom = (...args) => run([command, ...args], { env, cwd: folder })
    /** What the doctor finds. */
    const findings = async () => {
      const { err, out, status } = await playroom("doctor", "--json")
      must(out !== "", `playroom doctor ended with ${status} and found nothing to say: ${err}`)
      return JSON.parse(out)
    }
    let state = ""
    /** Runs commands of the page in a shell that keeps `$since`, as a person's does; answers what they printed. */
    const shell = async (...commands) => {
      const text = `set -euo pipefail\n${state}\n${commands.join("")}\nprintf '\\n%s\\n' "since=\${since:-}"`
      const done = await run(["bash", "-c", text], { env, cwd: folder })
      must(done.status === 0, `a command of docs/backup.md failed:\n${commands}\n${done.out}\n${done.err}`)
      state = done.out.trimEnd().split("\n").at(-1)
      return done.out + done.err
    }
    let service
    const start = async () => {
      service = serve([command], { env, cwd: folder })
      processes.push(service.child)
      await ready(service, port)
    }
    const kill = async () => {
      service.child.kill("SIGKILL")
      await service.ended
    }
    const call = (tool, input) => callTool(port, tool, input, key)
    const read = async (booking) => (await call("get_booking", { booking_id: booking.booking_id })).booking

    if (kind === "server") onServer(`create database ${database}`)
    await start()
    if (kind === "server") must((await playroom("catalogue", "demo")).status === 0, "the demo could not be loaded")
    await control("targets", {
      targets: {
        urls: [`http://127.0.0.1:${port}`],
        platformSecret: "whsec_platform",
        connectedSecret: "whsec_connected"
      }
    })

    const { playrooms } = await call("search_playrooms", { limit: 20 })
    let families = 0
    /** Books the first option that costs something; one with a balance where `split` asks for that. */
    const book = async (split = false) => {
      const n = ++families
      // What has a deposit is mostly sold on Saturdays.
      const days = split ? 14 + ((13 - new Date().getUTCDay()) % 7) : 14 + 2 * n
      const date = day(days)
      for (const { playroom_id } of playrooms) {
        const { options } = await call("get_booking_options", { playroom_id, date, children: 8, limit: 100 })
        const option = options.find(({ price }) => price.due_now > 0 && price.total > price.due_now === split)
        if (option === undefined) continue
        const contact = { name: "Ana Lima", email: `family${n}@example.com` }
        return (await call("create_booking", { option_id: option.option_id, contact })).booking
      }
      throw new Error(`nothing on sale for family ${n}`)
    }
    const open = async ({ booking_id }, purpose = "due_now") => {
      const { payment_session: session } = await call("create_payment_session", { booking_id, purpose })
      return session.url.split("/").at(-1)
    }
    const until = async (booking, done, what) => {
      for (let tries = 0; tries < 80; tries++) {
        const now = await read(booking)
        if (done(now)) return now
        await sleep(250)
      }
      throw new Error(`${booking.reference} was not ${what} in time: ${JSON.stringify(await read(booking))}`)
    }
    const confirmed = (booking) => until(booking, ({ status }) => status === "confirmed", "confirmed")
    const pay = async (booking, purpose) => {
      const session = await open(booking, purpose)
      must((await control("pay", { session })) === true, "the page was closed")
      if (purpose === "balance") await until(booking, ({ payment_status }) => payment_status === "paid", "paid")
      else await confirmed(booking)
      return session
    }
    const paid = async () => {
      const booking = await book()
      return { ...booking, session: await pay(booking) }
    }
    const cancel = async (booking) => {
      const done = await playroom(
        "booking",
        "cancel",
        booking.reference,
        "--refund",
        "full",
        "--reason",
        "The roof leaks"
      )
      must(done.status === 0, done.err)
    }
    const refundsOf = async ({ session }) => {
      const { refunds, sessions } = await control("record")
      const { payment_intent } = sessions.find(({ id }) => id === session)
      return refunds.filter((refund) => refund.payment_intent === payment_intent)
    }
    const refunded = async (booking) => {
      for (let tries = 0; tries < 80 && (await refundsOf(booking)).length === 0; tries++) await sleep(250)
      must((await refundsOf(booking)).length === 1, `${booking.reference} was not refunded`)
    }

    // Before the backup.
    const stays = await paid()
    const held = await book()
    const heldPage = await open(held)
    const cancelledLater = await paid()
    const dashboardLater = await paid()
    const poorAccount = (await control("record")).sessions.at(-1).account
    const decidedBefore = await paid()
    const { account } = (await control("record")).sessions.find(({ id }) => id === decidedBefore.session)
    await control("poor", { account, now: true })
    await cancel(decidedBefore)
    await sleep(1500)
    must((await refundsOf(decidedBefore)).length === 0, "a refund went out of an empty balance")

    await shell(...commandsOf(kind === "server" ? "Back up a PostgreSQL server" : "Back up the embedded database"))

    // After it.
    await sleep(1100)
    await control("poor", { account, now: false })
    const waiting = (await findings()).find(({ what }) => what === "refund waits for money")
    must(waiting !== undefined, "the refund does not wait")
    must((await playroom("doctor", "--revive", waiting.id)).status === 0, "the refund could not be sent again")
    // What waits is looked at again after some minutes.
    await control("turn", { ms: 180_000 })
    await refunded(decidedBefore)
    await control("pay", { session: heldPage })
    await confirmed(held)
    await cancel(cancelledLater)
    await refunded(cancelledLater)
    must((await control("refund", { session: dashboardLater.session, amount: 100 })) === 100, "no dashboard refund")
    const lost = await paid()
    const lostSplit = await book(true)
    lostSplit.session = await pay(lostSplit)
    await pay(lostSplit, "balance")
    const lostCancelled = await paid()
    await cancel(lostCancelled)
    await refunded(lostCancelled)
    const lostInPart = await paid()
    must((await control("refund", { session: lostInPart.session, amount: 200 })) === 200, "no dashboard refund")
    const lostOpen = await book()
    const lostPage = await open(lostOpen)
    const before = await control("record")
    must(poorAccount !== undefined, "no account")

    // The database is lost.
    await kill()
    if (kind === "server") {
      onServer(`drop database ${database} with (force)`)
      onServer(`create database ${database}`)
      await shell(...commandsOf("Restore a PostgreSQL server"))
    } else {
      rmSync(dataDir, { recursive: true })
      await shell(...commandsOf("Restore the embedded database"))
    }
    const [firstHalf, doctor] = commandsOf("Bring the money back")
    const said = await shell(firstHalf)
    await start()
    await sleep(4000)
    const toldByDoctor = await shell(doctor)

    // What came of it.
    const same = {
      [stays.reference]: stays,
      [held.reference]: held,
      [lost.reference]: lost,
      [lostSplit.reference]: lostSplit
    }
    for (const [reference, booking] of Object.entries(same)) {
      const now = await read(booking)
      must(now.status === "confirmed" && now.reference === reference, `${reference} is ${now.status} after the restore`)
      must(now.starts_at === booking.starts_at, `${reference} is at another time`)
    }
    must((await read(lostSplit)).payment_status === "paid", "the balance of a lost booking is not counted")
    const flagged = await findings()
    must(
      flagged.some(({ what, id }) => what === "booking not accounted for" && id === cancelledLater.booking_id),
      "nobody is told of a booking that was cancelled after the backup"
    )
    must(toldByDoctor.includes(cancelledLater.booking_id), "the doctor does not name it")
    must((await read(decidedBefore)).status === "cancelled", "a cancellation from before the backup is lost")
    must(
      said.includes(lostInPart.session) && said.includes("payment of an unknown booking"),
      "a payment is lost without a name"
    )
    must(!said.includes(lostCancelled.session), "a payment that went back is named")
    const after = await control("record")
    must(
      after.refunds.length === before.refunds.length,
      `${after.refunds.length - before.refunds.length} refunds were made again`
    )
    must(after.sessions.find(({ id }) => id === lostPage).status === "expired", "a page of a lost booking is open")
    // The printed line gives back what is left, once.
    const [line] = said.match(new RegExp(`playroom payment refund ${lostInPart.session} .*--yes`)) ?? []
    await shell(line)
    await shell(`${line} || true`)
    const back = (await refundsOf(lostInPart)).reduce((sum, { amount }) => sum + amount, 0)
    const whole = after.sessions.find(({ id }) => id === lostInPart.session).amount
    must(back === whole, `${back} of ${whole} went back`)
    // A second look finds nothing more; a cancellation of what was flagged gives nothing back twice.
    must((await shell(firstHalf)).match(/nothing is missing/g)?.length === 2, "a second comparison finds differences")
    must(
      (await playroom("booking", "cancel", cancelledLater.reference)).status === 0,
      "it could not be cancelled again"
    )
    await sleep(2500)
    must((await refundsOf(cancelledLater)).length === 1, "money went back twice")
    // Every payment of the provider's is a paid booking with its places here, or went back whole.
    const record = await control("record")
    const { bookings } = JSON.parse(
      JSON.stringify({
        bookings: Object.fromEntries(
          await Promise.all([stays, held, lost, lostSplit].map(async (one) => [one.booking_id, await read(one)]))
        )
      })
    )
    let kept = 0
    for (const session of record.sessions.filter(({ payment_status }) => payment_status === "paid")) {
      const gone = record.refunds
        .filter(({ payment_intent }) => payment_intent === session.payment_intent)
        .reduce((sum, { amount }) => sum + amount, 0)
      must(gone <= session.amount, `${session.id} gave back more than was paid`)
      if (gone === session.amount || session.id === dashboardLater.session) continue
      must(bookings[session.metadata.booking_id]?.status === "confirmed", `${session.id} is paid for nothing`)
      kept++
    }
    console.log(
      `restore, ${kind}: ${record.sessions.length} pages and ${record.refunds.length} refunds at the provider; ${kept} payments kept for bookings that stand, none lost without a name, none given back twice`
    )
  } finally {
    for (const child of processes) child.kill("SIGKILL")
    await sleep(200)
    if (kind === "server") onServer(`drop database if exists ${database} with (force)`)
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const kind of ["server", "embedded"]) await story(kind)

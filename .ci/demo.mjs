// Draws docs/pictures/demo.svg: half a minute of what somebody says to an assistant, and what this service really answers. What
// people and the assistant say is written here, as no model takes part; names, times, prices and the reference are the answers'.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "playroom-demo-"))
const free = createServer().listen(0, "127.0.0.1")
await new Promise((listening) => free.once("listening", listening))
const { port } = free.address()
free.close()
const env = { ...process.env, PORT: String(port), SANDBOX_PORT: "0", DRAIN_SECONDS: "0" }
const service = spawn(process.execPath, [resolve("src/main.ts"), "serve"], {
  cwd: folder,
  env,
  stdio: ["ignore", "pipe", "inherit"]
})
let said = ""
service.stdout.on("data", (text) => (said += text))

const wait = (ms) => new Promise((later) => setTimeout(later, ms))
const call = async (name, input, key) => {
  const headers = { "Content-Type": "application/json", ...(key === undefined ? {} : { "X-API-Key": key }) }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } })
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body })
  const { result } = await answer.json()
  if (result.isError) throw new Error(result.content[0].text)
  return result.structuredContent
}

/** What is shown: from which second on, whose line it is, and the line. */
const play = async () => {
  while (!said.includes("X-API-Key")) {
    if (service.exitCode !== null) throw new Error(`the service ended: ${said}`)
    await wait(100)
  }
  const key = /X-API-Key +(\S+)/.exec(said)[1]
  // A Saturday in two to three weeks.
  const today = new Date()
  const saturday = new Date(today.getTime() + (20 - today.getUTCDay()) * 864e5).toISOString().slice(0, 10)
  const found = await call("search_playrooms", { city: "London", query: "Clapham", children: 8 })
  const [room] = found.playrooms
  const wanted = { playroom_id: room.playroom_id, date: saturday, children: 8 }
  const { options } = await call("get_booking_options", wanted)
  const option = options.find(({ mode }) => mode === "private") ?? options[0]
  const contact = { name: "Ada Example", email: "ada@example.com" }
  const held = await call("create_booking", { option_id: option.option_id, contact }, key)
  const { booking_id, reference } = held.booking
  const paying = JSON.stringify(await call("create_payment_session", { booking_id }, key))
  const [url] = /http:\/\/127[^"\\]+\/pay\/[^"\\]+/.exec(paying)
  await fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }), redirect: "manual" })
  let now = held.booking
  for (let tries = 0; tries < 60 && now.status !== "confirmed"; tries++) {
    await wait(500)
    now = (await call("get_booking", { booking_id }, key)).booking
  }
  if (now.status !== "confirmed") throw new Error(`the booking is ${now.status}`)
  return [
    [0.5, "you", "You", "Find us a playroom in Clapham for a birthday with eight children, on a Saturday."],
    [3, "tool", "", `search_playrooms → ${room.name}, ${room.address}`],
    [5.5, "tool", "", `get_booking_options → ${options.length} free starts, each with its exact price`],
    [
      8,
      "assistant",
      "Assistant",
      `${held.booking.package_name}, ${option.when}: ${option.price.display_total} in all. Shall I hold it?`
    ],
    [12, "you", "You", "Yes, for Ada Example."],
    [14, "tool", "", `create_booking → held for 15 minutes: ${reference}`],
    [17, "tool", "", "create_payment_session → a link to pay"],
    [19, "assistant", "Assistant", "Please pay here; I never see your card."],
    [22, "page", "Browser", "You pay on the payment provider’s page."],
    [25, "done", "", `get_booking → ${now.status}: ${reference}`]
  ]
}

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign])
const seconds = 32
const draw = (lines) => {
  const shown = lines.map(
    ([second], i) =>
      `.l${i}{animation:a${i} ${seconds}s step-end infinite}@keyframes a${i}{0%{opacity:0}${((100 * second) / seconds).toFixed(1)}%{opacity:1}}`
  )
  const rows = lines.map(
    ([, kind, who, text], i) =>
      `<g class="${kind} l${i}"><text x="24" y="${66 + i * 32}">${who}</text><text x="118" y="${66 + i * 32}">${escaped(text)}</text></g>`
  )
  const height = 66 + lines.length * 32
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${height}" role="img" aria-label="An assistant finds a playroom, holds it and has it paid, in half a minute"><style>
text{font:15px ui-monospace,Menlo,Consolas,monospace}
.you{fill:#ffd28a}.assistant{fill:#9ad0ff}.tool{fill:#a8a096}.page{fill:#ff9d80}.done{fill:#8fdc9c;font-weight:700}
${shown.join("\n")}
@media(prefers-reduced-motion:reduce){g{animation:none!important}}</style>
<rect width="900" height="${height}" rx="12" fill="#191715"/><circle cx="24" cy="24" r="6" fill="#ff6b5e"/><circle cx="44" cy="24" r="6" fill="#e0a63a"/><circle cx="64" cy="24" r="6" fill="#5fb37a"/>
${rows.join("\n")}
</svg>
`
}

try {
  writeFileSync("docs/pictures/demo.svg", draw(await play()))
} finally {
  service.kill("SIGTERM")
  await new Promise((ended) => (service.exitCode === null ? service.once("exit", ended) : ended()))
  rmSync(folder, { recursive: true, force: true })
}

/**
 * A host of MCP Apps for the card: the official `AppBridge`, and a page in Chromium that shows the card in a sandboxed
 * frame under the policy that the specification asks for where a resource declares no domains.
 */
import { type CallToolResult, type Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client"
import { AppBridge, type McpUiHostContext, McpUiHostContextSchema } from "@modelcontextprotocol/ext-apps/app-bridge"
import { Effect, Schema, type Scope } from "effect"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium as playwright, type Page } from "playwright-core"
import { axeSource, chromiumOptions } from "./Browser.ts"

const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

const hostPage = `<!doctype html>
<body style="margin:0">
<iframe sandbox="allow-scripts" style="border:0;display:block;width:100%;height:500px"></iframe>
<script>
const frame = document.querySelector("iframe")
const toCard = (message) => frame.contentWindow.postMessage(message, "*")
addEventListener("message", ({ data, source }) => { if (source === frame.contentWindow) fromCard(data) })
</script>`

const violationsOf = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      nodes: Schema.Array(Schema.Struct({ html: Schema.String, failureSummary: Schema.String }))
    })
  )
)

/**
 * A window of a browser: one card at a time is shown in it. A window for each card would cost more than what is shown
 * there.
 */
export interface CardWindow {
  readonly page: Page
  /** Takes what the card that is open tells its host. */
  fromCard: (message: JSONRPCMessage) => void
}

/** Where a command is: Playwright takes a path only. */
const pathOf = (command: string): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(existsSync) ?? command

/** A window of a browser of its own for the scope, driven by Playwright. */
export const cardWindow = (command: string): Effect.Effect<CardWindow, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      playwright.launch({
        executablePath: pathOf(command),
        args: [...chromiumOptions]
      })
    ),
    (browser) => Effect.promise(() => browser.close())
  ).pipe(
    Effect.flatMap((browser) =>
      Effect.promise(async () => {
        const page = await browser.newPage()
        page.setDefaultTimeout(60_000)
        const opened: CardWindow = { page, fromCard: () => {} }
        await page.exposeFunction("fromCard", (message: JSONRPCMessage) => opened.fromCard(message))
        return opened
      })
    )
  )

interface Opening {
  /** The card's page. */
  readonly html: string
  readonly width?: number
  readonly context?: Pick<McpUiHostContext, "theme" | "locale">
  /** The host's variables for colours and fonts. */
  readonly variables?: Readonly<Record<string, string>>
  /** Passes the card's calls on to a server; without it `answer` answers them. */
  readonly client?: Client
  readonly answer?: (name: string, input: unknown) => CallToolResult | Promise<CallToolResult>
  /** Whether the host opens links; otherwise it refuses. */
  readonly opensLinks?: boolean
  readonly reducedMotion?: boolean
}

/** Messages of the card come by a function of the page, and go to it by another. */
const transportOf = (window: CardWindow): Transport => {
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void (await window.page.evaluate(`toCard(${JSON.stringify(message)})`)),
    close: async () => {}
  }
  window.fromCard = (message) => transport.onmessage?.(message)
  return transport
}

/**
 * Opens the card as a host does, instead of the one that the window showed; it waits for the answer of a tool (`show`).
 */
export const openCard = async (
  window: CardWindow,
  { answer, client, context = {}, html, opensLinks = true, reducedMotion = false, variables, width = 500 }: Opening
) => {
  const { page } = window
  page.removeAllListeners()
  await page.goto("about:blank")
  await page.setViewportSize({ width, height: 560 })
  await page.emulateMedia({
    colorScheme: context.theme ?? "light",
    reducedMotion: reducedMotion ? "reduce" : "no-preference"
  })
  const requests: Array<string> = []
  const faults: Array<string> = []
  page.on("request", (request) => requests.push(request.url()))
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
  const opened: Array<string> = []
  const told: Array<string> = []
  const calls: Array<{ readonly name: string; readonly input: unknown }> = []
  const transport = transportOf(window)
  const colours = McpUiHostContextSchema.parse({ styles: { variables } }).styles?.variables
  const bridge = new AppBridge(
    client ?? null,
    { name: "test-host", version: "1.0.0" },
    { openLinks: {}, serverTools: {}, updateModelContext: { text: {} } },
    {
      hostContext: {
        theme: "light",
        locale: "en-GB",
        containerDimensions: { maxWidth: width, maxHeight: 500 },
        ...(colours === undefined ? {} : { styles: { variables: colours } }),
        ...context
      }
    }
  )
  bridge.onopenlink = async ({ url }) => {
    opened.push(url)
    return opensLinks ? {} : { isError: true }
  }
  bridge.onupdatemodelcontext = async ({ content }) => {
    for (const block of content ?? []) if (block.type === "text") told.push(block.text)
    return {}
  }
  if (client === undefined) {
    bridge.oncalltool = async ({ arguments: input, name }) => {
      calls.push({ name, input })
      if (answer === undefined) throw new Error("No calls here")
      return answer(name, input)
    }
  }
  let height = 0
  bridge.onsizechange = (size) => {
    height = size.height ?? height
    page.evaluate(`frame.style.height = "${height}px"`).catch(() => {})
  }
  const initialized = new Promise<void>((done) => (bridge.oninitialized = () => done()))
  await page.setContent(hostPage)
  await bridge.connect(transport)
  const guarded = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
  await page.evaluate(`frame.srcdoc = ${JSON.stringify(guarded)}`)
  await initialized
  const frame = page.frames()[1]
  if (frame === undefined) throw new Error("The card has no frame")
  // The frame may be a process of its own, which hears the host's messages in its own time: after the card's listener
  // this one counts.
  await frame.evaluate(
    `globalThis.heard = 0; addEventListener("message", ({ data }) => { if (data?.method === "ui/notifications/tool-result") heard++ })`
  )
  let sent = 0
  return {
    bridge,
    calls,
    frame,
    opened,
    page,
    told,
    /** What the card asked of the network, and what failed in it: both should stay empty. */
    requests,
    faults,
    height: () => height,
    /** A tool's call and answer, as the host tells the card of it. */
    show: async (input: Record<string, unknown>, result: CallToolResult) => {
      await bridge.sendToolInput({ arguments: input })
      await bridge.sendToolResult(result)
      sent++
      while (Number(await frame.evaluate("heard")) < sent) await new Promise((done) => setTimeout(done, 5))
      // By then the card has handled both messages.
      await frame.evaluate("new Promise((done) => setTimeout(done))")
    },
    /** What is wrong with what is shown, by the rules of axe (https://github.com/dequelabs/axe-core). */
    audit: async () => {
      await frame.evaluate(axeSource)
      const found = violationsOf(
        await frame.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)`)
      )
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary}`)
      )
    }
  }
}

/**
 * A Chromium without a window, driven over its own protocol (https://chromedevtools.github.io/devtools-protocol): no
 * library needed.
 */
import { Effect, Schema, Scope } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "vitest"
import { fileURLToPath } from "node:url"
import { languages } from "../../src/words/Languages.ts"

/** The Chromium that is installed here; undefined where there is none. */
const chromium: string | undefined = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"]).status === 0
)

/**
 * What every test's browser is started with. The suggestions below the address bar are a page of their own in each
 * window, what is framed in a sandbox is a process of its own, one more process waits for a next page, and a page that
 * was left is kept in case somebody goes back: together more than half of the processor time of these tests, and nobody
 * looks at any of it.
 */
export const chromiumOptions: ReadonlyArray<string> = [
  "--no-sandbox",
  "--no-startup-window",
  "--no-first-run",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,IsolateSandboxedIframes,SpareRendererForSitePerProcess,BackForwardCache"
]

/** Why no browser is opened; undefined if one is. What it makes of a page does not depend on the database. */
const skipped =
  chromium === undefined
    ? "Chromium is not installed"
    : process.env["TEST_WITHOUT_BROWSER"] === undefined
      ? undefined
      : "browsers are opened in the run on the embedded database"

/** Declares tests that need a browser. Where none is opened, `title` stands for them: it is skipped, and says why. */
export const inBrowser = (suite: string, title: string, tests: (command: string) => void): void => {
  if (chromium !== undefined && skipped === undefined) tests(chromium)
  else
    describe(suite, () => {
      it.skip(`${title} (SKIPPED: ${skipped ?? ""})`, () => {})
    })
}

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.optionalKey(Schema.Int),
      method: Schema.optionalKey(Schema.String),
      result: Schema.optionalKey(Schema.Unknown),
      error: Schema.optionalKey(Schema.Unknown)
    })
  )
)
const Target = Schema.decodeUnknownSync(Schema.Struct({ targetId: Schema.String }))
const Evaluated = Schema.decodeUnknownSync(
  Schema.Struct({
    result: Schema.Struct({ value: Schema.optionalKey(Schema.Unknown) }),
    exceptionDetails: Schema.optionalKey(Schema.Unknown)
  })
)
const BrowserContext = Schema.decodeUnknownSync(Schema.Struct({ browserContextId: Schema.String }))
const Screenshot = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.String }))

interface Wire {
  readonly send: (method: string, params?: object) => Promise<unknown>
  readonly next: (method: string) => Promise<void>
}

const connect = async (url: string): Promise<Wire> => {
  const socket = new WebSocket(url)
  const waiting = new Map<number, { readonly done: (value: unknown) => void; readonly fail: (why: Error) => void }>()
  const listening: Array<{ readonly method: string; readonly done: () => void }> = []
  let last = 0
  socket.addEventListener("message", ({ data }) => {
    const { error, id, method, result } = decode(String(data))
    for (const one of listening) if (one.method === method) one.done()
    const call = id === undefined ? undefined : waiting.get(id)
    if (error === undefined) call?.done(result)
    else call?.fail(new Error(JSON.stringify(error)))
  })
  await new Promise((done, fail) => {
    socket.addEventListener("open", done, { once: true })
    socket.addEventListener("error", () => fail(new Error(`no connection to ${url}`)), { once: true })
  })
  return {
    send: (method, params = {}) =>
      new Promise((done, fail) => {
        const id = ++last
        waiting.set(id, { done, fail })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    next: (method) => new Promise((done) => void listening.push({ method, done }))
  }
}

const addressOf = async (child: ChildProcess, folder: string): Promise<string> => {
  while (child.exitCode === null) {
    try {
      const [port = "", path = ""] = readFileSync(join(folder, "DevToolsActivePort"), "utf8").split("\n")
      if (path !== "") return `ws://127.0.0.1:${port}`
    } catch {
      // Not written yet.
    }
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`Chromium ended with ${child.exitCode}`)
}

export interface View {
  readonly width: number
  readonly scheme: "light" | "dark"
  /** What the browser asks for; English where none is given. */
  readonly language?: string
  /** As it is printed, where given. */
  readonly media?: "print"
  /** How much larger than usual the reader has all text. */
  readonly text?: number
  /** The reader's time zone; the machine's where none is given. */
  readonly zone?: string
}

const authenticatorOptions = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true
} as const

/** A tab, as a person with a browser of their own has it: nobody else's cookies are in it. */
const openTab = async (browser: Wire, base: string, browserContextId: string) => {
  const { targetId } = Target(await browser.send("Target.createTarget", { url: "about:blank", browserContextId }))
  const tab = await connect(`${base}/devtools/page/${targetId}`)
  await tab.send("Page.enable")
  await tab.send("Network.enable")
  // Of several windows only one has the focus, and passkeys ask for it.
  await tab.send("Emulation.setFocusEmulationEnabled", { enabled: true })
  const evaluate = async (expression: string): Promise<unknown> => {
    const { exceptionDetails, result } = Evaluated(
      await tab.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true })
    )
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  const keyCodes = { Tab: 9, Enter: 13 }
  const size = (width: number) =>
    tab.send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 })
  return {
    /** Opens an address as it is seen so wide, in this scheme and language, and answers what a script there finds. */
    look: (url: string, { language = "en", media, scheme, text = 1, width, zone = "" }: View, script: string) =>
      Effect.promise(async () => {
        await size(width)
        const features = [{ name: "prefers-color-scheme", value: scheme }]
        await tab.send("Emulation.setEmulatedMedia", { media: media ?? "", features })
        await tab.send("Page.setFontSizes", { fontSizes: { standard: 16 * text, fixed: 13 * text } })
        await tab.send("Emulation.setTimezoneOverride", { timezoneId: zone })
        await tab.send("Network.setExtraHTTPHeaders", { headers: { "accept-language": language } })
        const loaded = tab.next("Page.loadEventFired")
        await tab.send("Page.navigate", { url })
        await loaded
        return evaluate(script)
      }),
    /** The page that is open, on a screen so wide. */
    resize: (width: number) => Effect.promise(() => size(width)),
    /** A command of the browser's protocol for this page. */
    command: (method: string, params: object) => Effect.promise(() => tab.send(method, params)),
    /** What a script finds in the page that is open. */
    find: (script: string) => Effect.promise(() => evaluate(script)),
    /** Presses a key, as a person does. After `Enter` a page is awaited. */
    key: (key: keyof typeof keyCodes) =>
      Effect.promise(async () => {
        const loaded = key === "Enter" ? tab.next("Page.loadEventFired") : undefined
        const of = { key, code: key, windowsVirtualKeyCode: keyCodes[key] }
        await tab.send("Input.dispatchKeyEvent", {
          type: "keyDown",
          ...of,
          ...(key === "Enter" ? { text: "\r" } : {})
        })
        await tab.send("Input.dispatchKeyEvent", { type: "keyUp", ...of })
        await loaded
      }),
    /** From now on the device makes and uses passkeys, without asking for a finger. */
    passkeys: Effect.promise(async () => {
      await tab.send("WebAuthn.enable")
      await tab.send("WebAuthn.addVirtualAuthenticator", { options: authenticatorOptions })
    }),
    /** Another device from now on: it has no passkeys yet. `pin: false`: a security key without a PIN. */
    otherDevice: ({ pin }: { readonly pin: boolean }) =>
      Effect.promise(async () => {
        await tab.send("WebAuthn.disable")
        await tab.send("WebAuthn.enable")
        const key = { transport: "usb", hasUserVerification: false, isUserVerified: false }
        await tab.send("WebAuthn.addVirtualAuthenticator", {
          options: { ...authenticatorOptions, ...(pin ? {} : key) }
        })
      }),
    /** From now on files are kept in a folder. */
    downloadTo: (downloadPath: string) =>
      Effect.promise(() =>
        browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath, browserContextId })
      ),
    /** What is seen now, as PNG. */
    picture: Effect.promise(async () =>
      Buffer.from(Screenshot(await tab.send("Page.captureScreenshot", { captureBeyondViewport: true })).data, "base64")
    )
  }
}

export type Tab = Awaited<ReturnType<typeof openTab>>

/**
 * A browser that ends with this process, however that ends: it waits for the end of what it reads, and takes its folder
 * along.
 */
const untilTheEnd = '(read -r _ <&3; kill -9 $$; sleep 1; rm -rf "$0") & exec "$@"'

const start = async (command: string) => {
  const folder = mkdtempSync(join(tmpdir(), "playroom-browser-"))
  const options = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${folder}`, ...chromiumOptions]
  const child = spawn("/bin/sh", ["-c", untilTheEnd, folder, command, ...options], {
    stdio: ["ignore", "ignore", "ignore", "pipe"]
  })
  const base = await addressOf(child, folder)
  child.unref()
  const answer = await fetch(`${base.replace("ws:", "http:")}/json/version`)
  const { webSocketDebuggerUrl } = Schema.decodeUnknownSync(Schema.Struct({ webSocketDebuggerUrl: Schema.String }))(
    await answer.json()
  )
  return { browser: await connect(webSocketDebuggerUrl), base }
}

let started: ReturnType<typeof start> | undefined

/**
 * A person's browser for the scope, with a tab. `another`: somebody else's, with cookies of its own. The program is the
 * same for all test files of a worker, because its start costs more than most of them.
 */
export const openBrowser = (command: string) =>
  Effect.gen(function* () {
    const { base, browser } = yield* Effect.promise(() => (started ??= start(command)))
    const person = Effect.acquireRelease(
      Effect.promise(async () => BrowserContext(await browser.send("Target.createBrowserContext")).browserContextId),
      (browserContextId) => Effect.promise(() => browser.send("Target.disposeBrowserContext", { browserContextId }))
    )
    const scope = yield* Effect.scope
    const another = Scope.provide(person, scope).pipe(
      Effect.flatMap((browserContextId) => Effect.promise(() => openTab(browser, base, browserContextId)))
    )
    return { ...(yield* another), another }
  })

// What is wrong with a page for people, as axe (https://github.com/dequelabs/axe-core) and a phone see it.

/** Narrow and wide, light and dark. */
export const views: ReadonlyArray<View> = [360, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((scheme) => ({ width, scheme }))
)

/**
 * Each language on a phone, where long words don't fit, and both schemes wide: languages differ by words, schemes by
 * colours.
 */
export const everyLanguage: ReadonlyArray<View> = [
  ...languages.map((language, i) => ({
    width: 360,
    scheme: i % 2 === 0 ? ("light" as const) : ("dark" as const),
    language
  })),
  ...views.filter(({ width }) => width > 360)
]

/** Axe without comments and long names: each page that is judged reads all of it anew. */
export const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** Runs in the page: whether it is wider than the screen, and what is too small for a finger. */
export const judgedByScreen = `(() => {
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth
  return [
    ...(wide
      ? [
          "wider than the screen: " +
            [...document.querySelectorAll("body *")]
              .filter((one) => one.closest(".picture") === null && one.getBoundingClientRect().right > document.documentElement.clientWidth)
              .map((one) => one.outerHTML.slice(0, 80))
              .join(" | ")
        ]
      : []),
    ...[...document.querySelectorAll("button, select, input:not([type=hidden])")]
      .filter((one) => one.getBoundingClientRect().height < 44)
      .map((one) => "too small to press: " + one.outerHTML.slice(0, 80))
  ]
})()`

/** The same, and what axe finds. */
export const judged = `(async () => {
  ${axeSource}
  const { violations } = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] })
  return [
    ...violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")),
    ...${judgedByScreen}
  ]
})()`

/**
 * For a page that is seen in each language: what axe finds in one, it finds in all, and words differ by the room that
 * they need.
 */
export const judgedIn = ({ language = "en" }: View): string => (language === "en" ? judged : judgedByScreen)

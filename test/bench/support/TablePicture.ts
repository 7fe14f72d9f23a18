/** A report's tables as SVG. */
import { type Cell, cellText, median, type Table } from "./Figures.ts"
import { escaped } from "./Picture.ts"

/** What a bench found, where. */
export interface Report {
  readonly bench: string
  readonly about: string
  readonly commit: string
  readonly machine: string
  readonly rounds: number
  readonly tables: ReadonlyArray<Table>
}

const [margin, lineHeight, letter, barWidth, gap] = [20, 22, 6.6, 90, 24]

/** What the bar of a cell shows; none for words. */
const figureOf = (cell: Cell | undefined): number | undefined => {
  if (cell === undefined || typeof cell === "string") return undefined
  const figure = typeof cell === "number" ? cell : median(cell)
  return Number.isFinite(figure) ? figure : undefined
}

const text = (x: number, y: number, words: string, more = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y}"${more}>${escaped(words)}</text>`

/** A table with a bar in each cell; bars of a column begin at zero and have one scale. */
const tablePicture = ({ head, rows, title }: Table, top: number) => {
  const lines = [text(margin, top, title, ' font-weight="bold"')]
  let x = margin
  for (const [column, name] of head.entries()) {
    const cells = rows.map((row) => row[column])
    const figures = cells.map(figureOf)
    const most = Math.max(0, ...figures.filter((figure) => figure !== undefined))
    const bars = most > 0 ? barWidth : 0
    lines.push(text(x, top + lineHeight, name, ' fill="#666"'))
    const texts = cells.map((cell) => (cell === undefined ? "" : cellText(cell)))
    for (const [i, words] of texts.entries()) {
      const y = top + (i + 2) * lineHeight
      const length = ((figures[i] ?? 0) / (most || 1)) * bars
      if (length > 0)
        lines.push(`<rect x="${x.toFixed(1)}" y="${y - 11}" width="${length.toFixed(1)}" height="13" fill="#9cc3ee"/>`)
      lines.push(text(x + (length > 0 ? 4 : 0), y, words))
    }
    x += Math.max(bars, ...[name, ...texts].map((words) => words.length * letter)) + gap
  }
  return { lines, width: Math.max(x, margin + title.length * letter), bottom: top + (rows.length + 3) * lineHeight }
}

/** All tables of a report, one below the other. */
export const reportPicture = ({ about, bench, commit, machine, rounds, tables }: Report): string => {
  const lines: Array<string> = [
    text(margin, 28, `${bench}: ${about}`, ' font-size="15"'),
    text(margin, 48, `${machine}; commit ${commit}; ${rounds} rounds: median (least–most)`, ' fill="#666"')
  ]
  let [bottom, width] = [84, margin + Math.max(about.length + bench.length, 90) * letter * 1.2]
  for (const table of tables) {
    const drawn = tablePicture(table, bottom)
    lines.push(...drawn.lines)
    bottom = drawn.bottom
    width = Math.max(width, drawn.width)
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${bottom}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...lines,
    "</svg>",
    ""
  ].join("\n")
}

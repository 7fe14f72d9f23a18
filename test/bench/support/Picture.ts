/** Pictures of figures over time, as SVG: one small diagram for each measure and service. */

export interface Line {
  readonly name: string
  /** In the order of time, as long as the other lines of the picture. */
  readonly values: ReadonlyArray<number>
}

export interface Column {
  readonly title: string
  readonly lines: ReadonlyArray<Line>
}

const [width, height, left, top, gap] = [420, 90, 20, 60, 34]

/** Text as it may stand in SVG. */
export const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const short = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))

const diagram = ({ name, values }: Line, x: number, y: number): string => {
  const most = Math.max(...values, Number.MIN_VALUE)
  const points = values.map((value, i) => {
    const across = values.length < 2 ? 0 : (i / (values.length - 1)) * width
    return `${(x + across).toFixed(1)},${(y + height - (value / most) * height).toFixed(1)}`
  })
  return [
    `<text x="${x}" y="${y - 6}">${escaped(name)}: ${short(values[0] ?? 0)} … ${short(values.at(-1) ?? 0)}, most ${short(most)}</text>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#ccc"/>`,
    `<polyline points="${points.join(" ")}" fill="none" stroke="#06c" stroke-width="1.5"/>`
  ].join("\n")
}

/** Each diagram begins at zero and ends at the most of its values. */
export const picture = (title: string, columns: ReadonlyArray<Column>): string => {
  const rows = Math.max(...columns.map(({ lines }) => lines.length))
  const total = [left + columns.length * (width + left), top + rows * (height + gap)]
  const body = columns.flatMap(({ lines, title }, column) => {
    const x = left + column * (width + left)
    return [
      `<text x="${x}" y="44" font-weight="bold">${escaped(title)}</text>`,
      ...lines.map((line, row) => diagram(line, x, top + 16 + row * (height + gap)))
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total[0]} ${total[1]}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${left}" y="22" font-size="15">${escaped(title)}</text>`,
    ...body,
    "</svg>",
    ""
  ].join("\n")
}

import type { IBufferCell, Terminal } from '@xterm/headless'

/** Colours of a picture, as CSS has them. */
export interface Scheme {
  readonly background: string
  readonly foreground: string
  readonly frame: string
}

/** Size of a cell and the margin around the screen, in pixels. */
const CELL = { width: 8.4, height: 18, baseline: 13.5 } as const
const MARGIN = 14

const FONT = `ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace`

/** Neighbouring cells of one style, which are drawn as one text. */
interface Run {
  readonly column: number
  readonly style: string
  readonly fill: string | undefined
  text: string
  width: number
}

/** Draws the screen of a terminal as an SVG whose text can be selected and read aloud. */
export function terminalSvg(terminal: Terminal, title: string, scheme: Scheme): string {
  const { cols, rows } = terminal
  const width = Math.ceil(cols * CELL.width + 2 * MARGIN)
  const height = rows * CELL.height + 2 * MARGIN
  const lines = Array.from({ length: rows }, (_, row) => drawRow(terminal, row, scheme)).filter(Boolean)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>text{font:14px ${FONT};fill:${scheme.foreground};white-space:pre}.b{font-weight:bold}.d{opacity:.6}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${scheme.background}" stroke="${scheme.frame}"/>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n')
}

function drawRow(terminal: Terminal, row: number, scheme: Scheme): string {
  const top = MARGIN + row * CELL.height
  return runsOf(terminal, row, scheme)
    .map(({ column, style, fill, text, width }) => {
      const x = round(MARGIN + column * CELL.width)
      const length = round(width * CELL.width)
      const box = fill && `<rect x="${x}" y="${top}" width="${length}" height="${CELL.height}" fill="${fill}"/>`
      const words = text.trimEnd() && drawText(text, x, round(top + CELL.baseline), style)
      return `${box ?? ''}${words}`
    })
    .join('')
}

/** Each text has the length of its cells, so that columns stay straight in whatever font a reader has. */
function drawText(text: string, x: number, y: number, style: string): string {
  const drawn = text.trimEnd()
  const length = round(Bun.stringWidth(drawn) * CELL.width)
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escapeXml(drawn)}</text>`
}

function runsOf(terminal: Terminal, row: number, scheme: Scheme): Run[] {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
  const runs: Run[] = []
  for (let column = 0; column < terminal.cols; column++) {
    const cell = line?.getCell(column)
    if (!cell || cell.getWidth() === 0) continue
    const { style, fill } = styleOf(cell, scheme)
    const last = runs.at(-1)
    if (last && last.style === style && last.fill === fill) {
      last.text += cell.getChars() || ' '
      last.width += cell.getWidth()
    } else runs.push({ column, style, fill, text: cell.getChars() || ' ', width: cell.getWidth() })
  }
  return runs.flatMap(splitAtGaps)
}

/** Splits a text at runs of blanks, which a stretched text would spread over its letters. */
function splitAtGaps(run: Run): Run[] {
  if (run.fill) return [run]
  return [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    ...run,
    text,
    column: run.column + Bun.stringWidth(run.text.slice(0, index)),
    width: Bun.stringWidth(text),
  }))
}

function styleOf(cell: IBufferCell, scheme: Scheme): { style: string; fill: string | undefined } {
  const own = colourOf(cell.getFgColor(), cell.isFgRGB(), cell.isFgPalette()) ?? scheme.foreground
  const ground = colourOf(cell.getBgColor(), cell.isBgRGB(), cell.isBgPalette())
  const isInverse = cell.isInverse() !== 0
  const colour = isInverse ? (ground ?? scheme.background) : own
  const classes = [cell.isBold() && 'b', cell.isDim() && 'd'].filter(Boolean).join(' ')
  const fill = colour === scheme.foreground ? '' : ` style="fill:${colour}"`
  return { style: `${classes && ` class="${classes}"`}${fill}`, fill: isInverse ? own : ground }
}

/** Colours of the terminal's palette; those above 16 are not used by what is drawn. */
const PALETTE = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
]

const colourOf = (value: number, isRgb: boolean, isPalette: boolean): string | undefined => {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`
  return isPalette ? PALETTE[value] : undefined
}

const round = (value: number): number => Math.round(value * 10) / 10

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

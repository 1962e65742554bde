import { displayWidth, truncate } from '../../src/client/text.ts'
import type { Tone } from '../pages/tones.ts'
import type { Line } from '../terminal/lines.tsx'
import type { Theme } from './theme.ts'

/** A piece of a line in one tone; what others wrote in it has been sanitized. */
export interface Span {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly isInverse?: boolean
}

const RESET = '\x1b[0m'
const INVERSE = '\x1b[7m'

/** A line of exactly so many columns: shortened at its end, or filled with spaces. */
export function drawLine(spans: readonly Span[], width: number, theme: Theme, isInverse = false): string {
  let left = width
  let line = ''
  for (const span of spans) {
    if (left <= 0) break
    const needed = displayWidth(span.text)
    const text = needed <= left ? span.text : truncate(span.text, left)
    const style = theme(span.tone ?? 'plain') + (isInverse || span.isInverse ? INVERSE : '')
    line += style === '' ? text : `${style}${text}${RESET}`
    left -= needed <= left ? needed : displayWidth(text)
  }
  if (left <= 0) return line
  const blank = ' '.repeat(left)
  return line + (isInverse ? `${INVERSE}${blank}${RESET}` : blank)
}

/** Exactly so many lines of the same width. */
export function drawBlock(lines: readonly string[], width: number, height: number): string[] {
  const blank = ' '.repeat(Math.max(0, width))
  return Array.from({ length: Math.max(0, height) }, (_, at) => lines[at] ?? blank)
}

/** Panels beside each other, line by line. */
export function drawBeside(panels: readonly { readonly width: number; readonly lines: readonly string[] }[]): Line[] {
  const height = Math.max(0, ...panels.map(({ lines }) => lines.length))
  return Array.from({ length: height }, (_, at) => panels.map(({ width, lines }) => ({ width, text: lines[at] ?? '' })))
}

import type { Tone } from '../../client/views/index.ts'
import { displayWidth } from '../../src/client/text.ts'
import type { Theme } from './theme.ts'

/** A piece of a line in one tone; what others wrote in it has been sanitized. */
export interface Span {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly isInverse?: boolean
}

const RESET = '\x1b[0m'
const INVERSE = '\x1b[7m'

/** A line for a `Text`, with the sequences of its tones, which Ink keeps; a blank one is a space, so that it has a height. */
export function styled(spans: readonly Span[], theme: Theme): string {
  const line = spans.map((span) => {
    const style = theme(span.tone ?? 'plain') + (span.isInverse ? INVERSE : '')
    return style === '' || span.text === '' ? span.text : `${style}${span.text}${RESET}`
  })
  return line.join('') || ' '
}

/** The line of what is selected: inverse and without tones, as far as the panel is wide. */
export function selectedLine(spans: readonly Span[], width: number, theme: Theme): string {
  const blank = { text: ' '.repeat(Math.max(0, width - widthOf(spans))) }
  return styled(
    [...spans, blank].map(({ text }) => ({ text, isInverse: true })),
    theme,
  )
}

export const widthOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + displayWidth(text), 0)

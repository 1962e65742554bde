import type { Cell, Tone } from '../../client/views/index.ts'
import { displayWidth, sanitizeLine } from '../../src/client/text.ts'
import type { Theme } from './theme.ts'

/** A piece of a line in one tone; what others wrote in it has been sanitized. */
export interface Span {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly isInverse?: boolean
  /** The sequences of a style of its own, beside that of its tone. */
  readonly style?: string
}

/** A sequence that begins an attribute of text, and the one that ends it. */
interface Attribute {
  readonly begin: string
  readonly end: string
}

const INVERSE = '\x1b[7m'
const BLANK = /^ *$/
/** The ends of attributes that show where there is no character: background, inverse, underlined, struck through. */
const SEEN_ON_BLANKS = new Set(['\x1b[49m', '\x1b[27m', '\x1b[24m', '\x1b[29m'])

/**
 * A line for a `Text`, with the sequences of its tones, which Ink keeps; a blank one is a space, so that it has a height.
 * Ink parses each line, and once more unless it is written as Ink would write it: with no sequence that changes nothing.
 */
export function styled(spans: readonly Span[], theme: Theme): string {
  let line = ''
  let now: readonly Attribute[] = NONE
  for (const { text, tone = 'plain', isInverse, style = '' } of spans) {
    if (text === '') continue
    const wanted = attributesOf(theme(tone) + style + (isInverse ? INVERSE : ''))
    // Blanks look the same in every colour.
    const next = BLANK.test(text) && !isSeenOnBlanks(now) && !isSeenOnBlanks(wanted) ? now : wanted
    line += change(now, next) + text
    now = next
  }
  return line + change(now, NONE) || ' '
}

const NONE: readonly Attribute[] = []

/** Styles are few, but for those of screens in all colours. */
const MAX_KNOWN = 4_096

const known = new Map<string, readonly Attribute[]>()

/** The attributes of a style: of two that have the same end, such as two colours, the last. */
function attributesOf(style: string): readonly Attribute[] {
  if (style === '') return NONE
  const found = known.get(style)
  if (found) return found
  const attributes: Attribute[] = []
  for (const [begin] of style.matchAll(SGR)) {
    const end = endOf(begin)
    const old = attributes.findIndex((each) => (end === WEIGHT_END ? each.begin === begin : each.end === end))
    if (old >= 0) attributes.splice(old, 1)
    attributes.push({ begin, end })
  }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(style, attributes)
  return attributes
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are sequences of a terminal
const SGR = /\x1b\[[\d;]*m/g

const WEIGHT_END = '\x1b[22m'

/** The ends of styles that are not colours, by their numbers. */
const ENDS: Readonly<Record<number, number>> = { 1: 22, 2: 22, 3: 23, 4: 24, 7: 27, 9: 29 }

/** The sequence that ends what a sequence of one attribute begins. */
function endOf(begin: string): string {
  const code = Number.parseInt(begin.slice(2), 10)
  const isGround = (code >= 40 && code <= 48) || (code >= 100 && code <= 107)
  return `\x1b[${ENDS[code] ?? (isGround ? 49 : 39)}m`
}

const isSeenOnBlanks = (attributes: readonly Attribute[]): boolean =>
  attributes.some(({ end }) => SEEN_ON_BLANKS.has(end))

/** What leads from some attributes to others: ends what is over, the last first, and begins what is new. */
function change(from: readonly Attribute[], to: readonly Attribute[]): string {
  if (from === to) return ''
  const isOver = ({ begin, end }: Attribute) =>
    !to.some((each) => (end === WEIGHT_END ? each.begin === begin : each.end === end))
  const over = from.filter(isOver)
  const isWeightOver = over.some(({ end }) => end === WEIGHT_END)
  const fresh = to.filter(
    ({ begin, end }) => (isWeightOver && end === WEIGHT_END) || !from.some((each) => each.begin === begin),
  )
  return [...over.map(({ end }) => end).reverse(), ...fresh.map(({ begin }) => begin)].join('')
}

/** The line of what is selected, as far as the panel is wide: on a ground of its own, or inverse and without tones. */
export function selectedLine(spans: readonly Span[], width: number, theme: Theme): string {
  const blank: Span = { text: ' '.repeat(Math.max(0, width - widthOf(spans))) }
  return styled(
    [...spans, blank].map(({ text, tone }) =>
      theme.selection === undefined
        ? { text, isInverse: true }
        : { text, tone: tone === 'quiet' ? 'plain' : tone, style: theme.selection },
    ),
    theme,
  )
}

export const widthOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + displayWidth(text), 0)

/** A text as it is drawn, with its syntax and its marked parts. Those of a text with hidden characters would be in the wrong places. */
export function markedSpans(drawn: string, { text = '', tone, marks = [], syntax }: Cell, theme: Theme): Span[] {
  const ground = syntax && theme.ground(tone ?? 'plain')
  if ((marks.length === 0 && ground === undefined) || sanitizeLine(text) !== text) return [{ text: drawn, tone }]
  const end = drawn.endsWith('…') ? drawn.length - 1 : Math.min(drawn.length, text.length)
  const ranges = ground === undefined ? [] : (syntax ?? [])
  const edges = [
    0,
    ground === undefined ? 0 : 1,
    end,
    ...marks.flat(),
    ...ranges.flatMap((range) => range.slice(0, 2)).map(Number),
  ]
  const cuts = [...new Set(edges.filter((at) => at <= end))].sort((a, b) => a - b)
  const isWithin = (at: number, [from = 0, to = 0]: readonly number[]) => from <= at && at < to
  const spans = cuts.map((from, at): Span => {
    const isMarked = marks.some((mark) => isWithin(from, mark)) && from < end
    const own =
      ground === undefined || from === 0 ? tone : ranges.find(([first, to]) => isWithin(from, [first, to]))?.[2]
    const behind = ground && theme.ground(tone ?? 'plain', isMarked)
    const piece = { text: drawn.slice(from, cuts[at + 1]), tone: own }
    return behind ? { ...piece, style: behind } : { ...piece, isInverse: isMarked }
  })
  return spans.filter(({ text }) => text !== '')
}

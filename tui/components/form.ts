import { sanitizeLine } from '../../src/client/text.ts'
import { namesFor, typedProblem } from '../state/fields.ts'
import { placeIn } from '../state/long-text.ts'
import type { FormField, Known, Overlay } from '../state/state.ts'
import { lineSpans } from './edit-line.ts'
import type { Span } from './styled.ts'

type SpanLine = readonly Span[]

const EMPTY: SpanLine = []
const FOOT = ' enter next · tab other field · esc leave'
const LONG_FOOT = ' enter next · ctrl+j new line · tab other field · esc leave'
/** So many lines of a long text are seen together. */
const MAX_LONG = 12
/** So many names are shown that a field may hold. */
const MAX_NAMES = 8
/** Lines of a form that are not fields. */
const AROUND = 4

/** The fields of a form, as many as there is room for, with the one that has the keys among them. */
export function formLines(
  { fields, at }: Overlay & { kind: 'form' },
  known: readonly Known[],
  width: number,
  height: number,
): SpanLine[] {
  const isMixed = fields.some(({ isOptional }) => isOptional)
  const most = Math.max(3, Math.min(MAX_LONG, height - AROUND - 3))
  const blocks = fields.map((field, index) => {
    const names = index === at ? namesFor(field, known).slice(0, MAX_NAMES) : []
    const shown = { ...field, ...(names.length > 0 && { choices: names.map(({ text }) => text) }) }
    const problem = typedProblem(field, known)
    const wrong: SpanLine[] = problem === undefined ? [] : [[{ text: `     ${sanitizeLine(problem)}`, tone: 'bad' }]]
    return [...fieldLines(shown, index === at, isMixed, width, most), ...wrong]
  })
  const all = blocks.flat()
  const caret = all.findIndex((spans) => spans.some(({ isInverse }) => isInverse))
  const room = Math.max(3, height - AROUND)
  const first = Math.max(0, Math.min(caret - Math.floor(room / 2), all.length - room))
  return [...all.slice(first, first + room), EMPTY, [{ text: fields[at]?.isLong ? LONG_FOOT : FOOT, tone: 'quiet' }]]
}

/** A field: its title, what it holds, and what it may hold. */
function fieldLines(
  { title, edit, choices, names, isOptional, isLong }: FormField,
  hasKeys: boolean,
  isMixed: boolean,
  width: number,
  most: number,
): SpanLine[] {
  const needed = isMixed && !isOptional ? ' · required' : ''
  const values = isLong
    ? longSpans(edit, hasKeys, width, most)
    : [hasKeys ? lineSpans(edit, width - 6) : plain(edit.text)]
  const hint = `     ${hasKeys && names === undefined ? '← → ' : ''}${choices?.map(sanitizeLine).join(' · ')}`
  return [
    [{ text: ` ${sanitizeLine(title)}${needed}`, tone: hasKeys ? 'strong' : 'quiet' }],
    ...values.map((value) => [{ text: '   ' }, ...value]),
    ...(choices ? [[{ text: hint, tone: 'quiet' as const }]] : []),
  ]
}

const plain = (text: string): Span[] => [{ text: sanitizeLine(text) }]

/** The lines of a long text that are around the caret, and how many more there are. */
function longSpans(edit: FormField['edit'], hasKeys: boolean, width: number, most: number): Span[][] {
  const { lines, line, column } = placeIn(edit)
  const first = Math.max(0, Math.min(line - Math.floor(most / 2), lines.length - most))
  const shown = lines.slice(first, first + most).map((text, at) => {
    return hasKeys && first + at === line ? lineSpans({ text, caret: column }, width - 6) : plain(text)
  })
  const hidden = lines.length - shown.length
  return hidden === 0 ? shown : [...shown, [{ text: `… ${lines.length} lines in all`, tone: 'quiet' }]]
}

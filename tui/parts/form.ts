import { sanitizeLine } from '../../src/client/text.ts'
import type { FormField, Overlay } from '../state/state.ts'
import { lineSpans } from './edit-line.ts'
import type { Span } from './span.ts'

type SpanLine = { readonly spans: readonly Span[] }

const EMPTY: SpanLine = { spans: [] }
const FOOT = ' enter goes on · tab another field · esc leaves everything as it is'
/** Lines of a form that are no fields. */
const AROUND = 5

/** The fields of a form, as many as there is room for, with the one that has the keys among them. */
export function formLines(
  { chosen, fields, at }: Overlay & { kind: 'form' },
  width: number,
  height: number,
): SpanLine[] {
  const isMixed = fields.some(({ isOptional }) => isOptional)
  const blocks = fields.map((field, index) => fieldLines(field, index === at, isMixed, width))
  const before = blocks.slice(0, at).flat().length
  const all = blocks.flat()
  const room = Math.max(3, height - AROUND)
  const first = Math.max(0, Math.min(before - Math.floor(room / 2), all.length - room))
  return [
    EMPTY,
    { spans: [{ text: ` ${sanitizeLine(chosen.action.help)}`, tone: 'strong' }] },
    EMPTY,
    ...all.slice(first, first + room),
    EMPTY,
    { spans: [{ text: FOOT, tone: 'quiet' }] },
  ]
}

/** A field: its title, what it holds, and what it may hold. */
function fieldLines(
  { title, edit, choices, isOptional }: FormField,
  hasKeys: boolean,
  isMixed: boolean,
  width: number,
): SpanLine[] {
  const needed = isMixed && !isOptional ? ' · required' : ''
  const value: Span[] = hasKeys ? lineSpans(edit, width - 6) : [{ text: sanitizeLine(edit.text) }]
  const hint = `     ${hasKeys ? '← → ' : ''}${choices?.map(sanitizeLine).join(' · ')}`
  return [
    { spans: [{ text: ` ${sanitizeLine(title)}${needed}`, tone: hasKeys ? 'strong' : 'quiet' }] },
    { spans: [{ text: '   ' }, ...value] },
    ...(choices ? [{ spans: [{ text: hint, tone: 'quiet' as const }] }] : []),
  ]
}

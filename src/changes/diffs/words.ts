import { diffArrays } from 'diff'
import type { DiffHunk, DiffLine } from './schema.ts'

/** Maximum lines of a block whose words are compared. */
const MAX_LINES = 60
const MAX_TOKENS = 3000
/** Maximum differences in a block. */
const MAX_EDITS = 400
/** Maximum share of a line that may be marked; a line that changed more was rewritten. */
const MAX_CHANGED = 0.7

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu

/** Marks the words that changed, in each block that removes lines and adds others in their place. */
export function markWords({ lines }: DiffHunk): void {
  let block: DiffLine[] = []
  for (const line of lines) {
    const isNext = line.kind === ' ' || (line.kind === '-' && block.at(-1)?.kind === '+')
    if (isNext) {
      markBlock(block)
      block = []
    }
    if (line.kind !== ' ' && !line.moved) block.push(line)
  }
  markBlock(block)
}

function markBlock(lines: readonly DiffLine[]): void {
  const removed = lines.filter(({ kind }) => kind === '-')
  const added = lines.filter(({ kind }) => kind === '+')
  if (removed.length === 0 || added.length === 0 || lines.length > MAX_LINES) return
  if (lines.some(({ bytes }) => bytes !== undefined)) return
  const before = removed.flatMap(toTokens)
  const after = added.flatMap(toTokens)
  if (before.length + after.length > MAX_TOKENS) return
  const texts = (tokens: readonly Token[]) => tokens.map(({ text }) => text)
  const parts = diffArrays(texts(before), texts(after), { maxEditLength: MAX_EDITS }) ?? []
  const changed = new Map<DiffLine, number[][]>()
  let old = 0
  let next = 0
  for (const part of parts) {
    if (part.removed) for (const token of before.slice(old, old + part.count)) mark(changed, token)
    if (part.added) for (const token of after.slice(next, next + part.count)) mark(changed, token)
    if (!part.added) old += part.count
    if (!part.removed) next += part.count
  }
  for (const [line, ranges] of changed) if (isPart(line, ranges)) line.words = ranges
}

interface Token {
  readonly line: DiffLine
  readonly from: number
  readonly text: string
}

/** The tokens of a line, and its end. */
const toTokens = (line: DiffLine): Token[] => [
  ...[...line.text.matchAll(TOKENS)].map(({ index, 0: text }) => ({ line, from: index, text })),
  { line, from: line.text.length, text: '\n' },
]

function mark(changed: Map<DiffLine, number[][]>, { line, from, text }: Token): void {
  if (text === '\n' && from === line.text.length) return
  const ranges = changed.get(line) ?? []
  changed.set(line, ranges)
  const last = ranges.at(-1)
  if (last?.[1] === from) last[1] = from + text.length
  else ranges.push([from, from + text.length])
}

/** True if enough of a line stayed the same for its changed words to help. */
function isPart({ text }: DiffLine, ranges: readonly number[][]): boolean {
  const visible = (part: string) => part.replace(/\s/g, '').length
  const changed = ranges.reduce((sum, [from, to]) => sum + visible(text.slice(from, to)), 0)
  return changed <= visible(text) * MAX_CHANGED
}

import type { Block } from '../../../programs/entries/index.ts'

/** Maximum number of characters of a line an excerpt has, and how many of them are before the first word. */
const EXCERPT_LENGTH = 240
const LEAD_LENGTH = 60

/** Words as texts are searched for them. */
export const toWords = (terms: readonly string[]): string[] => terms.map((term) => term.toLowerCase())

/** The line of a text that has most of the words, cut around the first of them; undefined unless all are in the text. */
export function excerptOf(text: string, words: readonly string[]): string | undefined {
  const lower = text.toLowerCase()
  if (!words.every((word) => lower.includes(word))) return undefined
  let best = { line: '', count: 0 }
  for (const line of text.split('\n')) {
    const lowerLine = line.toLowerCase()
    const count = words.filter((word) => lowerLine.includes(word)).length
    if (count > best.count) best = { line, count }
    if (count === words.length) break
  }
  return cutAround(best.line, words)
}

function cutAround(line: string, words: readonly string[]): string {
  const lower = line.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0))
  const start = line.length <= EXCERPT_LENGTH ? 0 : Math.max(0, first - LEAD_LENGTH)
  const piece = line
    .slice(start, start + EXCERPT_LENGTH)
    .toWellFormed()
    .trim()
  return `${start > 0 ? '…' : ''}${piece}${start + EXCERPT_LENGTH < line.length ? '…' : ''}`
}

/** All that an entry says, with what tools were given and returned in full; its thinking is left out. */
export const searchedText = (blocks: readonly Block[]): string => blocks.flatMap(blockTexts).join('\n')

function blockTexts(block: Block): string[] {
  switch (block.type) {
    case 'text':
      return [block.text ?? '']
    case 'tool_use':
      return [block.name ?? '', ...strings(block.input)]
    case 'tool_result':
      return [block.content ?? '']
    case 'interaction':
      return strings(block.interaction)
    case 'unknown':
      return [block.text ?? '', block.content ?? '']
    default:
      return []
  }
}

/** Every string within a value. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

/** A sentence of a document, with the line on which its paragraph begins. */
export interface Sentence {
  readonly text: string
  readonly line: number
  readonly words: number
  /** True if it is a cell of a table, which is checked but left out of the mean. */
  readonly isCell: boolean
}

/** Phrases that read as translated; the style section of CONTRIBUTING.md names what to write instead. */
const PHRASES: readonly RegExp[] = [
  ...[/\bwhat (?:became|comes|came|becomes) of\b/, /\b(?:is|are|has|have) to be\b/, /\bof (?:which|whom|whose) no\b/],
  ...[/\b(?:in|into) force\b/, /\bgo(?:es)? on\b/, /\bby itself\b/, /\bby themselves\b/, /\btaken? back\b/],
  ...[/\blog-ins?\b/, /\bso (?:many|long) as\b/, /\banew\b/, /\bfor ever\b/, /\bmend(?:s|ed)?\b/, /\bstands? in\b/],
  ...[/\bnobody\b/, /\bsays so\b/, /\b(?:is|are) told\b/, /\btells\b/, /\bmeanwhile\b/, /\bat once\b/, /\bwhoever\b/],
  ...[
    /\b(?:that|which|who|what) (?:is|are) to (?!the\b|an?\b)/,
    /(?<!\bthere )\b(?:is|are|was|were) no (?!(?:longer|more|one|use|news|loss|reason|sign|newer|such|need)\b)/,
  ],
  ...[/\btoo[.,;]/, /\balso where\b/, /\band that is all\b/, /\bas it is(?=[.,;:)]|$)/, /\bkeeps? its word\b/],
].map((phrase) => new RegExp(phrase, 'gi'))

const ANY_PHRASE = new RegExp(PHRASES.map(({ source }) => source).join('|'), 'i')

/** True if a text has a phrase of the list. */
export const hasPhrase = (text: string): boolean => ANY_PHRASE.test(text)

/** A paragraph, list item or table cell, without markup. */
interface Block {
  readonly text: string
  readonly line: number
  readonly isCell: boolean
}

export function sentencesOf(markdown: string): Sentence[] {
  return blocksOf(markdown).flatMap(({ text, line, isCell }) =>
    text
      .split(/(?<=[.!?]["')\]]?)\s+(?=["'([]?(?:[A-Z0-9`@]|gc\b|git\b|npm\b|docs\/))/)
      .map((sentence) => sentence.trim())
      .map((sentence) => ({ text: sentence, line, words: countWords(sentence), isCell }))
      .filter(({ words }) => words > 0),
  )
}

/** Mean number of words of the sentences outside of tables, and the longest sentence anywhere. */
export function statistics(sentences: readonly Sentence[]): { sentences: number; mean: number; longest: number } {
  const prose = sentences.filter(({ isCell }) => !isCell)
  const total = prose.reduce((sum, { words }) => sum + words, 0)
  const longest = Math.max(0, ...sentences.map(({ words }) => words))
  return { sentences: prose.length, mean: prose.length === 0 ? 0 : total / prose.length, longest }
}

/** The phrases of a document that read as translated. */
export const phrasesIn = (sentences: readonly Sentence[]): string[] =>
  sentences.flatMap(({ text, line }) =>
    PHRASES.flatMap((phrase) => [...text.matchAll(phrase)].map(([found]) => `line ${line}: ${found}`)),
  )

/** Inline code counts as one word, whatever it holds. */
const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Splits a document at blank lines, list items and table rows; headings, code blocks and HTML are left out. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { lines: string[]; line: number } | undefined
  let isCode = false
  const close = () => {
    if (open) blocks.push({ text: plain(open.lines.join(' ')), line: open.line, isCell: false })
    open = undefined
  }
  for (const [index, raw] of markdown.split('\n').entries()) {
    const text = raw.trim()
    const line = index + 1
    if (text.startsWith('```')) isCode = !isCode
    if (isCode || text === '' || /^(?:#|<|```|\[[^\]]+\]:)/.test(text)) close()
    else if (text.startsWith('|')) {
      close()
      blocks.push(...cellsOf(text).map((cell) => ({ text: plain(cell), line, isCell: true })))
    } else if (/^(?:[-*]|\d+\.) /.test(text)) {
      close()
      open = { lines: [text.replace(/^(?:[-*]|\d+\.) /, '')], line }
    } else if (open) open.lines.push(text)
    else open = { lines: [text], line }
  }
  close()
  return blocks
}

const cellsOf = (row: string): string[] => (/^[|\s:-]+$/.test(row) ? [] : row.split(/(?<!\\)\|/).slice(1, -1))

/** A text without links, emphasis and tags; inline code becomes one word. */
const plain = (text: string): string =>
  text
    .replace(/`([^`]+)`/g, (_, code: string) => `\`${code.replace(/\s+/g, '_').replace(/[.!?]/g, '·')}\``)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/\*\*?([^*]+)\*\*?/g, '$1')

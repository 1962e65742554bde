import { expect, test } from 'bun:test'
import { literalsOf, literalTexts } from './literals.ts'
import { hasPhrase, statistics } from './prose.ts'
import { commentsOf, docComments, headless, helpTexts, sentencesIn, testTitles } from './texts.ts'

/** Limits of the style guide, in words per sentence. */
const MAX_MEAN = 16
const MAX_LONGEST = 30
/** Maximum share of doc comments that open with a headless clause. */
const MAX_HEADLESS = 0.01

test('help has short sentences without phrases that read as translated', async () => {
  const texts = await helpTexts()
  const sentences = sentencesIn(texts)
  expect(texts.length).toBeGreaterThan(2000)
  expect(statistics(sentences).mean).toBeLessThanOrEqual(MAX_MEAN)
  expect(sentences.filter(({ words }) => words > MAX_LONGEST)).toEqual([])
  expect(texts.filter(({ text }) => hasPhrase(text))).toEqual([])
})

test('doc comments name what they describe', () => {
  const comments = docComments()
  expect(comments.length).toBeGreaterThan(10_000)
  expect(statistics(sentencesIn(comments)).mean).toBeLessThanOrEqual(MAX_MEAN)
  expect(headless(comments).length / comments.length).toBeLessThanOrEqual(MAX_HEADLESS)
  expect(comments.filter(({ text }) => hasPhrase(text))).toEqual([])
})

test('titles of tests name their subject', () => {
  const found = testTitles()
  expect(found.length).toBeGreaterThan(4000)
  expect(headless(found)).toEqual([])
  expect(found.filter(({ text }) => hasPhrase(text))).toEqual([])
})

test('the texts in the sources have no phrases that read as translated', () => {
  expect(literalTexts(hasPhrase).filter(({ text }) => hasPhrase(text))).toEqual([])
})

test('the texts of a source are its strings, templates and JSX that hold more than a name', () => {
  const source = `type Kind = 'two words'
    const a = ['bead.created', 'SELECT id FROM beads', sql\`two words\`, "it isn't there"]
    const b = <Text title="to the left">{\`agent \${name}\n  is idle\`} and more</Text>`
  const texts = ["it isn't there", 'to the left', 'agent … is idle', 'and more']
  expect(literalsOf('x.tsx', source).map(({ text }) => text)).toEqual(texts)
})

test('a doc comment of several lines is read as one text', () => {
  const source =
    '/** One line. */\nconst a = 1\n  /**\n   * How long it is,\n   * in metres.\n   */\n  b: number\n// What is not a doc comment.\n'
  const comments = commentsOf(source)
  expect(comments).toEqual(['One line.', 'How long it is, in metres.'])
  expect(headless(comments.map((text) => ({ place: 'x.ts', text }))).map(({ text }) => text)).toEqual(comments.slice(1))
})

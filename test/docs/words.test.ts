import { expect, test } from 'bun:test'
import { hasPhrase, statistics } from './prose.ts'
import { commentsOf, docComments, headless, helpTexts, sentencesIn } from './texts.ts'

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

test('a doc comment of several lines is read as one text', () => {
  const source =
    '/** One line. */\nconst a = 1\n  /**\n   * How long it is,\n   * in metres.\n   */\n  b: number\n// What is no doc comment.\n'
  const comments = commentsOf(source)
  expect(comments).toEqual(['One line.', 'How long it is, in metres.'])
  expect(headless(comments.map((text) => ({ place: 'x.ts', text }))).map(({ text }) => text)).toEqual(comments.slice(1))
})

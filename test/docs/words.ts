import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import { literalTexts } from './literals.ts'
import { phrasesIn, type Sentence, sentencesOf, statistics } from './prose.ts'
import { apiTexts, docComments, headless, helpTexts, type PlacedText, sentencesIn } from './texts.ts'

/**
 * Measures the sentences of the documents, the help, the API, the texts in the sources and the comments: `npm run words`.
 * `npm run words -- <file>` lists the longest sentences of a document. `npm run words -- help`, `api`, `texts` or
 * `comments` lists the texts to rewrite there.
 */

const ROOT = resolve(import.meta.dir, '../..')

/** The documents that readers of the repository see. */
export const documents = (): string[] => [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
  ...[...new Glob('docs/*.md').scanSync(ROOT)].sort(),
]

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function row(name: string, sentences: readonly Sentence[], opening = ''): string {
  const { sentences: count, mean, longest } = statistics(sentences)
  const figures = [String(count), mean.toFixed(1), String(longest), String(phrasesIn(sentences).length), opening]
  return [name.padEnd(28), ...figures.map((figure) => figure.padStart(10))].join('').trimEnd()
}

/** A row for texts outside of the documents, with the number that open with a headless clause. */
const placedRow = (name: string, texts: readonly PlacedText[]): string =>
  row(name, sentencesIn(texts), String(headless(texts).length))

function showLongest(path: string): string[] {
  const sentences = sentencesOf(readFileSync(path, 'utf8')).sort((a, b) => b.words - a.words)
  const longest = sentences.slice(0, 10).map(({ words, line, text }) => `${words} words, line ${line}: ${text}`)
  return [...longest, ...phrasesIn(sentences)]
}

/** Texts that open with a headless clause, hold a phrase of the list or have a sentence of more than 30 words. */
const toRewrite = (texts: readonly PlacedText[]): string[] =>
  texts.flatMap((text) => {
    const sentences = sentencesIn([text])
    const isLong = sentences.some(({ words }) => words > 30)
    const isWrong = isLong || headless([text]).length > 0 || phrasesIn(sentences).length > 0
    return isWrong ? [`${text.place}: ${text.text}`] : []
  })

/** The documents of both planes, from a supervisor of their own. */
async function readApi(): Promise<PlacedText[]> {
  const { World } = await import('../support/world.ts')
  await using world = await World.open()
  const planes = await Promise.all(['/openapi.json', '/api/v1/openapi.json'].map((path) => world.call(`GET ${path}`)))
  const texts = planes.flatMap(({ body }) => apiTexts(body))
  return [...new Map(texts.map((text) => [text.text, text])).values()]
}

const AREAS: Readonly<Record<string, () => PlacedText[] | Promise<PlacedText[]>>> = {
  help: helpTexts,
  api: readApi,
  texts: () => literalTexts(),
  comments: docComments,
}

async function table(): Promise<string[]> {
  const columns = ['sentences', 'mean', 'longest', 'phrases', 'headless']
  const head = ['document'.padEnd(28), ...columns.map((word) => word.padStart(10))].join('')
  const all = documents().map((name) => ({ name, sentences: sentencesOf(readDocument(name)) }))
  const areas = await Promise.all(Object.entries(AREAS).map(async ([name, read]) => placedRow(name, await read())))
  const total = all.flatMap(({ sentences }) => sentences)
  return [head, ...all.map(({ name, sentences }) => row(name, sentences)), row('all documents', total), ...areas]
}

if (import.meta.main) {
  const [path = ''] = process.argv.slice(2)
  const read = AREAS[path]
  const lines = read ? toRewrite(await read()) : path === '' ? await table() : showLongest(path)
  process.stdout.write(`${lines.join('\n')}\n`)
}

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import { phrasesIn, sentencesOf, statistics } from './prose.ts'

/** Measures the sentences of the documents: `npm run words`, or `npm run words -- <file>` for its longest ones. */

const ROOT = resolve(import.meta.dir, '../..')

/** The documents that readers of the repository see. */
export const documents = (): string[] => [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
  ...[...new Glob('docs/*.md').scanSync(ROOT)].sort(),
]

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function row(name: string, markdown: string): string {
  const sentences = sentencesOf(markdown)
  const { sentences: count, mean, longest } = statistics(sentences)
  const figures = [String(count), mean.toFixed(1), String(longest), String(phrasesIn(sentences).length)]
  return [name.padEnd(28), ...figures.map((figure) => figure.padStart(10))].join('')
}

function showLongest(path: string): string[] {
  const sentences = sentencesOf(readFileSync(path, 'utf8')).sort((a, b) => b.words - a.words)
  const longest = sentences.slice(0, 10).map(({ words, line, text }) => `${words} words, line ${line}: ${text}`)
  return [...longest, ...phrasesIn(sentences)]
}

if (import.meta.main) {
  const [path] = process.argv.slice(2)
  const names = documents()
  const all = names.map((name) => readDocument(name))
  const head = ['document'.padEnd(28), ...['sentences', 'mean', 'longest', 'phrases'].map((word) => word.padStart(10))]
  const table = [head.join(''), ...names.map((name, at) => row(name, all[at] ?? '')), row('all', all.join('\n\n'))]
  process.stdout.write(`${(path ? showLongest(path) : table).join('\n')}\n`)
}

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLines, findUnknownCommands } from '../support/command-lines.ts'
import { phrasesIn, sentencesOf, statistics } from './prose.ts'
import { documents, readDocument } from './words.ts'

/** Limits of the style guide, in words per sentence. */
const MAX_MEAN = 16
const MAX_LONGEST = 30

const names = documents()

describe('sentences', () => {
  test('end at full stops, list items and paragraphs, and leave out code and headings', () => {
    const markdown = `# A heading

One sentence. Another \`with.some code\` in it:

- an item
- [a link](x.md) and **more**

\`\`\`sh
gc no sentence.
\`\`\`
| head | cells |
| --- | --- |
| one cell | two |`
    expect(sentencesOf(markdown).map(({ text, words, isCell }) => [text, words, isCell])).toEqual([
      ['One sentence.', 2, false],
      ['Another `with·some_code` in it:', 4, false],
      ['an item', 2, false],
      ['a link and more', 4, false],
      ['head', 1, true],
      ['cells', 1, true],
      ['one cell', 2, true],
      ['two', 1, true],
    ])
  })

  test('of tables count for the longest and not for the mean', () => {
    const sentences = sentencesOf('Two words.\n\n| a cell with five words |')
    expect(statistics(sentences)).toEqual({ sentences: 1, mean: 2, longest: 5 })
  })

  test('that read as translated are found with their line', () => {
    expect(phrasesIn(sentencesOf('Fine.\n\nWhat became of it goes on.'))).toEqual([
      'line 3: What became of',
      'line 3: goes on',
    ])
  })
})

/** Pages whose sentences are written in routes and commands, which have tests of their own. */
const OF_CODE = ['docs/api-reference.md', 'docs/commands.md', 'docs/network-reference.md']

describe.each(names.filter((name) => !OF_CODE.includes(name)))('%s', (name) => {
  const sentences = sentencesOf(readDocument(name))

  test('has sentences within the limits of the style guide', () => {
    expect(sentences.length).toBeGreaterThan(0)
    expect(statistics(sentences).mean).toBeLessThanOrEqual(MAX_MEAN)
    expect(sentences.filter(({ words }) => words > MAX_LONGEST).map(({ text }) => text)).toEqual([])
  })

  test('has no phrase that reads as translated', () => {
    expect(phrasesIn(sentences)).toEqual([])
  })
})

describe.each(names)('%s', (name) => {
  const markdown = readDocument(name)

  test('links only to files and headings that exist', () => {
    expect(linksOf(markdown).filter((link) => !isThere(name, link))).toEqual([])
  })

  test('shows only commands and options that gc has', async () => {
    expect(await findUnknownCommands(shownCommands(markdown))).toEqual([])
  })
})

describe('the documents', () => {
  test('follow actions through files and functions that exist', () => {
    const rows = [...readDocument('docs/architecture.md').matchAll(/\| `([^`]+\.tsx?)` \| `(\w+)` \|$/gm)]
    const missing = rows.filter(([, file = '', name = '']) => {
      const isThere = existsSync(file) && new RegExp(`\\b${name}\\b`).test(readFileSync(file, 'utf8'))
      return !isThere
    })
    expect(rows.length).toBeGreaterThan(15)
    expect(missing.map(([row]) => row)).toEqual([])
  })

  test('show guarantees by tests that exist', () => {
    const [, section = ''] = readDocument('docs/landing.md').split('## What landing guarantees\n')
    const named = [...section.matchAll(/`([\w/-]+\.test\.ts): ([^`]+)`/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    }))
    const isMissing = ({ file, title }: { file: string; title: string }) =>
      !existsSync(join('test', file)) || !readFileSync(join('test', file), 'utf8').includes(title)
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter(isMissing)).toEqual([])
  })

  test('keep their maximum length: 200 lines for the README', () => {
    expect(readDocument('README.md').split('\n').length).toBeLessThanOrEqual(200)
  })

  test('are all linked from the index', () => {
    const pages = names.filter((name) => name.startsWith('docs/') && name !== 'docs/README.md')
    const linked = linksOf(readDocument('docs/README.md')).map((link) => `docs/${link}`)
    expect(pages.filter((page) => !linked.includes(page))).toEqual([])
  })
})

/** Targets of the links of a document that lead into the repository. */
function linksOf(markdown: string): string[] {
  const targets = [...markdown.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, file]) => link ?? file,
  )
  return targets.filter((target) => target !== undefined).filter((target) => !target.includes('://'))
}

function isThere(from: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(target)) return false
  return heading === undefined || anchorsOf(readDocument(target)).includes(heading)
}

/** Anchors of headings as GitHub makes them. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Commands in shell blocks and in code spans, which may be wrapped. */
function shownCommands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.replaceAll('\\\n', ' '))
  const prose = markdown.replace(/```[\s\S]*?```/g, '')
  const spans = [...prose.matchAll(/`((?:gc|bd)\s[^`]+)`/g)].map(([, span = '']) => `\`${span.replace(/\s+/g, ' ')}\``)
  return commandLines([...blocks, ...spans].join('\n'))
}

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { Glob } from 'bun'
import type { Command } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { createProgram } from '../../cli/program.ts'
import { constantOf } from '../../scripts/docs/constants.ts'
import { unboundNumbers, withNumbers } from '../../scripts/docs/numbers.ts'
import { supervisorDocument } from '../../scripts/docs/operations.ts'
import { generatePages } from '../../scripts/docs/pages.ts'
import { FOLDER_AGENT } from '../../src/config/agents/agent.ts'
import { declareCity } from '../../src/config/compose/layers/city-file.ts'
import { declarePack } from '../../src/config/compose/layers/pack-file.ts'
import { declareFields } from '../../src/config/declare/declaration.ts'
import { openFile } from '../../src/config/declare/open-file.ts'
import type { SectionReader } from '../../src/config/declare/section-reader.ts'
import { Diagnostics, formatDiagnostic } from '../../src/config/files/diagnostics.ts'
import { ORDER } from '../../src/config/orders/fields.ts'
import { isObject } from '../../src/core/json.ts'
import { parseToml } from '../../src/core/toml/index.ts'
import { getObject } from '../../src/http/respond/index.ts'
import { parseFormula } from '../../src/orchestration/formulas/parse.ts'
import { recorder } from '../cli/shell.ts'
import { literalTexts } from './literals.ts'
import { documentPaths, embeddedPaths, pathsIn, sourcePaths } from './paths.ts'
import { helpTexts } from './texts.ts'
import { documents, readDocument } from './words.ts'

const GENERATED = /^docs\/(?:api-reference|commands|configuration|network-reference)\.md$|^CHANGELOG\.md$/
const written = documents().filter((name) => !GENERATED.test(name))
const CONFIGURATION = readDocument('docs/configuration.md')

/** What documents put between backticks, outside of blocks of code. */
const spans = [
  ...new Set(
    written.flatMap((name) =>
      [
        ...readDocument(name)
          .replace(/```[\s\S]*?```/g, '')
          .matchAll(/`([^`]+)`/g),
      ].map(([, span = '']) => span.replace(/\s+/g, ' ')),
    ),
  ),
]

const sourcesOf = (pattern: string): string =>
  [...new Glob(pattern).scanSync('.')].map((path) => readFileSync(path, 'utf8')).join('\n')

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  ...command.commands.flatMap(optionsOf),
]

const pages = await generatePages()

test.each([...pages.keys()])('%s is what the code generates; `npm run docs` renews it', (name) => {
  expect(readDocument(name) === pages.get(name)).toBe(true)
})

describe('the numbers of', () => {
  test.each(written)('%s come from the code, from a measurement, or from the list of names and examples', (name) => {
    // The tables of the catalogue are generated.
    const [page = ''] = readDocument(name).split('\n## Error codes\n')
    expect(unboundNumbers(name, page)).toEqual([])
  })

  test('a page are found as digits, words and amounts of time, outside of names and code', () => {
    const found = (page: string) => unboundNumbers('docs/x.md', page).map((each) => each.split(': ')[1])
    expect(found('It waits 30 s, `5m` or two minutes. On the fifth of ten tries it stops for a day.')).toEqual([
      '30',
      '5',
      'two minutes',
      'fifth',
      'ten',
      'a day',
    ])
    expect(
      found('Two agents on arm64 read `mp-7` in [a page](page-7.md).\n\n1. One item\n\n```sh\ngc x 5\n```\n'),
    ).toEqual([])
    expect(found('`npm run bench land` takes 3 s.\n\nOthers take 4 s.')).toEqual(['4'])
  })

  test('a page are corrected from the sources, also over the end of a line', () => {
    const page = readDocument('docs/pools.md').replace(
      'claims nothing within 60 seconds',
      'claims nothing\nwithin 9 seconds',
    )
    expect(withNumbers('docs/pools.md', page)).toContain('claims nothing\nwithin 60 seconds')
    const without = page.replace('shows no sign of life', 'is quiet')
    expect(() => withNumbers('docs/pools.md', without)).toThrow('docs/pools.md has no place')
    expect(() => constantOf('src/agents/lifecycle/plan/limits.ts', 'MISSING')).toThrow('has no number called MISSING')
  })
})

describe('names between backticks in documents exist', () => {
  test('as a path of the repository', () => {
    const paths = spans.filter((span) => /^(?:src|docs|test|cli|tui|scripts|\.ci|\.github)\/[\w./-]*$/.test(span))
    expect(paths.length).toBeGreaterThan(50)
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  test('as a flag of gc, of bd, or of a script', async () => {
    /** Flags of gh, opencode and container tools, with which documents compare gc or run it. */
    const others = ['--search', '--repo', '--hostname', '--pure', '--init']
    const { io } = recorder()
    const known = new Set([
      ...optionsOf(await createProgram(io)),
      ...optionsOf(await createBd(io)),
      ...others,
      '--help',
    ])
    const scripts = sourcesOf('scripts/**/*.{ts,sh}') + sourcesOf('test/{agents,mutation}/**/*.ts')
    const isScripts = (flag: string) =>
      scripts.includes(flag) || scripts.includes(`'${flag.slice(2)}'`) || scripts.includes(` ${flag.slice(2)}:`)
    const flags = spans.flatMap((span) => /^--[a-z][a-z0-9-]*/.exec(span)?.[0] ?? [])
    expect(flags.length).toBeGreaterThan(60)
    expect([...new Set(flags)].filter((flag) => !known.has(flag) && !isScripts(flag))).toEqual([])
  })

  test('as a section or key of a file', () => {
    const sections = spans.flatMap((span) => /^\[+[a-z_.<>]+\]+/.exec(span)?.[0] ?? [])
    const headings = CONFIGURATION.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    const isSection = (header: string) =>
      headings.includes(`\n### ${header}\n`) || headings.includes(`\n- \`${header.replace(/[[\]]|.*\./g, '')}\` (`)
    expect(sections.length).toBeGreaterThan(20)
    expect(sections.filter((header) => !isSection(header))).toEqual([])
    const keys = spans.flatMap((span) => /^([a-z_]+) = /.exec(span)?.[1] ?? [])
    expect(keys.length).toBeGreaterThan(30)
    expect(keys.filter((key) => !CONFIGURATION.includes(`\n- \`${key}\` (`))).toEqual([])
  })

  test('as a name of the sources', () => {
    const sources = sourcesOf('{src,client,cli,tui}/**/*.{ts,tsx,sql,md}')
    const names = spans.filter((span) => /^[a-z]+_[a-z_]+$/.test(span))
    // A command of opencode, in the comparison with other programs.
    const missing = names.filter((name) => name !== 'session_fork' && !sources.includes(name))
    // Metrics are put together from a prefix.
    expect(missing.filter((name) => !sources.includes(name.replace(/^gc_[a-z]+_/, '')))).toEqual([])
  })

  test('as an operation', () => {
    const shape = (path: string) => path.replace(/\{[^}]*\}|<[^>]*>/g, '{}')
    const paths = Object.entries(getObject(supervisorDocument(), 'paths')).map(([path, item]) => ({
      path: shape(path.replace('/v0/city/{cityName}', '~')),
      methods: isObject(item) ? Object.keys(item).map((method) => method.toUpperCase()) : [],
    }))
    const named = spans.flatMap((span) => {
      const [, method = '', path = ''] = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(~\/[a-z][^\s$]*)$/.exec(span) ?? []
      return path === '' || (method === '' && !/^~\/changes?\b/.test(path)) ? [] : [{ method, path: shape(path) }]
    })
    expect(named.length).toBeGreaterThan(4)
    const isThere = ({ method, path }: { method: string; path: string }) =>
      paths.some((each) => each.path === path && (method === '' || each.methods.includes(method)))
    expect(named.filter((each) => !isThere(each))).toEqual([])
  })
})

describe('files, folders and addresses', () => {
  /** Those of examples, of Gas City, and of programs that gc leaves alone. */
  const OTHERS = [
    ...['~/.cache/shop', '~/.keys/work.env', '~/.claude-work', '~/.m2', '.gc/services/board', '.gc/packs'],
    ...['/@name', '/m/general/feed.json', '~/.moltbook-YOUR_NAME-auth'],
  ]

  test('in documents, help, texts of the sources and packs are those of the sources', async () => {
    const known = sourcePaths()
    const packs = [...new Glob('src/**/*.md').scanSync('.')].map((path) => ({
      place: path,
      text: readFileSync(path, 'utf8'),
    }))
    const texts = [...(await helpTexts()), ...literalTexts((source) => embeddedPaths(source).length > 0), ...packs]
    const named = [
      ...documents().flatMap((name) => documentPaths(readDocument(name)).map((path) => ({ place: name, path }))),
      ...texts.flatMap(({ place, text }) => embeddedPaths(text).map((path) => ({ place, path }))),
    ]
    expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(90)
    const unknown = named.filter(({ path }) => !OTHERS.includes(path) && !known.has(path))
    expect([...new Set(unknown.map(({ place, path }) => `${place}: ${path}`))]).toEqual([])
    expect(OTHERS.filter((path) => !named.some((each) => each.path === path))).toEqual([])
    const wrong = [
      '$GC_HOME/supervisor.cfg',
      '$GC_HOME/city.db',
      '.gc/sessions',
      '.gc/snapshot',
      '~/.npmrx',
      '~/.gc/tokens',
    ]
    expect(wrong.filter((path) => known.has(path))).toEqual([])
  })

  test('are found in a document as spans of code, and inside of any text', () => {
    const page =
      'A `name.toml`, `a.ts`, `/health`, `rig/agent` and `.git/config`.\n\n```sh\ncat ~/.gc/token .gc/x.log. ~/shop\n```\n'
    expect(documentPaths(page)).toEqual(['name.toml', '/health', '.git/config', '~/.gc/token', '.gc/x.log'])
  })

  test('of the sources are joined from constants, functions and variables', () => {
    const known = pathsIn(`
      const STATE = '.gc/services'
      const folderOf = (city: string) => join(city, STATE)
      const log = (city: string, name: string) => join(folderOf(city), name, 'logs', \`\${name}.log\`)
      const token = (home: string) => join(home, FILE)
      const FILE = isOld ? 'token' : 'tokens'
      page('GET /health', () => open(join(place, 'bin')))`)
    const right = [
      '.gc/services/<name>/logs',
      '.gc/services/<name>/logs/<name>.log',
      '~/.gc/token',
      '$GC_HOME/tokens',
      '/health',
    ]
    expect(right.filter((path) => !known.has(path))).toEqual([])
    const wrong = ['.gc/logs', '.gc/bin', '$GC_HOME/services', '$GC_HOME/bin', '/healthy', '.gc/services/logs']
    expect(wrong.filter((path) => known.has(path))).toEqual([])
  })
})

/** Keys of a block that the code does not read, as the file that fits it best. */
function unknownKeys(block: string): string[] {
  const table = parseToml(block)
  if (table.entries.has('formula')) {
    const parsed = parseFormula({ file: 'a.toml', layer: '', text: block })
    return 'errors' in parsed ? parsed.errors.map(({ message }) => message) : []
  }
  const readers = [
    (top: SectionReader) => declareCity(top),
    (top: SectionReader) => declareFields(top.child('order'), ORDER),
    (top: SectionReader) => declareFields(top, FOLDER_AGENT),
    (top: SectionReader) => declarePack(top, { name: '', version: undefined, folder: '' }, true),
  ]
  const problems = readers.map((read) => {
    const diagnostics = new Diagnostics()
    const layer = { name: 'documents', isEditable: false }
    const reader = openFile({ layer, diagnostics, file: 'a.toml', toml: { table }, unknownKeys: 'error', kind: '' })
    read(reader)
    reader.finish()
    return diagnostics
      .list('error')
      .map(formatDiagnostic)
      .filter((message) => /is not a /.test(message))
  })
  return problems.sort((one, other) => one.length - other.length)[0] ?? []
}

test('blocks of TOML in documents have keys that the code reads', () => {
  const blocks = written.flatMap((name) =>
    [...readDocument(name).matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => ({ name, block })),
  )
  /** Files that other tests read: those of the dashboard and of the network, and of the supervisor. */
  const isOther = (block: string) => /^(?:theme|base_url) = |^\[(?:pictures|upgrade)\]/m.test(block)
  expect(blocks.length).toBeGreaterThan(10)
  expect(
    blocks
      .filter(({ block }) => !isOther(block))
      .flatMap(({ name, block }) => unknownKeys(block).map((each) => `${name}: ${each}`)),
  ).toEqual([])
})

test('no document counts operations or commands, which change with every version', () => {
  const counts = written.flatMap(
    (name) => readDocument(name).match(/\b\d+ (?:operations|commands of gc|topics|endpoints)\b/g) ?? [],
  )
  expect(counts).toEqual([])
})

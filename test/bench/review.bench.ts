import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Repository } from '../../src/agents/worktrees/index.ts'
import { Diffs } from '../../src/changes/diffs/index.ts'
import { GitRunner } from '../../src/config/git/git-runner.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { confineTool } from '../../src/host/confine/index.ts'
import { both, median, memory, ms, Table, whole } from './support/figures.ts'

/** Time pages of large diffs take, and how much memory a whole diff needs. `bun test/bench/review.bench.ts [files]`. */

const FILES = Number(process.argv[2] ?? 5000)
const COMMITS = 10_000
const ROUNDS = 9
const FIRST_PAGE_MS = 100
const GROWTH_MB = 64
const binary = resolve(import.meta.dir, '../../dist/gc')

const folder = mkdtempSync(join(tmpdir(), 'gc-review-'))
const deadlines = new Deadlines()
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }

/** Feeds a repository with commits, the parts of which are written as they are made. */
async function imported(name: string, write: (put: (part: string | Uint8Array) => void) => void): Promise<string> {
  const path = join(folder, name)
  Bun.spawnSync(['git', 'init', '-q', '--bare', path], { env })
  const child = Bun.spawn(['git', '-C', path, 'fast-import', '--quiet'], { env, stdin: 'pipe' })
  write((part) => void child.stdin.write(part))
  await child.stdin.end()
  if ((await child.exited) !== 0) throw new Error('git fast-import')
  return path
}

const commit = (subject: string) =>
  `commit refs/heads/main\ncommitter a <a@b> 1 +0000\ndata ${subject.length}\n${subject}\n`
const file = (path: string, text: string) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
const code = (at: number, version: string) =>
  Array.from(
    { length: 60 },
    (_, line) => `export const value${line} = compute(${at}, ${line % 20 === 7 ? version : 'one'})\n`,
  ).join('')
const pathOf = (at: number) => `src/d${at % 50}/file${at}.ts`

const open = (path: string, isConfined: boolean): Repository =>
  new Repository(
    new GitRunner({ deadlines, env, confine: isConfined ? confineTool([binary]) : undefined }),
    path,
    isConfined ? { read: [], write: [path] } : undefined,
  )
const commits = (path: string, ...names: string[]) =>
  names.map((name) => Bun.spawnSync(['git', '-C', path, 'rev-parse', name], { env }).stdout.toString().trim())

/** Takes the time of something, on a new reader each time. */
async function times(repository: Repository, work: (diffs: Diffs) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const diffs = new Diffs(repository)
    const started = performance.now()
    await work(diffs)
    samples.push(performance.now() - started)
  }
  return samples
}

const table = new Table()

async function measureManyFiles(): Promise<void> {
  const path = await imported('many', (put) => {
    put(commit('one'))
    for (let at = 0; at < FILES * 1.2; at++) put(file(pathOf(at), code(at, 'one')))
    put(commit('two'))
    for (let at = 0; at < FILES; at++) put(file(pathOf(at), code(at, 'two')))
  })
  const [base = '', head = ''] = commits(path, 'main~1', 'main')
  const plain = open(path, false)
  const first = await times(plain, (diffs) => diffs.page(base, head))
  table.row(
    `first page of ${whole(FILES)} files`,
    both(first),
    `p50 < ${FIRST_PAGE_MS} ms`,
    median(first) < FIRST_PAGE_MS,
  )
  if (existsSync(binary) && confineTool([binary])) {
    const confined = await times(open(path, true), (diffs) => diffs.page(base, head))
    table.row(
      'the same with git confined',
      both(confined),
      `p50 < ${FIRST_PAGE_MS} ms`,
      median(confined) < FIRST_PAGE_MS,
    )
  }
  const diffs = new Diffs(plain)
  const { cursor } = await diffs.page(base, head)
  const second = await times(plain, () => diffs.page(base, head, { ...(cursor && { cursor }) }))
  table.row('second page', both(second))
  const list = await times(plain, (each) => each.files(base, head))
  table.row('list of files with numbers of lines', both(list))
  const one = [pathOf(FILES / 2)]
  table.row('one file', both(await times(plain, () => diffs.page(base, head, { paths: one }))))
  Bun.gc(true)
  const before = memory(process.pid).resident
  let most = before
  let lines = 0
  const started = performance.now()
  for await (const page of diffs.pages(base, head)) {
    lines += page.files.flatMap(({ hunks }) => hunks).reduce((sum, hunk) => sum + hunk.lines.length, 0)
    most = Math.max(most, memory(process.pid).resident)
  }
  table.row('all pages', `${ms(performance.now() - started)} for ${whole(lines)} lines`)
  table.row('memory while they are read', `+${whole(most - before)} MB`, `< ${GROWTH_MB} MB`, most - before < GROWTH_MB)
}

async function measureLongLine(): Promise<void> {
  const path = await imported('long', (put) => {
    put(commit('one') + file('a.txt', 'a\n'))
    put(`${commit('two')}M 100644 inline a.txt\ndata ${200 * 1024 * 1024}\n`)
    for (let at = 0; at < 200; at++) put(Buffer.alloc(1024 * 1024, 0x61))
    put(`\n${file('b.txt', `${'b'.repeat(7_000_000)}\n`)}`)
  })
  const [base = '', head = ''] = commits(path, 'main~1', 'main')
  Bun.gc(true)
  const before = memory(process.pid).resident
  const samples = await times(open(path, false), (diffs) => diffs.page(base, head))
  table.row('a line of 200 MB, and one of 7 MB', both(samples))
  const grown = memory(process.pid).resident - before
  table.row('memory while they are read', `+${whole(grown)} MB`, `< ${GROWTH_MB} MB`, grown < GROWTH_MB)
}

async function measureManyCommits(): Promise<void> {
  const path = await imported('commits', (put) => {
    put(commit('base') + file('a.txt', '0\n'))
    for (let at = 1; at <= COMMITS; at++) put(commit(`change ${at}`) + file('a.txt', `${at}\n`))
  })
  const [base = '', old = '', head = ''] = commits(path, `main~${COMMITS}`, 'main~1', 'main')
  const repository = open(path, false)
  table.row(`first page of ${whole(COMMITS)} commits`, both(await times(repository, (diffs) => diffs.page(base, head))))
  const rounds = (diffs: Diffs) => diffs.range({ base, head: old }, { base, head })
  table.row('commits since the round before', both(await times(repository, rounds)))
}

try {
  await measureManyFiles()
  await measureLongLine()
  await measureManyCommits()
  table.print('reading changes')
} finally {
  deadlines.close()
  rmSync(folder, { recursive: true, force: true })
}

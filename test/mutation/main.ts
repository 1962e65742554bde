import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import equivalent from './equivalent.json'
import { type Mutant, mutantsOf, mutated } from './mutants.ts'
import { testFinder } from './tests-of.ts'

/**
 * Mutation testing: makes small changes in copies of the sources, one at a time, and runs the unit tests of the changed file.
 * A change that no test notices survives. Names of areas as arguments select some; each `--only <words>` selects mutants by name.
 */

const AREAS: Readonly<Record<string, readonly string[]>> = {
  store: ['src/core/store/*.ts'],
  claims: ['src/work/claims/*.ts'],
  reactions: ['src/core/events/reactions.ts'],
  landing: ['src/changes/landing/*.ts'],
  guard: ['src/http/guard.ts', 'src/http/request-guard.ts', 'src/social/network/api/guard.ts'],
  redaction: ['src/core/text/redact.ts', 'src/core/text/secrets.ts', 'src/core/text/secret-values.ts'],
}

/** Share of the mutants that tests must kill. */
const KILLED = 0.9
/** Milliseconds a test may take longer than the whole file did without a mutant. */
const GRACE = 15_000

const FOLDERS = ['src', 'client', 'cli', 'tui', 'test', 'scripts', 'docs']
const FILES = ['package.json', 'bunfig.toml', 'tsconfig.json', 'biome.json', 'README.md', 'CHANGELOG.md']

type Outcome = 'killed' | 'survived' | 'timed out'

interface Tried {
  readonly area: string
  readonly mutant: Mutant
  readonly outcome: Outcome
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** What a test file does when there is no mutant. */
interface Baseline {
  readonly test: string
  /** Milliseconds it takes. */
  readonly duration: number
  /** Lines that it runs of each source file. */
  readonly covers: ReadonlyMap<string, ReadonlyMap<number, boolean>>
}

/** A private copy of the sources, in which one mutant at a time is tried. */
class Copy implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gc-mutation-'))
  /** Ends the test that runs, with all that it started. */
  #end = () => {}

  constructor() {
    for (const path of [...FOLDERS, ...FILES]) {
      const isWanted = (source: string) => !source.includes('node_modules')
      cpSync(path, join(this.#folder, path), { recursive: true, filter: isWanted })
    }
    symlinkSync(resolve('node_modules'), join(this.#folder, 'node_modules'))
    process.once('exit', () => this[Symbol.dispose]())
  }

  /** Runs tests until one fails. */
  async try(file: string, mutant: Mutant, tests: readonly Baseline[]): Promise<Outcome> {
    const path = join(this.#folder, file)
    const source = readFileSync(path, 'utf8')
    for (const { test, duration } of tests) {
      writeFileSync(path, mutated(source, mutant))
      const passes = await this.#passes(test, duration * 2 + GRACE)
      writeFileSync(path, source)
      if (passes !== true) return passes === undefined ? 'timed out' : 'killed'
    }
    return 'survived'
  }

  /** Runs a test file without mutants. One that fails or takes too long is of no use. */
  async measure(test: string, longest: number): Promise<Baseline[]> {
    const started = performance.now()
    const folder = join(this.#folder, 'coverage')
    const passes = await this.#passes(test, longest, [
      '--coverage',
      '--coverage-reporter=lcov',
      `--coverage-dir=${folder}`,
    ])
    const duration = performance.now() - started
    if (passes === true) return [{ test, duration, covers: linesOf(readFileSync(join(folder, 'lcov.info'), 'utf8')) }]
    say(`${test} fails without a mutant, or is too slow; left out`)
    return []
  }

  /** True if a test file passes; undefined if it does not end. */
  async #passes(path: string, limit: number, options: readonly string[] = []): Promise<boolean | undefined> {
    const command = [process.execPath, 'test', '--bail', '--timeout', String(Math.round(limit)), ...options, path]
    const { GC_BINARY: _, ...env } = process.env
    const ran = Bun.spawn(command, { cwd: this.#folder, env, stdout: 'ignore', stderr: 'ignore', detached: true })
    let isLate = false
    this.#end = () => process.kill(-ran.pid, 'SIGKILL')
    const late = setTimeout(() => {
      isLate = true
      this.#end()
    }, limit + GRACE)
    const code = await ran.exited
    clearTimeout(late)
    this.#end = () => {}
    return isLate ? undefined : code === 0
  }

  [Symbol.dispose](): void {
    this.#end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The lines of each file in a report of coverage: true for those that ran. */
function linesOf(report: string): Map<string, Map<number, boolean>> {
  const files = report.split('end_of_record').map((part): [string, Map<number, boolean>] => {
    const lines = part
      .matchAll(/^DA:(\d+),(\d+)/gm)
      .map(([, line, count]): [number, boolean] => [Number(line), count !== '0'])
    return [/^SF:(.*)$/m.exec(part)?.[1] ?? '', new Map(lines)]
  })
  return new Map(files)
}

/** True if a test file runs the place of a mutant; a line that no report counts is run with its file. */
function runs({ covers }: Baseline, file: string, { line, lines: count }: Mutant): boolean {
  const lines = covers.get(file)
  if (!lines) return false
  const counted = [...lines].filter(([each]) => each >= line && each < line + count)
  return counted.length === 0 || counted.some(([, ran]) => ran)
}

type TestFinder = (source: string) => readonly string[]

/** A number for a key that says nothing about it, so that a choice by it is fair and stays the same. */
const lot = (key: string): string => new Bun.CryptoHasher('sha1').update(key).digest('hex')

interface Choice {
  readonly count: number
  /** Milliseconds that a test file may take to be of use. */
  readonly longest: number
  readonly only: readonly string[] | undefined
  /** Mutants that are tried at the same time. */
  readonly parallel: number
}

/** Mutants of an area, those known as equivalent left out: as many as are wanted, the same each time. */
function chosen(
  area: string,
  tests: TestFinder,
  { count, only }: Pick<Choice, 'count' | 'only'>,
): { file: string; mutant: Mutant }[] {
  const sources = AREAS[area]?.flatMap((pattern) => [...new Glob(pattern).scanSync('.')]).sort() ?? []
  const files = sources.filter((each) => tests(each).length > 0)
  if (files.length < sources.length) say(`no unit test: ${sources.filter((each) => !files.includes(each)).join(', ')}`)
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')).map((mutant) => ({ file, mutant })))
  if (only) return all.filter(({ mutant }) => only.some((words) => mutant.key.includes(words)))
  return all
    .sort((a, b) => (lot(a.mutant.key) < lot(b.mutant.key) ? -1 : 1))
    .slice(0, count)
    .filter(({ mutant }) => !(mutant.key in equivalent))
    .sort((a, b) => (a.mutant.key < b.mutant.key ? -1 : 1))
}

async function run(areas: readonly string[], { count, only, longest, parallel }: Choice): Promise<Tried[]> {
  const find = await testFinder()
  const queue = areas.flatMap((area) => chosen(area, find, { count, only }).map((each) => ({ area, ...each })))
  const tried: Tried[] = []
  const measured: Baseline[] = []
  using made = new DisposableStack()
  const copies = Array.from({ length: parallel }, () => made.use(new Copy()))
  const tests = [...new Set(queue.flatMap(({ file }) => find(file)))]
  const measure = async (copy: Copy) => {
    for (let next = tests.shift(); next; next = tests.shift()) measured.push(...(await copy.measure(next, longest)))
  }
  const work = async (copy: Copy) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { area, file, mutant } = next
      const mine = measured.filter((each) => find(file).includes(each.test) && runs(each, file, mutant))
      const outcome = await copy.try(file, mutant, mine)
      tried.push({ area, mutant, outcome })
      say(`${mine.length > 0 ? outcome.padEnd(9) : 'not run  '}  ${mutant.line}  ${mutant.key}`)
    }
  }
  await Promise.all(copies.map(measure))
  measured.sort((a, b) => a.duration - b.duration)
  await Promise.all(copies.map(work))
  return tried
}

/** Prints the table; true if enough of the mutants of each area were killed. */
function report(areas: readonly string[], tried: readonly Tried[]): boolean {
  say('\n| Area | Mutants | Killed | Survived | Timed out | Share killed |\n| --- | --- | --- | --- | --- | --- |')
  let isMet = true
  const rows: [string, Tried[]][] = areas.map((area) => [area, tried.filter((each) => each.area === area)])
  for (const [area, mine] of [...rows, ['all', [...tried]] as const]) {
    const counted = (outcome: Outcome) => mine.filter((each) => each.outcome === outcome).length
    const share = 1 - counted('survived') / mine.length
    isMet &&= share >= KILLED
    const numbers = [mine.length, counted('killed'), counted('survived'), counted('timed out')]
    say(`| ${area} | ${numbers.join(' | ')} | ${(100 * share).toFixed(1)} % |`)
  }
  return isMet
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const { values, positionals } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    only: { type: 'string', multiple: true },
    longest: { type: 'string', default: '60' },
    parallel: { type: 'string', default: '2' },
  },
  allowPositionals: true,
})
const areas = positionals.length > 0 ? positionals : Object.keys(AREAS)
const unknown = areas.find((area) => !(area in AREAS))
if (unknown !== undefined) throw new Error(`${unknown} is not an area; name some of ${Object.keys(AREAS).join(', ')}`)
const [count, longest, parallel] = [Number(values.count), Number(values.longest) * 1000, Number(values.parallel)]
const choice = { count, only: values.only, longest, parallel }
process.exitCode = report(areas, await run(areas, choice)) ? 0 : 1

import { resolve } from 'node:path'
import { both, calm, median, Table, whole } from './support/figures.ts'
import { STATED } from './support/history.ts'
import { GC, Town } from './support/town.ts'

/**
 * Time of a command that needs no server, and from the start of a supervisor to its first answer: without cities, and with
 * one of 10,000 and one of 100,000 beads. `npm run bench start`; another build and this one in turns:
 * `bun test/bench/start.bench.ts [old gc]`.
 */

const ROUNDS = 11
/** Runs of the command in one sample. */
const VERSIONS = 5
const TARGETS = { version: 20, health: 65 }

const share = (part: number) => ({
  beads: STATED.beads * part,
  open: STATED.open * part,
  edges: STATED.edges * part,
  events: STATED.events * part,
})
const SIZES = [0, 0.1, 1].map(share)

/** One run of it, as a shell starts it. */
async function version(program: string): Promise<number> {
  const runs = `for n in ${'x '.repeat(VERSIONS)}; do "$0" version; done`
  const started = performance.now()
  await Bun.spawn(['sh', '-c', runs, program], { stdio: ['ignore', 'ignore', 'ignore'] }).exited
  return (performance.now() - started) / VERSIONS
}

/** Starts a supervisor that is down, and ends it once it has done what it does after that. */
async function health(town: Town): Promise<number> {
  const started = performance.now()
  await town.start()
  const taken = performance.now() - started
  await calm(town.pid)
  await town.stop()
  return taken
}

/** What a build takes: its command, and its start with each of the histories. */
class Build {
  readonly versions: number[] = []
  readonly starts: number[][] = SIZES.map(() => [])

  private constructor(
    private readonly program: string,
    private readonly towns: readonly Town[],
  ) {}

  static async open(program: string): Promise<Build> {
    const towns: Town[] = []
    for (const size of SIZES) {
      const town = await Town.open({}, program)
      if (size.beads > 0) await town.aged({ wide: { size } })
      await town.stop()
      towns.push(town)
    }
    return new Build(program, towns)
  }

  async measure(): Promise<void> {
    this.versions.push(await version(this.program))
    for (const [n, town] of this.towns.entries()) this.starts[n]?.push(await health(town))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const town of this.towns) await town[Symbol.asyncDispose]()
  }
}

await using stack = new AsyncDisposableStack()
const builds: Build[] = []
for (const program of [GC, ...process.argv.slice(2)]) builds.push(stack.use(await Build.open(resolve(program))))
for (let round = 0; round < ROUNDS; round++) for (const build of builds) await build.measure()
const [ours, other] = builds
const table = new Table()
const row = (what: string, target: number, of: (build: Build) => readonly number[]): void => {
  if (other) table.row('  before', both(of(other)))
  const samples = ours ? of(ours) : []
  table.row(what, both(samples), `p50 ≤ ${target} ms`, median(samples) <= target)
}
row('gc version', TARGETS.version, ({ versions }) => versions)
for (const [n, { beads }] of SIZES.entries()) {
  row(`start to /health, ${whole(beads)} beads`, TARGETS.health, ({ starts }) => starts[n] ?? [])
}
table.print('starts')

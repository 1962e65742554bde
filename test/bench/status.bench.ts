import { statSync } from 'node:fs'
import { bareServer } from './support/bare.ts'
import { at, both, cpu, median, ms, say, Table, took, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { STATED } from './support/history.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'
import { write } from './support/writer.ts'

/**
 * Latency of `status` in a city with a long history during work, beside a bare server with the same bytes, and its
 * latency after a start. `npm run bench status`, with sizes of your own: `bun test/bench/status.bench.ts [beads]
 * [events]`.
 */

const BEADS = Number(process.argv[2] ?? STATED.beads)
const EVENTS = Number(process.argv[3] ?? STATED.events)
const AGENTS = 100
const RUNNING = 20
const WRITES = 500
const ROUNDS = 3
const SECONDS = 8
const STARTS = 5

const agents = Array.from({ length: AGENTS }, (_, n) => {
  const running = n < RUNNING ? 'min_active_sessions = 1\nmax_active_sessions = 1\n' : ''
  return `[[agent]]\nname = "agent-${n}"\nstart_command = "exec sleep 100000"\n${running}`
}).join('\n')

/** Asks about a hundred times a second; how long each answer took. */
async function paced(wire: Wire, path: string, seconds: number): Promise<number[]> {
  const samples: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const started = performance.now()
    const { status } = await wire.ask('GET', path)
    samples.push(performance.now() - started)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    await Bun.sleep(8)
  }
  return samples
}

async function underWrites(town: Town, city: string, table: Table): Promise<void> {
  const wire = await Wire.open(town.url)
  const answer = await wire.ask('GET', `${city}/status`)
  await using bare = await bareServer(answer.text())
  await paced(wire, `${city}/status`, 2)
  const quiet = await paced(wire, `${city}/status`, 3)
  say(`status, ${whole(answer.bytes)} bytes, nothing else going on: ${both(quiet)}`)
  await using _ = helper(import.meta.path, 'write', town.url + city)
  await Bun.sleep(1500)
  const rounds: { ours: number[]; bare: number[]; share: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpu(town.pid)
    const started = performance.now()
    const ours = await paced(wire, `${city}/status`, SECONDS)
    const share = (cpu(town.pid) - before) / (performance.now() - started)
    const control = await Wire.open(bare.url)
    rounds.push({ ours, bare: await paced(control, '/', 3), share })
    control.close()
    say(`  round ${round + 1}: status ${both(ours)}; bare server ${both(rounds[round]?.bare ?? [])}`)
  }
  wire.close()
  say(`  the server used ${(median(rounds.map(({ share }) => share)) * 100).toFixed(0)} % of a core`)
  const p99 = median(rounds.map(({ ours }) => at(ours, 0.99)))
  const p50 = median(rounds.map(({ ours }) => at(ours, 0.5)))
  const than = (share: number) => median(rounds.map((round) => at(round.bare, share)))
  const ratios = `${(p50 / than(0.5)).toFixed(1)} × and ${(p99 / than(0.99)).toFixed(1)} × bare`
  const figure = `p50 ${ms(p50)}, p99 ${ms(p99)} (${ratios})`
  table.row(`GET status at ${WRITES} writes/s`, figure, 'p99 < 5 ms', p99 < 5)
}

/** From the start of the program to its first answer, and to the first status of the city. */
async function firstAnswer(town: Town, city: string): Promise<{ health: number; status: number }> {
  const started = performance.now()
  town.spawn()
  await took(() => town.answers('/health'))
  const health = performance.now() - started
  await took(() => town.answers(`${city}/status`))
  return { health, status: performance.now() - started }
}

async function starts(town: Town, city: string, table: Table): Promise<void> {
  const ordered: number[] = []
  const crashed: number[] = []
  const healths: number[] = []
  const first = async (samples: number[]) => {
    const { health, status } = await firstAnswer(town, city)
    samples.push(status)
    healths.push(health)
  }
  for (let n = 0; n < STARTS; n++) {
    await town.stop()
    await first(ordered)
    await using _ = helper(import.meta.path, 'write', town.url + city)
    await Bun.sleep(1000)
    await town.kill()
    await first(crashed)
  }
  table.row('start to /health', both(healths), 'p50 ≤ 65 ms', median(healths) <= 65)
  for (const [how, samples] of [
    ['after an orderly stop', ordered],
    ['after SIGKILL while writing', crashed],
  ] as const) {
    const worst = Math.max(...samples)
    const figure = `p50 ${ms(median(samples))}, worst ${ms(worst)}`
    table.row(`start to first answer, ${how}`, figure, '< 300 ms', median(samples) < 300)
  }
}

async function main(): Promise<void> {
  await using town = await Town.open()
  await town.aged({ wide: { size: { ...STATED, beads: BEADS, events: EVENTS }, toml: agents } })
  const city = '/v0/city/wide'
  say(`${whole(statSync(town.at('wide', '.gc', 'city.db')).size / 2 ** 20)} MB`)
  const table = new Table()
  await underWrites(town, city, table)
  await starts(town, city, table)
  table.print(`${whole(BEADS)} beads, ${whole(EVENTS)} events, ${AGENTS} agents of which ${RUNNING} run`)
}

if (process.argv[2] === 'write') await write(process.argv[3] ?? '', WRITES)
else await main()

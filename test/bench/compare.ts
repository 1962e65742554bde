import { resolve } from 'node:path'
import { Command } from 'commander'
import { SESSIONS_TOML, sessionsRun } from './support/bead-writer.ts'
import { LINES, type Line } from './support/compared.ts'
import { median, say, Table, whole } from './support/figures.ts'
import { STATED } from './support/history.ts'
import { CITIES } from './support/reads.ts'
import { type Aged, Town } from './support/town.ts'
import { write } from './support/writer.ts'

/**
 * Two builds side by side on the same histories, measured in turns: what the server's processor spends on one request,
 * new ÷ old, the median of the rounds. `npm run bench:compare -- <old gc> <new gc> [words of lines or benches]`.
 */

const MOST = 1.1

const agents = Array.from({ length: 100 }, (_, n) => {
  const running = n < 20 ? 'min_active_sessions = 1\nmax_active_sessions = 1\n' : ''
  return `[[agent]]\nname = "agent-${n}"\nstart_command = "exec sleep 100000"\n${running}`
}).join('\n')

const cities: Record<string, Aged> = {
  ...CITIES,
  wide: { ...CITIES.wide, toml: SESSIONS_TOML },
  'wide-tenfold': { ...CITIES['wide-tenfold'], toml: SESSIONS_TOML },
  busy: { size: STATED, toml: agents },
}

/** One line in both builds, each round in the other order; a round before is not counted. */
async function compare(
  { what, measure }: Line,
  before: Town,
  after: Town,
  rounds: number,
): Promise<[number, number][]> {
  const pairs: [number, number][] = []
  for (let round = -1; round < rounds; round++) {
    const first = round % 2 === 0 ? before : after
    const one = await measure(first)
    const other = await measure(first === before ? after : before)
    if (round >= 0) pairs.push(first === before ? [one, other] : [other, one])
  }
  say(`  ${what}: ${pairs.map(([a, b]) => (b / a).toFixed(2)).join(' ')}`)
  return pairs
}

async function main(programs: [string, string], words: readonly string[], rounds: number): Promise<void> {
  const lines = LINES.filter(
    ({ what, bench }) => words.length === 0 || words.some((word) => `${bench} ${what}`.includes(word)),
  )
  await using before = await Town.open({}, resolve(programs[0]))
  await before.aged(cities)
  await using after = await Town.open({}, resolve(programs[0]))
  await after.aged(cities, resolve(programs[1]))
  for (const town of [before, after]) await sessionsRun(town, ['wide', 'wide-tenfold'])
  const table = new Table()
  for (const line of lines) {
    const pairs = await compare(line, before, after, rounds)
    const ratio = median(pairs.map(([a, b]) => b / a))
    const [old, now] = [median(pairs.map(([a]) => a)), median(pairs.map(([, b]) => b))]
    table.row(
      line.what,
      `${ratio.toFixed(2)} × (${whole(old)} → ${whole(now)} µs)`,
      `≤ ${MOST.toFixed(2)} ×`,
      ratio <= MOST,
    )
  }
  table.print(`processor a request, new ÷ old, median of ${rounds} rounds`)
}

if (process.argv[2] === 'write') await write(process.argv[3] ?? '', Number(process.argv[4]))
else {
  const program = new Command('bench:compare')
    .argument('<old>', 'the build that is compared with')
    .argument('<new>', 'the build that is measured')
    .argument('[words...]', 'only lines with one of these words in them or in their bench')
    .option('--rounds <number>', 'how often each line is measured in each build', '5')
    .action((old: string, now: string, words: string[], { rounds }: { rounds: string }) =>
      main([old, now], words, Number(rounds)),
    )
  await program.parseAsync()
}

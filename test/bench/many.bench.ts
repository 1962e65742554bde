import { human } from '../../src/http/guard.ts'
import { toText } from '../../src/http/respond/index.ts'
import { scriptedTown } from '../support/city.ts'
import { ms, Table, whole } from './support/figures.ts'

/**
 * Lists of a city with a thousand live sessions, and of one with ten thousand agents: processor time in this process,
 * on a host without programs. `npm run bench many`.
 */

const SESSIONS = 1_000
const AGENTS = 10_000
const ROUNDS = 40

/** Processor milliseconds of one call, the least of many. */
async function cost(call: () => unknown): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await Bun.sleep(1)
    const before = process.cpuUsage()
    toText(await call())
    const { user, system } = process.cpuUsage(before)
    samples.push((user + system) / 1_000)
  }
  return Math.min(...samples)
}

const worker = (n: number, more = '') =>
  `[[agent]]\nname = "worker-${n}"\nprovider = "my-claude"\nmax_active_sessions = -1\n${more}`
const provider = '[providers.my-claude]\nbase = "builtin:claude"\ncommand = "sh"\nprompt_mode = "none"\n'

const table = new Table()
const row = async (what: string, target: number, call: () => unknown): Promise<void> => {
  const figure = await cost(call)
  table.row(what, `${ms(figure)} of processor`, `≤ ${target} ms`, figure <= target)
}

{
  await using town = scriptedTown(
    provider + Array.from({ length: 20 }, (_, n) => worker(n, `min_active_sessions = ${SESSIONS / 20}\n`)).join('\n'),
  )
  const city = await town.open()
  await city.reconciler.settle()
  const live = city.sessionRepository.live()
  for (const { sessionName } of live.slice(0, 200)) {
    const { id } = await city.beads.create(human, { title: 'work', assignee: sessionName })
    await city.beads.update(human, id, { status: 'in_progress' })
  }
  await row(`sessions, 8 of ${whole(live.length)} live`, 0.2, () => city.sessions.reader.list({ limit: 8 }))
  await row('sessions, a page of 100', 2, () => city.sessions.reader.list({ limit: 100 }))
  await row('sessions, all', 8, () => city.sessions.reader.list({ limit: 1_000 }))
  await row('status', 4, () => city.status.status(false))
  await row('agents', 4, () => city.agents.list({}))
}
{
  await using town = scriptedTown(provider + Array.from({ length: AGENTS }, (_, n) => worker(n)).join('\n'))
  const city = await town.open()
  await row(`status with ${whole(AGENTS)} agents`, 8, () => city.status.status(false))
  await row('agents', 8, () => city.agents.list({}))
}
table.print('lists of a city with many sessions or agents')

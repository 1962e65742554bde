import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { register } from '../api/town.ts'
import { claude } from '../programs/samples.ts'
import { eventually } from '../support/until.ts'
import { freePort, history, up, World } from './town.ts'

/** A time zone in which it is about noon, so that no day ends during the test. */
function noon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

/** The process of the only session of a city that no one has open. */
function pidOf(city: string): number {
  using db = new Database(join(city, '.gc/city.db'), { readonly: true })
  return db.query<{ pid: number }, []>('SELECT pid FROM sessions WHERE pid IS NOT NULL').get()?.pid ?? 0
}

const toml = (home: string) => `
[providers.scribe]
base = "builtin:claude"
command = "sh -c 'exec sleep 600'"
prompt_mode = "none"
option_defaults = { effort = "", permission_mode = "plan" }
[providers.scribe.env]
HOME = "${home}"
[[agent]]
name = "clerk"
provider = "scribe"
min_active_sessions = 1
max_active_sessions = 1
`

test('usage is counted once, whenever the supervisor is killed and however the log is moved', async () => {
  const port = await freePort()
  await using world = await World.with({ TZ: noon() }, '--port', port)
  const city = await register(world, 'mill', toml(world.folder.at('scribe')))
  const log = join(world.folder.at('scribe'), '.claude', 'projects', city.path.replace(/[/.]/g, '-'), 'k-1.jsonl')
  mkdirSync(dirname(log), { recursive: true })
  let turn = 0
  let side = 0
  /** So many sub-agents answer once each, in files of their own, and the conversation continues in a new file. */
  const elsewhere = (agents: number) => {
    const now = { timestamp: new Date().toISOString() }
    for (let n = 0; n < agents; n++) {
      const path = join(dirname(log), 'k-1', 'subagents', `agent-s${side}.jsonl`)
      mkdirSync(dirname(path), { recursive: true })
      const record = { ...claude.says(`s${side}`, '', 'Seen', 2), ...now, isSidechain: true }
      appendFileSync(path, `${JSON.stringify(record)}\n`)
      side++
    }
    const next = join(dirname(log), `k-${side + 2}.jsonl`)
    const record = { ...claude.says(`n${side}`, '', 'Anew', 2), ...now }
    appendFileSync(next, `${JSON.stringify(record)}\n`)
    side++
  }
  /** The agent runs this many turns of 100,050 tokens each. */
  const turns = (count: number) => {
    const now = { timestamp: new Date().toISOString() }
    const lines = Array.from({ length: count }, () => {
      const last = turn === 0 ? null : `a${turn}`
      turn++
      const entry = { ...claude.user(`u${turn}`, last, 'x'.repeat(500), 1), ...now }
      return `${JSON.stringify(entry)}\n${JSON.stringify({ ...claude.says(`a${turn}`, `u${turn}`, 'Done', 2), ...now })}\n`
    })
    appendFileSync(log, lines.join(''))
  }
  const used = async () => (await city.call('GET ~/usage')).body.last_24h
  const counted = async () => {
    const { invocations, output_tokens } = await eventually(
      `${turn + side} turns are counted`,
      30_000,
      used,
      (totals) => totals.invocations >= turn + side,
    )
    expect([invocations, output_tokens]).toEqual([turn + side, 50 * (turn + side)])
  }
  await eventually(
    'the agent runs',
    20_000,
    async () => (await city.call('GET ~/sessions')).body.items,
    ([one]) => one?.running,
  )
  const limit = 4000 * 100_050
  await city.call('PUT ~/budgets', { body: { scope: 'agent', name: 'clerk', unit: 'tokens', per: 'day', limit } })
  turns(10)
  await counted()

  elsewhere(3)
  await counted()

  await world.kill()
  turns(3500)
  elsewhere(20)
  await world.start('--port', port)
  await up(city)
  await counted()

  copyFileSync(log, `${log}.new`)
  renameSync(`${log}.new`, log)
  turns(1)
  await counted()

  turns(500)
  elsewhere(5)
  await world.kill()
  await world.start('--port', port)
  await up(city)
  turns(1)
  await counted()

  // The program ends while nobody counts.
  await world.kill()
  turns(2)
  elsewhere(1)
  process.kill(pidOf(city.path), 'SIGKILL')
  await world.start('--port', port)
  await up(city)
  await counted()

  expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(2 * turn)
  const budgetEvents = (await history(city)).filter(({ type }) => type.startsWith('budget.'))
  expect(budgetEvents.map(({ type }) => type)).toEqual(['budget.set', 'budget.warned', 'budget.exhausted'])
  const { items } = (await city.call('GET ~/mail?agent=human')).body
  expect(items.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
    'the budget of agent clerk in tokens a day is 80 % used',
    'the budget of agent clerk in tokens a day is used up',
  ])
  const [budget] = (await city.call('GET ~/budgets')).body.items
  expect(budget).toMatchObject({ state: 'exhausted', limit, spent: (turn + side) * 100_050 })
}, 120_000)

import { expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { testTown } from '../../support/city.ts'
import { TestClock } from '../../support/clock.ts'
import { eventually } from '../../support/until.ts'

const MINUTE = 60_000

/** Agents of one session each, whose programs show something and then do nothing. */
const TOML = `
[session]
startup_timeout = "5m"
[providers.slow]
base = "builtin:claude"
command = "sh"
args = ["-c", "echo Updating; exec sleep 600"]
startup_timeout = "3m"
prompt_mode = "none"
[providers.asker]
base = "builtin:claude"
command = "sh"
args = ["-c", "printf 'Do you trust the files in this folder?'; exec sleep 600"]
prompt_mode = "none"
[[agent]]
name = "dead"
start_command = "echo started; exec sleep 600"
max_active_sessions = 1
[[agent]]
name = "blank"
start_command = "exec sleep 600"
max_active_sessions = 1
[[agent]]
name = "slow"
provider = "slow"
max_active_sessions = 1
[[agent]]
name = "asker"
provider = "asker"
max_active_sessions = 1
`

/** Lets time pass in steps in which the city does what is due. */
async function pass(city: City, clock: TestClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    await clock.advance(5000)
    await city.reconciler.settle()
  }
}

test('a program that starts slowly has its startup_timeout, one that waits for a person has no limit, and a dead one a minute', async () => {
  const clock = new TestClock()
  await using town = testTown(TOML, { clock })
  const city = await town.open()
  const beads = new Map<string, string>()
  for (const name of ['dead', 'blank', 'slow', 'asker']) {
    const draft = { title: name, metadata: { 'gc.routed_to': name } }
    beads.set(name, (await city.store.write((tx) => city.beadRepository.add(tx, draft))).id)
  }
  await city.reconciler.settle()
  const first = new Map(city.sessionRepository.live().map((row) => [row.template, row.id]))
  expect(first.size).toBe(4)
  for (const [name, text] of [
    ['dead', 'started'],
    ['slow', 'Updating'],
    ['asker', 'trust'],
  ] as const) {
    const screen = async () => (await city.sessions.reading.peek(first.get(name) ?? '', 24)) ?? ''
    await eventually(`${name} shows its screen`, 10_000, screen, (shown) => shown.includes(text))
  }
  const up = () => [...first].flatMap(([name, id]) => (city.sessionRepository.get(id).state === 'active' ? [name] : []))
  const countOf = (name: string) => city.sessionServices.failures.find('bead', beads.get(name) ?? '')
  await pass(city, clock, MINUTE)
  expect(up().sort()).toEqual(['asker', 'blank', 'dead', 'slow'])
  await pass(city, clock, MINUTE / 2)
  expect(up().sort()).toEqual(['asker', 'blank', 'slow'])
  expect(countOf('dead')).toMatchObject({ deaths: 1, reason: 'it claimed nothing for a minute and was stopped' })
  await pass(city, clock, 2.5 * MINUTE)
  expect(up().sort()).toEqual(['asker', 'blank'])
  expect(countOf('slow')).toMatchObject({
    deaths: 1,
    reason: 'it claimed nothing within its startup_timeout and was stopped',
  })
  expect(countOf('blank')).toBeUndefined()
  await pass(city, clock, 8 * MINUTE)
  expect(up()).toEqual(['asker'])
  expect(countOf('asker')).toBeUndefined()
  expect((await city.attention.list()).items.filter(({ kind }) => kind === 'dialog')).toMatchObject([
    { agent: 'asker' },
  ])
}, 60_000)

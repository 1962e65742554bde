import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { QuestionView } from '../../src/agents/questions/schema.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const DIALOG = join(import.meta.dir, '../host/terminal/programs/dialog.ts')
/** Milliseconds after which the supervisor is killed: before, while and after the keys are pressed. */
const DELAYS = [0, 3, 10, 30, 100, 400]

test('an answer that was stored when the supervisor was killed is given exactly once, and no other', async () => {
  await using world = await World.open()
  const names = DELAYS.map((_, index) => `g${index}`)
  const log = (name: string) => join(world.home, `answers.${name}`)
  const agents = names.map(
    (name) => `
[providers.p${name}]
base = "builtin:claude"
command = "${process.execPath} ${DIALOG} --log ${log(name)}"
path_check = "${process.execPath}"
[[agent]]
name = "${name}"
provider = "p${name}"
`,
  )
  const city = await world.city('town')
  const file = join(city.path, 'city.toml')
  await Bun.write(file, `${await Bun.file(file).text()}${agents.join('')}`)
  await eventually(
    'the agents are declared',
    10_000,
    async () => (await city.call('GET ~/agents')).body.items,
    (items) => items.length >= names.length,
  )
  const session = new Map<string, string>()
  for (const name of names) {
    const { body } = await city.call('POST ~/sessions', { body: { kind: 'agent', name } })
    const { subject = '' } = await city.outcome(body)
    session.set(name, subject)
  }
  const listed = async (): Promise<{ id: string; agent: string }[]> => (await city.call('GET ~/attention')).body.items
  const items = await eventually('all ask', 20_000, listed, (all) => all.length === names.length)
  const raised = async () => (await city.call('GET ~/events?type=attention.raised&limit=100')).body.items.length
  for (const [index, name] of names.entries()) {
    const question = items.find(({ agent }) => agent === name)?.id ?? ''
    const answer = city.call(`POST ~/attention/${question}/answer`, { body: { answer: '2' } }).catch(() => undefined)
    await Bun.sleep(DELAYS[index] ?? 0)
    await world.kill()
    await answer
    await world.start()
    const look = async (): Promise<QuestionView | undefined> =>
      (await city.call(`GET ~/session/${session.get(name)}/questions`)).body.items?.[0]
    const seen = await eventually(
      `${name} is settled`,
      20_000,
      look,
      (view) => view?.state === 'open' || view?.state === 'answered',
    )
    const taken = existsSync(log(name)) ? readFileSync(log(name), 'utf8') : ''
    expect([name, seen?.state, taken]).toEqual([
      name,
      ...(seen?.state === 'open' ? ['open', ''] : ['answered', 'Yes, and the folder above\n']),
    ])
    if (seen?.state !== 'open') continue
    const again = await city.call(`POST ~/attention/${question}/answer`, { body: { answer: '2' } })
    expect([again.status, readFileSync(log(name), 'utf8')]).toEqual([200, 'Yes, and the folder above\n'])
  }
  await eventually('nothing waits', 10_000, listed, (all) => all.length === 0)
  expect(await raised()).toBe(names.length)
}, 120_000)

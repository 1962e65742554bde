import { expect, test } from 'bun:test'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const CLAIMS = 'gc hook --claim --json > /dev/null; exec sleep 600'
/** A program that works in bursts for so many seconds without writing anything. */
const computes = (seconds: number) => `end=$(($(date +%s) + ${seconds}))
while [ $(date +%s) -lt $end ]; do i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; sleep 1; done`

const agent = (name: string, script: string) =>
  `[[agent]]\nname = "${name}"\nstart_command = '''${script}'''\nmax_active_sessions = 1\n`

const AGENTS =
  agent('blank', `sleep 90; ${CLAIMS}`) +
  agent('computing', `echo loading; ${computes(90)}; ${CLAIMS}`) +
  agent('dead', 'echo started; exec sleep 600')

/** Number of starts and stops of an agent's sessions. */
async function runs(city: TestCity, agent: string): Promise<{ woke: number; stopped: number }> {
  const count = async (type: string): Promise<number> => {
    const { items } = (await city.call(`GET ~/events?type=${type}&limit=1000`)).body
    return items.filter(({ subject }: { subject: string }) => subject === agent).length
  }
  return { woke: await count('session.woke'), stopped: await count('session.stopped') }
}

test('a program that needs ninety seconds before its first claim is not let go, and one that is dead is', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', AGENTS)
  for (const name of ['blank', 'computing', 'dead']) {
    const body = { title: `for ${name}`, metadata: { 'gc.routed_to': name } }
    expect((await city.call('POST ~/beads', { body })).status).toBe(201)
  }
  const dead = () => runs(city, 'dead')
  await eventually('the dead one is let go', 100_000, dead, ({ stopped }) => stopped === 1)
  const claimed = async (): Promise<{ title: string }[]> =>
    (await city.call('GET ~/beads?status=in_progress')).body.items
  const isOurs = ({ title }: { title: string }) => title.startsWith('for ')
  await eventually('the others have claimed', 60_000, claimed, (beads) => beads.filter(isOurs).length === 2)
  for (const name of ['blank', 'computing']) expect(await runs(city, name)).toEqual({ woke: 1, stopped: 0 })
}, 180_000)

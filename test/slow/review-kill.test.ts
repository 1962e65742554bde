import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bead, startSession, tokenOf } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, up, World } from './town.ts'

const ROUNDS = Number(process.env.GC_KILLS ?? 3)
const WAIT_MS = 60_000
const PROGRAM = `umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec ${AGENT.join(' ')}`

const env = {
  ...process.env,
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

function git(cwd: string, ...words: string[]): void {
  const ran = Bun.spawnSync(['git', '-C', cwd, ...words], { env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')} in ${cwd}: ${ran.stderr}`)
}

/** The turns of a conversation that ask for this. */
async function turnsWith(city: TestCity, session: string, text: string): Promise<number> {
  const { body } = await city.call(`GET ~/session/${session}/transcript?format=conversation`)
  const turns: { role: string; text: string }[] = body.turns ?? []
  return turns.filter((turn) => turn.role === 'user' && turn.text.includes(text)).length
}

test(
  `what a person asks for is one turn over ${ROUNDS} kills of the supervisor`,
  async () => {
    const roll = dice(SEED)
    await using world = await World.open()
    const rig = world.rigFolder('shop', { git: true })
    git(rig, 'commit', '-q', '--allow-empty', '-m', 'first')
    const city = await world.city('town')
    writeFileSync(
      join(city.path, 'city.toml'),
      `[workspace]\nname = "town"\n[session]\nsnapshot_interval = "1s"\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "polly"\ndir = "shop"\nworktree = true\nsession = "acp"\nstart_command = '''${PROGRAM}'''\n`,
    )
    const agents = () => city.call('GET ~/agents')
    await eventually('the agent is known', WAIT_MS, agents, ({ body }) => body.total > 0)
    const { id } = await startSession(city, 'shop/polly')
    const { body: worktrees } = await city.call('GET ~/worktrees')
    const { path } = worktrees.items[0]
    for (let round = 0; round < ROUNDS; round++) {
      const token = await tokenOf(world, id)
      const work = await bead(city, `round ${round}`, { rig: 'shop' })
      await city.call(`POST ~/bead/${work}/claim`, { token })
      writeFileSync(join(path, `file-${round}`), 'x\n')
      git(path, 'add', '-A')
      git(path, 'commit', '-q', '-m', `round ${round}`)
      await city.call(`POST ~/bead/${work}/close`, { token })
      const changes = () => city.call(`GET ~/changes?state=ready&bead=${work}`)
      const { body } = await eventually('the change is ready', WAIT_MS, changes, ({ body }) => body.items?.length === 1)
      const change = body.items[0].id
      const text = `change it, round ${round}`
      const headers = { 'Idempotency-Key': `ask-${round}` }
      const ask = () =>
        city.call(`POST ~/change/${change}/ask`, { body: { text }, headers }).catch(() => ({ status: 0 }))
      const first = ask()
      await Bun.sleep(roll() * 150)
      await world.kill()
      await world.start()
      await up(city)
      await first
      await eventually('the request is taken', WAIT_MS, ask, ({ status }) => status === 200)
      const asks = async () => (await city.call(`GET ~/change/${change}`)).body.asks
      const sent = await eventually('the turn arrived', WAIT_MS, asks, (all) => all?.[0]?.state === 'delivered')
      expect(sent).toHaveLength(1)
      expect({ round, turns: await turnsWith(city, id, text) }).toEqual({ round, turns: 1 })
    }
    for (let round = 0; round < ROUNDS; round++) {
      expect(await turnsWith(city, id, `change it, round ${round}`)).toBe(1)
    }
  },
  ROUNDS * 60_000,
)

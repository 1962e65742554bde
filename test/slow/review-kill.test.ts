import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bead, startSession, tokenOf } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, up, World } from './town.ts'

const ROUNDS = Number(process.env.GC_KILLS ?? 3)
const WAIT_MS = 60_000
const TYPED = join(import.meta.dir, 'children/typed-program.ts')
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

/** Sessions whose programs are asked over a protocol, and by what is typed into their terminals. */
const toml = (rig: string, home: string) => `[workspace]
name = "town"
[session]
snapshot_interval = "1s"
[[rigs]]
name = "shop"
path = "${rig}"
[[agent]]
name = "polly"
dir = "shop"
worktree = true
session = "acp"
start_command = '''${PROGRAM}'''
[providers.typist]
base = "builtin:claude"
command = "${process.execPath} ${TYPED}"
ready_prompt_prefix = "> "
option_defaults = { effort = "", permission_mode = "plan" }
[providers.typist.env]
HOME = "${home}"
[[agent]]
name = "tess"
dir = "shop"
worktree = true
provider = "typist"
`

/** Has a session commit something for a new bead; returns the change that is ready. */
async function change(city: TestCity, { id, path }: Worker, round: number): Promise<string> {
  const token = await tokenOf(city.world, id)
  const work = await bead(city, `round ${round}`, { rig: 'shop' })
  await city.call(`POST ~/bead/${work}/claim`, { token })
  writeFileSync(join(path, `file-${round}`), 'x\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', `round ${round}`)
  await city.call(`POST ~/bead/${work}/close`, { token })
  const changes = () => city.call(`GET ~/changes?state=ready&bead=${work}`)
  const { body } = await eventually('the change is ready', WAIT_MS, changes, ({ body }) => body.items?.length === 1)
  return body.items[0].id
}

/** Waits until a program is typed to. */
async function began(typing: string): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!existsSync(typing) && performance.now() < end) await Bun.sleep(1)
}

interface Worker {
  readonly id: string
  readonly path: string
}

test(
  `a request of a person to a program, over ACP or in a terminal, is one turn over ${ROUNDS} kills of the supervisor`,
  async () => {
    const roll = dice(SEED)
    await using world = await World.open()
    const rig = world.rigFolder('shop', { git: true })
    git(rig, 'commit', '-q', '--allow-empty', '-m', 'first')
    const city = await world.city('town')
    writeFileSync(join(city.path, 'city.toml'), toml(rig, world.folder.at('user')))
    const typing = world.folder.at('user/typing')
    const agents = () => city.call('GET ~/agents')
    await eventually('the agents are known', WAIT_MS, agents, ({ body }) => body.total === 2)
    const workers: Worker[] = []
    for (const name of ['polly', 'tess']) {
      const { id } = await startSession(city, `shop/${name}`)
      workers.push({ id, path: (await city.call(`GET ~/session/${id}`)).body.work_dir })
    }
    for (let round = 0; round < ROUNDS; round++) {
      const text = `change it, round ${round}`
      const asked = workers.map(async (worker) => {
        const at = `~/change/${await change(city, worker, round)}`
        const comment = { path: `file-${round}`, line: 1, text: `a comment, round ${round}` }
        await city.call(`POST ${at}/comments`, { body: comment })
        const headers = { 'Idempotency-Key': `${worker.id}-${round}` }
        return {
          at,
          worker,
          ask: () => city.call(`POST ${at}/ask`, { body: { text }, headers }).catch(() => ({ status: 0 })),
        }
      })
      const asks = await Promise.all(asked)
      rmSync(typing, { force: true })
      const first = asks.map(({ ask }) => ask())
      if (round % 2 === 0) await Bun.sleep(roll() * 1500)
      else await began(typing)
      await world.kill()
      await world.start()
      await up(city)
      await Promise.all(first)
      for (const { at, worker, ask } of asks) {
        await eventually('the request is taken', WAIT_MS, ask, ({ status }) => status === 200)
        const states = async () => (await city.call(`GET ${at}`)).body.asks
        const sent = await eventually('the turn arrived', WAIT_MS, states, (all) => all?.[0]?.state === 'delivered')
        expect(sent).toHaveLength(1)
        const turns = () => turnsWith(city, worker.id, text)
        await eventually('it is in the conversation', WAIT_MS, turns, (count) => count > 0)
      }
    }
    for (const { id } of workers) {
      for (let round = 0; round < ROUNDS; round++) {
        const counts = [`change it, round ${round}`, `a comment, round ${round}`].map((text) =>
          turnsWith(city, id, text),
        )
        expect({ id, round, counts: await Promise.all(counts) }).toEqual({ id, round, counts: [1, 1] })
      }
    }
  },
  ROUNDS * 120_000,
)

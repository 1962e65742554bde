import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { lend, lentSession } from '../binary/lent-session.ts'
import { run } from '../binary/session-command.ts'
import { eventually } from '../support/until.ts'
import { dice, freePort, up, World } from './town.ts'

const KILLS = Math.min(Number(process.env.GC_KILLS ?? 20), 1000)
const TOKEN_KILLS = 20
const EACH = 10
const AGENTS = 2 * EACH

/** Keeps one bead, and asks for it again and again over HTTP; ends when its token has ended or there is no work. */
const OVER_HTTP = `#!/bin/sh
echo "$$ $GC_SESSION_ID" >> "$GC_CITY/started"
while :; do
  answer=$(curl -s -m 20 -w ' %{http_code}' -X POST -H "Authorization: Bearer $GC_TOKEN" -H 'X-GC-Request: 1' \\
    -H 'Content-Type: application/json' -d '{}' "$GC_URL/v0/city/mill/claims/next")
  case $answer in
    *' 401'|*'"action":"drain"'*) echo "$GC_SESSION_ID: $answer" >> "$GC_CITY/ended"; exit 1 ;;
    *'"action":"work"'*) echo "$GC_SESSION_ID" >> "$GC_CITY/http" ;;
  esac
  sleep 0.1
done
`

/** The same with the commands of a session: any other status than success or "try again later" ends it as well. */
const BY_COMMAND = `#!/bin/sh
echo "$$ $GC_SESSION_ID" >> "$GC_CITY/started"
while :; do
  for command in 'hook --claim --json' 'bd ready --json'; do
    answer=$(gc $command 2>&1); status=$?
    case $status,$answer in
      75,*) ;;
      0,*'"action":"drain"'*|[!0]*) echo "$GC_SESSION_ID: $command: $status $answer" >> "$GC_CITY/ended"; exit 1 ;;
      *) echo "$GC_SESSION_ID" >> "$GC_CITY/commands" ;;
    esac
    sleep 0.3
  done
done
`

const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [])

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Stops the supervisor in order; its agents continue. */
async function terminate({ pid }: World): Promise<void> {
  process.kill(pid, 'SIGTERM')
  await eventually(
    'the supervisor has ended',
    20_000,
    async () => isAlive(pid),
    (alive) => !alive,
  )
}

describe('tokens', () => {
  test('that ended never come back, and the last one is good, wherever a kill falls', async () => {
    const flags = ['--port', await freePort()]
    await using world = await World.open(...flags)
    const lent = await lentSession(world, 'mill')
    const { city, session } = lent
    const ask = async (token: string): Promise<number> =>
      (await city.call(`GET ~/session/${session}`, { token }).catch(() => ({ status: 0 }))).status
    const next = dice(5)
    const ended: string[] = []
    let good = lent.token
    for (let at = 0; at < TOKEN_KILLS; at++) {
      for (let times = 1 + Math.floor(next() * 4); times > 0; times--) {
        ended.push(good)
        good = await lend(city, session)
      }
      await world.kill()
      await world.start(...flags)
      const [last = '', before = ''] = ended.slice(-2).reverse()
      expect({ at, statuses: await Promise.all([good, last, before].map(ask)) }).toEqual({
        at,
        statuses: [200, 401, 401],
      })
    }
    expect(new Set(await Promise.all(ended.map(ask)))).toEqual(new Set([401]))
  }, 300_000)
})

describe('agents that end when their token has ended or when they must stop', () => {
  test(
    `live on, the same processes, while their supervisor is killed or stopped ${KILLS} times`,
    async () => {
      const flags = ['--port', await freePort()]
      await using world = await World.open(...flags)
      mkdirSync(world.folder.at('mill'))
      const agent = (name: string) =>
        `[[agent]]\nname = "${name}"\nstart_command = "./${name}.sh"\nmax_active_sessions = ${EACH}\n`
      for (const [name, script] of Object.entries({ http: OVER_HTTP, command: BY_COMMAND })) {
        writeFileSync(world.folder.at('mill', `${name}.sh`), script, { mode: 0o755 })
      }
      const city = await register(world, 'mill', agent('http') + agent('command'))
      for (let n = 0; n < AGENTS; n++) {
        const body = { target: n % 2 === 0 ? 'http' : 'command', title: `work ${n}` }
        expect((await city.call('POST ~/sling/text', { body })).status).toBe(200)
      }
      const claims = async (): Promise<number> => (await city.call('GET ~/claims')).body.total
      await eventually('every agent has its bead', 60_000, claims, (total) => total === AGENTS)
      const next = dice(11)
      const file = (name: string) => world.folder.at('mill', name)
      const started = lines(file('started'))
      for (let at = 0; at < KILLS; at++) {
        if (at % 10 === 9) await terminate(world)
        await world.kill()
        await world.start(...flags)
        await Bun.sleep(next() * 300)
      }
      await up(city)
      const worked = () => ['http', 'commands'].map((name) => new Set(lines(file(name)).slice(-5 * AGENTS)).size)
      await eventually(
        'every agent goes on',
        60_000,
        async () => worked(),
        ([http = 0, commands = 0]) => http + commands === AGENTS,
      )
      expect(lines(file('ended'))).toEqual([])
      expect(lines(file('started'))).toEqual(started)
      expect(started).toHaveLength(AGENTS)
      expect(started.map((line) => isAlive(Number.parseInt(line, 10)))).toEqual(started.map(() => true))
      expect(await claims()).toBe(AGENTS)
    },
    Math.max(300_000, KILLS * 3_000),
  )

  test('continue after 30 s without a supervisor, which is not an order to stop', async () => {
    await using world = await World.open()
    const lent = await lentSession(world, 'mill')
    await world.kill()
    const commands = [
      ['hook', '--claim', '--drain-ack', '--json'],
      ['mail', 'check'],
      ['bd', 'ready'],
    ]
    const all = await Promise.all(commands.map((args) => run(world, lent, args)))
    for (const { status, out, err } of all) {
      expect({ status, out }).toEqual({ status: 75, out: '' })
      expect(err).toContain('the supervisor did not respond for 30 s')
      expect(err).not.toContain('drain')
    }
    expect(await run(world, lent, ['mail', 'check', '--inject'])).toEqual({ status: 0, out: '', err: '' })
  }, 120_000)
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { CommandContext } from '../../cli/context/context.ts'
import { createProgram } from '../../cli/program.ts'
import { waitForSession } from '../../cli/session/wait-for-session.ts'
import type { Bead, SessionResponse } from '../../src/work/schema.ts'
import { eventually } from '../support/until.ts'
import { recorder } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
let session: SessionResponse
shareTown(async (opened) => {
  town = opened
  const echo = 'sh -c \'echo ready; while read -r line; do echo "heard $line"; done\''
  await town.json(['agent', 'add', 'clerk', '--command', echo])
  session = await town.json<SessionResponse>(['session', 'new', 'clerk', '--alias', 'bob', '--title', 'At the desk'])
})

const shown = () => town.json<SessionResponse>(['session', 'show', session.id])

describe('a session started by hand', () => {
  test('has the given alias and title', () => {
    expect(session).toMatchObject({ template: 'clerk', alias: 'bob', title: 'At the desk' })
  })

  test('receives a message and shows it', async () => {
    const { status, out } = await town.gc(['session', 'send', 'bob', 'good', 'morning'])
    expect({ status, out }).toEqual({ status: 0, out: 'Delivered to bob.\n' })
    expect((await town.gc(['session', 'peek', 'bob'])).out).toContain('heard good morning')
  }, 15_000)

  test('is renamed, suspended, woken and closed', async () => {
    expect((await town.gc(['session', 'rename', 'bob', 'At lunch'])).out).toBe('Session bob is now called At lunch.\n')
    expect((await town.gc(['session', 'suspend', 'bob'])).out).toBe('Session bob is suspended.\n')
    expect(await shown()).toMatchObject({ state: 'suspended', running: false, title: 'At lunch' })
    expect((await town.gc(['session', 'attach', 'bob', '--read-only'])).err).toContain('wake it first')
    expect((await town.gc(['session', 'wake', 'bob'])).out).toBe('Session bob is waking.\n')
    expect((await town.gc(['session', 'close', 'bob'])).out).toBe('Session bob is closed.\n')
    const { items } = await town.json<{ items: SessionResponse[] }>(['session', 'list'])
    expect(items).toEqual([])
    const past = await town.json<{ items: SessionResponse[] }>(['session', 'list', '--state', 'closed'])
    expect(past.items).toMatchObject([{ id: session.id, running: false }])
  }, 15_000)
})

describe('a session that cannot start yet', () => {
  test('says immediately what it waits for, and leaves no session behind when it is interrupted', async () => {
    await town.json(['agent', 'add', 'sleeper', '--command', 'sleep 600'])
    await town.gc(['agent', 'suspend', 'sleeper'])
    const interrupt = new AbortController()
    const asked = town.gc(['session', 'new', 'sleeper'], {
      signal: interrupt.signal,
      onError: (err) => err.includes('waits') && interrupt.abort(),
    })
    const { status, err } = await asked
    expect(status).toBe(130)
    expect(err).toContain(
      'waits: agent sleeper is suspended; gc agent resume sleeper (ctrl-c takes the request back)\n',
    )
    expect(err).toEndWith('gc: the request was canceled; no session starts\n')
    const { items } = await town.json<{ items: SessionResponse[] }>(['session', 'list', '--template', 'sleeper'])
    expect(items).toEqual([])
  }, 15_000)
})

describe('a session for which a command has waited its time', () => {
  test('is reported with what it waits for', async () => {
    await town.json(['agent', 'add', 'late', '--command', 'sleep 600'])
    await town.gc(['agent', 'suspend', 'late'])
    const { io } = recorder({ env: town.env, cwd: town.city })
    const context = new CommandContext(io, await createProgram(io))
    const city = await context.city()
    const accepted = await city.call('POST ~/sessions', { body: { name: 'late', kind: 'agent' } })
    const waited = await waitForSession(context, city, accepted, 700).catch((error: unknown) => error)
    const [said, session = ''] =
      /^Exit: session \S+ still waits after 0\.7 s: agent late is suspended; gc agent resume late; `gc session close (\S+)` takes the request back$/.exec(
        String(waited),
      ) ?? []
    expect(said).toBeDefined()
    expect(await town.gc(['session', 'close', session])).toMatchObject({ status: 0, err: '' })
    const gone = city.call('GET ~/sessions/request/{id}', { params: { id: accepted.request_id } })
    expect(await gone.catch(({ code }) => code)).toBe('request-not-found')
    const { items } = await town.json<{ items: SessionResponse[] }>(['session', 'list', '--template', 'late'])
    expect(items).toEqual([])
  }, 15_000)
})

describe('the run of a session', () => {
  const inside = (id: string, token: string) => ({ env: { GC_SESSION_ID: id, GC_TOKEN: token, GC_CITY_NAME: 'town' } })

  /** A session that keeps its token where the test finds it. */
  async function hired(alias: string) {
    const made = await town.json<SessionResponse>(['session', 'new', 'keeper', '--alias', alias])
    const file = `${town.home}/token.${made.id}`
    const read = async () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const token = await eventually('its token is written', 15_000, read, (text) => text.length === 68)
    return { ...made, token }
  }

  beforeAll(async () => {
    const keeps = 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec sleep 600'
    await town.json(['agent', 'add', 'keeper', '--command', keeps])
  })

  test('is drained, undrained, kept alive and restarted', async () => {
    const { id, token } = await hired('ann')
    await town.json(['bead', 'create', 'In hand', '--assignee', 'ann'])
    expect((await town.gc(['runtime', 'drain', 'ann'])).out).toBe('Session ann finishes its work and will end.\n')
    expect((await town.gc(['runtime', 'drain-check', id])).status).toBe(0)
    expect((await town.gc(['runtime', 'undrain', 'ann'])).out).toBe('Session ann continues.\n')
    expect((await town.gc(['runtime', 'drain-check', id])).status).toBe(1)
    const beat = await town.gc(['runtime', 'heartbeat', '--duration', '5m'], inside(id, token))
    expect(beat).toMatchObject({ status: 0, out: 'Recorded; this session has no claims.\n' })
    expect((await town.gc(['session', 'restart', 'ann'])).out).toBe('Session ann restarts.\n')
    expect((await town.gc(['session', 'drift'])).out).toBe('No session differs from its agent’s configuration.\n')
    expect((await town.gc(['session', 'transcript', 'ann'])).status).toBe(0)
    await town.gc(['session', 'close', 'ann'])
  }, 20_000)

  test('is lent, once suspended, to the holder of the printed token', async () => {
    const { id } = await hired('lou')
    expect((await town.gc(['session', 'lend', 'lou'])).err).toContain('only a suspended one can be lent')
    await town.gc(['session', 'suspend', 'lou'])
    const bead = await town.json<Bead>(['bead', 'create', 'From afar', '--assignee', 'lou'])
    const lent = await town.gc(['session', 'lend', 'lou'])
    expect(lent.err).toContain(`GC_SESSION_ID=${id}`)
    const elsewhere = inside(id, lent.out.trim())
    const next = await town.gc(['hook', '--claim', '--json'], elsewhere)
    expect(JSON.parse(next.out)).toMatchObject({ action: 'work', bead_id: bead.id })
    expect((await town.bd(['close', bead.id], elsewhere)).status).toBe(0)
    await town.gc(['session', 'close', 'lou'])
    expect((await town.gc(['hook', '--claim', '--json'], elsewhere)).status).toBe(1)
  }, 20_000)

  test('prime reports the conversation of its program', async () => {
    const { id, token } = await hired('eve')
    const shell = { ...inside(id, token), stdin: '{"session_id":"talk-7","source":"startup"}\n' }
    expect(await town.gc(['prime', '--hook'], shell)).toMatchObject({ status: 0, err: '' })
    const bead = await town.json<Bead>(['bead', 'show', id])
    expect(bead.metadata).toMatchObject({ session_key: 'talk-7' })
    const given = { ...shell, env: { ...shell.env, GC_STARTUP_PROMPT_DELIVERED: '1' } }
    expect(await town.gc(['prime', '--hook'], given)).toMatchObject({ status: 0, out: '' })
    await town.gc(['session', 'close', 'eve'])
  }, 20_000)

  test('hook run ends a command after a while, with its own status or the one that is asked for', async () => {
    const { id, token } = await hired('uma')
    const shell = inside(id, token)
    expect((await town.gc(['hook', 'run', '--', 'version'], shell)).out).toContain('gc ')
    expect((await town.gc(['hook', 'run', '--', 'hook', '--claim'], shell)).status).toBe(1)
    const slow = ['--timeout', '0s', '--', 'events', '--follow']
    expect((await town.gc(['hook', 'run', ...slow], shell)).status).toBe(124)
    expect((await town.gc(['hook', 'run', '--timeout-exit-code', '0', ...slow], shell)).status).toBe(0)
    await town.gc(['session', 'close', 'uma'])
  }, 20_000)

  test.each([
    [['hook', 'run', '--', 'status']],
    [['prime', '--hook', '--hook-format', 'claude']],
    [['mail', 'check', '--inject']],
    [['nudge', 'drain', '--inject']],
    [['handoff', '--auto', 'context cycle']],
    [['hook', '--inject']],
  ])('outside of a session a hook does nothing: %p', async (args) => {
    await town.json(['mail', 'send', 'human', '-s', 'Seen', '-m', 'x'])
    expect(await town.gc(args)).toMatchObject({ status: 0, out: '', err: '' })
  })

  test('handoff sends a message to its next run, which begins a new conversation', async () => {
    const { id, token } = await hired('kim')
    const result = await town.gc(['handoff', 'Half way', 'The roof is next.'], inside(id, token))
    expect(result).toMatchObject({ status: 0, out: 'The message was sent; this session begins a new conversation.\n' })
    for (let tries = 0; tries < 1000; tries++) {
      const { metadata } = await town.json<Bead>(['bead', 'show', id])
      if (metadata?.generation === '2' && metadata.state === 'active') break
      await Bun.sleep(20)
    }
    expect((await town.json<Bead>(['bead', 'show', id])).metadata).toMatchObject({ generation: '2', state: 'active' })
    expect((await town.gc(['mail', 'inbox', 'kim'])).out).toContain('Half way')
    await town.gc(['session', 'close', 'kim'])
  }, 20_000)

  test('drift lists it, and prune closes it after a long suspension', async () => {
    await hired('zoe')
    expect((await town.gc(['nudge', 'zoe', 'good', 'evening'])).out).toBe('Sent to zoe.\n')
    expect((await town.gc(['nudge', 'drain', '--inject'])).status).toBe(0)
    await town.gc(['session', 'suspend', 'zoe'])
    expect(await town.gc(['session', 'peek', 'zoe'])).toMatchObject({
      status: 1,
      err: 'gc: session zoe is not running (user-hold); `gc session transcript zoe` shows its conversation\n',
    })
    expect((await town.gc(['session', 'show', 'nobody'])).err).toStartWith('gc: session not found: "nobody"; ')
    expect((await town.gc(['session', 'prune', '--before', '1h'])).out).toBe('0 were closed.\n')
    expect((await town.gc(['session', 'prune', '--before', '0m'])).out).toContain('1 were closed.')
    expect((await town.gc(['session', 'prune', '--before', 'long'])).status).toBe(2)
  }, 20_000)
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})

test('sessions of an agent that there is not are an error, of one without sessions none', async () => {
  const nobody = await town.gc(['session', 'list', '--template', 'nobody'])
  expect(nobody).toMatchObject({ status: 1, err: expect.stringContaining('town has no agent nobody') })
  await town.gc(['agent', 'add', 'idler', '--command', 'cat'])
  expect((await town.gc(['session', 'list', '--template', 'idler'])).status).toBe(0)
  expect((await town.gc(['session', 'list', '--template', 'idlr'])).err).toContain('did you mean idler?')
})

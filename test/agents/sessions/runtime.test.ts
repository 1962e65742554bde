import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { AppError } from '../../../src/core/errors.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

const OPERATOR = { kind: 'operator' } as const

const errorCode = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it did not fail',
    (error) => (error instanceof AppError ? error.code : String(error)),
  )

async function mayor(script = WAITS, more = '') {
  const world = await CityWorld.open(agent('mayor', script, more))
  await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
  const { session_id: id = '' } = await world.event('session.woke')
  return { world, id, row: () => world.city.sessionRepository.get(id), sessions: world.city.sessions }
}

/** True if the last token that its program wrote is that of an earlier run. */
const isEnded = (world: CityWorld, id: string): boolean =>
  world.city.credentials.caller(hashToken(readFileSync(`${world.hosts.home}/token.${id}`, 'utf8'))) === 'ended'

/** A provider whose program records its arguments, and fails immediately when it is to resume a lost conversation. */
function talker(world: CityWorld): string {
  const path = world.folder.at('talker.sh')
  const script = `#!/bin/sh
echo "$@" >> "${world.folder.at('calls')}"
case "$*" in *lost*) exit 1;; esac
printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"
exec sleep 600
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return `[providers.talker]
command = "${path}"
prompt_mode = "none"
resume_flag = "--resume"
[[agent]]
name = "chat"
provider = "talker"
`
}

describe('draining a session', () => {
  test('does not take it for idle while a message is being delivered', async () => {
    const { world, id } = await mayor()
    await using _ = world
    const { queue } = world.city.sessionServices
    await world.city.store.write((tx) => {
      queue.add(tx, id, 'look at the build')
      const [message] = queue.waiting(id)
      if (message) queue.startTyping(tx, message)
    })
    expect([queue.waiting(id), queue.counts().get(id)]).toEqual([[], 1])
  })

  test('lets it finish its work, and can be canceled', async () => {
    const { world, id, row, sessions } = await mayor()
    await using _ = world
    await world.add({ title: 'in hand', assignee: 'boss', status: 'in_progress' })
    expect(await sessions.running.drain('boss', human)).toEqual({ status: 'ok', id })
    expect(row()).toMatchObject({ state: 'draining', reason: 'user-hold' })
    expect(await sessions.running.drain('boss', human)).toEqual({ status: 'ok', id })
    await world.city.reconciler.settle()
    expect(await world.running()).toHaveLength(1)
    expect(await sessions.running.undrain('boss', human)).toEqual({ status: 'ok', id })
    expect(row().state).toBe('active')
    expect(world.recorded().slice(2)).toEqual(['session.draining boss', 'session.undrained boss'])
  })

  test('ends it when it has no work', async () => {
    const { world, row, sessions } = await mayor()
    await using _ = world
    await sessions.running.drain('boss', human)
    await world.event('session.stopped')
    expect(row()).toMatchObject({ state: 'asleep', hostKey: null })
    expect(await errorCode(sessions.running.drain('boss', human))).toBe('session-conflict')
    expect(await errorCode(sessions.running.undrain('boss', human))).toBe('session-conflict')
  })
})

describe('restarting a session', () => {
  test('restarts its program, and its claims stay assigned to it', async () => {
    const { world, id, row, sessions } = await mayor()
    await using _ = world
    const { id: bead } = await world.work('shared', 'mayor')
    const caller = await world.caller(id)
    await world.city.claims.claim(caller, bead)
    expect(await sessions.running.restart('boss', OPERATOR)).toEqual({ status: 'ok', id })
    await world.event('session.woke')
    expect(row()).toMatchObject({ state: 'active', generation: 2 })
    expect(world.city.beadRepository.get(bead)).toMatchObject({ status: 'open', assignee: 'boss' })
    await until(() => readFileSync(`${world.hosts.home}/token.${id}`, 'utf8').length === 68 && !isEnded(world, id))
    expect(await world.city.claims.next(await world.caller(id))).toMatchObject({ action: 'work', bead_id: bead })
  })

  test('starts one that was quarantined', async () => {
    const { world, id, row, sessions } = await mayor()
    await using _ = world
    await world.city.sessions.running.suspend(id, human)
    await sessions.running.restart(id, OPERATOR, { fresh: true })
    await world.event('session.woke')
    expect(row()).toMatchObject({ state: 'active', failures: 0 })
  })
})

describe('a heartbeat', () => {
  test('keeps a silent session from counting as idle', async () => {
    const { world, id, row, sessions } = await mayor(WAITS, 'sleep_after_idle = "300ms"')
    await using _ = world
    const caller = await world.caller(id)
    await sessions.messaging.heartbeat(id, caller, { duration: '1s' })
    expect(row().busyUntil).toBeGreaterThan(Date.now())
    expect(await errorCode(sessions.messaging.heartbeat(id, OPERATOR))).toBe('forbidden')
    expect(await errorCode(sessions.messaging.heartbeat(id, caller, { duration: 'long' }))).toBe('invalid-request')
    const busyUntil = row().busyUntil ?? 0
    const stopped = await world.event('session.stopped')
    expect(Date.parse(stopped.ts)).toBeGreaterThanOrEqual(busyUntil)
    expect(row()).toMatchObject({ state: 'asleep', reason: 'idle', busyUntil: null })
  })
})

describe('a conversation', () => {
  async function chatting() {
    const world = await CityWorld.open('')
    world.declare(talker(world))
    await world.city.config.reload()
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'chat', alias: 'ann' })
    const { session_id: id = '' } = await world.event('session.woke')
    const calls = () => readFileSync(world.folder.at('calls'), 'utf8').split('\n').slice(0, -1)
    await until(() => existsSync(world.folder.at('calls')))
    return { world, id, calls, sessions: world.city.sessions }
  }

  test('that its program named is resumed until a new one is requested', async () => {
    const { world, id, calls, sessions } = await chatting()
    await using _ = world
    const caller = await world.caller(id)
    await sessions.messaging.nameConversation(id, caller, { key: 'abc-1' })
    await sessions.messaging.nameConversation(id, caller, { key: 'abc-2' })
    expect(world.city.beadRepository.get(id).metadata).toMatchObject({ session_key: 'abc-1' })
    expect(await errorCode(sessions.messaging.nameConversation(id, OPERATOR, { key: 'abc-3' }))).toBe('forbidden')
    await sessions.running.restart(id, OPERATOR)
    await until(() => calls().length === 2)
    await world.event('session.woke')
    await sessions.running.restart(id, OPERATOR, { fresh: true })
    await until(() => calls().length === 3)
    expect(calls()).toEqual(['', '--resume abc-1', ''])
  })

  test('that is lost is replaced by a new one, without counting as a crash', async () => {
    const { world, id, calls, sessions } = await chatting()
    await using _ = world
    await sessions.messaging.nameConversation(id, await world.caller(id), { key: 'lost' })
    await sessions.running.restart(id, OPERATOR)
    await until(() => calls().length === 3)
    await world.event('session.woke', ({ seq }) => seq > 0)
    await world.city.reconciler.settle()
    expect(calls()).toEqual(['', '--resume lost', ''])
    expect(world.city.sessionRepository.get(id)).toMatchObject({ state: 'active', sessionKey: null, failures: 0 })
    expect(world.recorded().filter((type) => type.startsWith('session.crashed'))).toEqual([])
  })
})

describe('a changed declaration', () => {
  test('is listed with its changed parts, and leaves a person’s session running until it is restarted', async () => {
    const { world, id, sessions } = await mayor()
    await using _ = world
    expect(sessions.reading.drifts()).toEqual({ items: [], total: 0 })
    world.declare(agent('mayor', WAITS, 'env = { MODE = "new" }\nmax_active_sessions = 4'))
    await world.city.config.reload()
    await world.city.reconciler.settle()
    expect(sessions.reading.drifts().items).toEqual([
      { id, session_name: `s-${id}`, template: 'mayor', fields: ['env'] },
    ])
    expect(await world.running()).toHaveLength(1)
    await sessions.running.restart(id, OPERATOR)
    await world.event('session.woke')
    expect(sessions.reading.drifts().total).toBe(0)
  })
})

describe('a soft reload', () => {
  test('leaves sessions as they were started, in one write with the change', async () => {
    const { world, id, sessions, row } = await mayor()
    await using _ = world
    world.declare(agent('mayor', WAITS, 'env = { MODE = "new" }\nmax_active_sessions = 4'))
    const head = world.city.log.head
    const reloaded = await world.city.configViews.reload(OPERATOR, { soft: true })
    expect(reloaded.outcome).toBe('applied')
    expect(sessions.reading.drifts()).toEqual({ items: [], total: 0 })
    expect(world.city.log.after(head, 10).map(({ type }) => type)).toEqual(['session.updated', 'config.changed'])
    const { fingerprint } = row()
    expect(await world.city.configViews.reload(OPERATOR, { soft: true })).toMatchObject({ outcome: 'no_change' })
    expect(row().fingerprint).toEqual(fingerprint)
    await sessions.running.restart(id, OPERATOR)
    await world.event('session.woke')
    expect(sessions.reading.drifts().total).toBe(0)
  })

  test('takes back the drain of a session whose declaration had changed before', async () => {
    const { world, id, sessions, row } = await mayor()
    await using _ = world
    await world.add({ title: 'in hand', assignee: 'boss', status: 'in_progress' })
    world.declare(agent('mayor', WAITS, 'env = { MODE = "new" }\nmax_active_sessions = 4'))
    world.city.config.reload()
    const { store, sessionRepository } = world.city
    await store.write((tx) =>
      sessionRepository.transition(tx, id, 'drain', { reason: 'config-drift', drainAt: Date.now() }),
    )
    const head = world.city.log.head
    await world.city.configViews.reload(OPERATOR, { soft: true })
    expect(row()).toMatchObject({ state: 'active', drainAt: null })
    expect(world.city.log.after(head, 10).map(({ type }) => type)).toEqual(['bead.updated', 'session.undrained'])
    expect(sessions.reading.drifts().total).toBe(0)
  })
})

describe('a usage limit', () => {
  const LIMIT = 'printf "\\033[2J\\033[HYou\'ve hit your usage limit. Try again later.\\n"'

  test('on the screen holds the session and its agent for a while, without counting as a crash', async () => {
    await using world = await CityWorld.open('')
    const path = world.folder.at('codex.sh')
    writeFileSync(path, `#!/bin/sh\n${LIMIT}\nexec sleep 600\n`)
    chmodSync(path, 0o755)
    world.declare(`[providers.mine]
base = "builtin:codex"
command = "${path}"
path_check = "${path}"
[[agent]]
name = "coder"
provider = "mine"
max_active_sessions = 2
`)
    await world.city.config.reload()
    await world.work('hard', 'coder')
    await world.event('session.quarantined', () => true, 15_000)
    await world.city.reconciler.settle()
    const [row] = world.city.sessionRepository.live()
    expect(row).toMatchObject({ state: 'quarantined', reason: 'rate_limit', failures: 0 })
    expect(row?.quarantinedUntil).toBeGreaterThan(Date.now() + 40_000)
    expect(world.city.limits.all()).toMatchObject([{ login: 'codex', state: 'limited', stated: false, attempts: 1 }])
    expect(world.city.sessionRepository.live()).toHaveLength(1)
    expect(await world.running()).toEqual([])
    expect(world.recorded().filter((type) => type.startsWith('session.crashed'))).toEqual([])
  }, 20_000)
})

describe('a bead over which sessions keep crashing', () => {
  test('is parked, and sends mail once', async () => {
    await using world = await CityWorld.open(agent('worker', 'exit 3', 'max_active_sessions = 2'))
    const { id } = await world.work('poison', 'worker')
    const { failures } = world.city.sessionServices
    await world.event('session.crashed')
    await world.city.store.write((tx) => {
      for (let death = 1; death <= 4; death++) failures.count(tx, 'bead', id, 'it fell')
      failures.clear(tx, 'agent', 'worker')
    })
    world.city.reconciler.wake()
    await world.event('bead.parked')
    await world.city.reconciler.settle()
    expect(world.city.beadRepository.get(id).labels).toContain('gc:parked')
    expect(world.city.mail.list({ agent: 'human' }).items).toMatchObject([
      {
        from: 'gc',
        subject: 'Parked: poison',
        body: expect.stringMatching(new RegExp(`^Bead ${id} is no longer offered to worker`)),
      },
    ])
    expect(world.recorded().filter((event) => event.startsWith('mail.'))).toHaveLength(1)
  })
})

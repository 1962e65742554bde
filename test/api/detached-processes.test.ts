import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { obstacleToCgroups } from '../../src/host/process/cgroups.ts'
import { alive } from '../host/world.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, type TestCity, World } from '../support/world.ts'
import { declare, register, startSession } from './town.ts'

const reason = obstacleToCgroups()

/** Starts what leaves its terminal session, as a daemon does that forks twice and ignores TERM. */
const LEAVES = (world: World) =>
  `(setsid sh -c 'trap "" TERM HUP; echo $$ > ${world.folder.at('daemon')}; exec sleep 700' &) ; exec sleep 600`

async function cityThatLeaves(world: World): Promise<{ city: TestCity; session: string; daemon: number }> {
  const city = await register(world, 'town', '')
  await declare(city, 'worker', { script: LEAVES(world) })
  const { id: session } = await startSession(city, 'worker')
  const path = world.folder.at('daemon')
  const written = async () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '')
  const daemon = Number(await eventually('the daemon is there', 10_000, written, Boolean))
  return { city, session, daemon }
}

/** A world whose sessions have no cgroup, as where the system delegates none. */
const openWorld = () => World.with({ GC_SESSION_CGROUP: 'off' })

const gc = (world: World, ...args: string[]) => {
  const env = { PATH: process.env.PATH ?? '', HOME: world.folder.at('user'), GC_HOME: world.home, GC_URL: world.url }
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...args], { env, stdin: 'ignore' })
  return { status: exitCode, out: stdout.toString(), err: stderr.toString() }
}

describe('a process that leaves its session', () => {
  test('is listed while the session runs and after it ended, and is ended by a sweep', async () => {
    await using world = await openWorld()
    const { city, session, daemon } = await cityThatLeaves(world)
    const list = async () => (await city.call('GET ~/detached-processes')).body.items
    const running = await list()
    expect(running).toMatchObject([{ pid: daemon, session_id: session, session_running: true }])
    expect(running[0].command).toBe('sleep 700')

    const closing = await city.head()
    await city.call(`POST ~/session/${session}/close`)
    const detached = await city.event(closing, ({ type }) => type === 'session.processes_detached')
    expect(detached).toMatchObject({
      actor: 'gc/sessions',
      payload: { session_id: session, processes: [{ pid: daemon }] },
    })
    expect(alive(daemon)).toBe(true)
    expect(await list()).toMatchObject([{ pid: daemon, session_id: session, session_running: false }])
    const { body: attention } = await city.call('GET ~/attention')
    expect(attention.items).toMatchObject([{ kind: 'detached', session_id: session, answers: [] }])
    expect(attention.items[0].asks).toContain(`${daemon} (`)

    const head = await city.head()
    const swept = await city.call('POST ~/detached-processes/sweep', { body: { session } })
    expect(swept.body).toMatchObject({ ended: [{ pid: daemon, session_id: session }], remaining: [] })
    expect(alive(daemon)).toBe(false)
    expect(await city.recorded(head)).toMatchObject([
      { type: 'session.processes_ended', actor: 'human', payload: { session_id: session } },
    ])
    expect(await list()).toEqual([])
    expect((await city.call('GET ~/attention')).body.items).toEqual([])
  }, 30_000)

  test('is not ended by a session that did not leave it, nor when another process is named', async () => {
    await using world = await openWorld()
    const { city, session, daemon } = await cityThatLeaves(world)
    await city.call(`POST ~/session/${session}/suspend`)
    const lent = (await city.call(`POST ~/session/${session}/lend`)).body
    const head = await city.head()
    const all = await city.call('POST ~/detached-processes/sweep', { body: {}, token: lent.token })
    expect([all.status, all.body.code]).toEqual([403, 'forbidden'])
    const unknown = await city.call('POST ~/detached-processes/sweep', { body: { session: 'nobody' } })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'session-not-found'])
    const other = await city.call('POST ~/detached-processes/sweep', { body: { ids: [`${daemon}@another`] } })
    expect(other.body).toEqual({ ended: [], remaining: [] })
    expect(alive(daemon)).toBe(true)
    expect(await city.recorded(head)).toEqual([])
    const own = await city.call('POST ~/detached-processes/sweep', { body: { session }, token: lent.token })
    expect(own.body).toMatchObject({ ended: [{ pid: daemon }] })
    expect(await city.recorded(head)).toMatchObject([{ type: 'session.processes_ended', session_id: session }])
  }, 30_000)

  test('is named by gc session show, gc status and the last words of gc stop and gc down, and ended by gc session sweep', async () => {
    await using world = await openWorld()
    const { city, session, daemon } = await cityThatLeaves(world)
    const shown = gc(world, 'session', 'show', session).out
    expect(shown).toContain(`gc session sweep ${session}`)
    expect(shown).toContain(
      'its processes, but none that left it (no cgroup: they are switched off by GC_SESSION_CGROUP)',
    )
    await city.call(`POST ~/session/${session}/close`)
    expect(gc(world, 'session', 'show', session).out).toContain(`  ${daemon}  ${session}  `)
    expect(gc(world, 'status').out).toContain(`  ${daemon}  ${session}  `)
    expect(gc(world, 'attention').out).toContain(`gc session sweep ${session}`)
    expect(gc(world, 'session', 'sweep')).toMatchObject({ status: 1, err: expect.stringContaining('add --yes') })
    expect(alive(daemon)).toBe(true)

    const last = gc(world, 'stop', city.name)
    expect(last).toMatchObject({ status: 0, err: '' })
    expect(last.out).toContain('is stopped')
    expect(last.out).toContain(`still run; end them by \`kill <pid>\`:\n  ${daemon}  ${session}  sleep 700\n`)
    expect(gc(world, 'start', city.name)).toMatchObject({ status: 0, err: '' })

    const stop = gc(world, 'down')
    expect(stop).toMatchObject({ status: 0, err: '' })
    expect(stop.out).toContain('these left their session and still run')
    expect(stop.out).toContain(`  ${daemon}  ${session}  `)
    await world.start()
    expect((await world.call('GET /v0/host')).body.items).toEqual([])
    await eventually(
      'the city is up',
      10_000,
      () => city.call('GET ~/status'),
      ({ status }) => status === 200,
    )
    const swept = gc(world, 'session', 'sweep', '--yes')
    expect(swept).toMatchObject({ status: 0, err: '' })
    expect(swept.out).toEndWith('1 process ended.\n')
    expect(alive(daemon)).toBe(false)
    expect(gc(world, 'session', 'sweep', '--json')).toMatchObject({ status: 0, out: '{"ended":[],"remaining":[]}\n' })
  }, 40_000)

  test.skipIf(reason !== undefined)(
    'ends with its session where the session has a cgroup',
    async () => {
      await using world = await World.open()
      const { city, session, daemon } = await cityThatLeaves(world)
      const { body } = await city.call(`GET ~/detached-processes?session=${session}`)
      expect(body).toMatchObject({ items: [{ pid: daemon }], ending: { by: 'cgroup' } })
      expect(gc(world, 'session', 'show', session).out).toContain('everything that was started in it (cgroup)')
      await city.call(`POST ~/session/${session}/close`)
      expect(alive(daemon)).toBe(false)
      expect((await city.call('GET ~/detached-processes')).body.items).toEqual([])
      expect((await city.call('GET ~/attention')).body.items).toEqual([])
      expect(gc(world, 'down')).toMatchObject({ status: 0, out: 'Everything has stopped.\n' })
    },
    30_000,
  )
})

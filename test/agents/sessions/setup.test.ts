import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

const lines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').filter(Boolean) : []

describe('setup commands', () => {
  test('run in order, in the folder and environment of the session', async () => {
    const note = (what: string) => `echo ${what} $GC_SESSION_ID $PWD >> $GC_CITY/notes`
    const more = `pre_start = ['${note('before')} {{.Agent}}']
session_setup = ['${note('after')}']
session_live = ['${note('live')}']
work_dir = "desk"`
    await using world = await CityWorld.open(agent('mayor', `${note('program')}; ${WAITS}`, more))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
    const { session_id: id } = await world.event('session.woke')
    const notes = world.folder.at('city', 'notes')
    await until(() => lines(notes).length >= 4)
    const desk = world.folder.at('city', 'desk')
    expect(lines(notes)[0]).toBe(`before ${id} ${desk} boss`)
    expect(lines(notes).toSorted()).toEqual(
      [`after ${id} ${desk}`, `before ${id} ${desk} boss`, `live ${id} ${desk}`, `program ${id} ${desk}`].toSorted(),
    )
  })

  test('in session_live run again when they change, and no others do', async () => {
    const note = (what: string) => `echo ${what} $GC_SESSION_ID "[$GC_TOKEN]" >> $GC_CITY/notes`
    const mayor = (live: string) =>
      agent('mayor', WAITS, `session_setup = ['${note('after')}']\nsession_live = ['${live}']`)
    await using world = await CityWorld.open(mayor('true'))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const { session_id: id } = await world.event('session.woke')
    const running = await world.running()
    world.declare(mayor(note('live')))
    await world.city.config.reload()
    const updated = await world.event('session.updated')
    expect(updated).toMatchObject({ session_id: id, payload: {} })
    const notes = lines(world.folder.at('city', 'notes'))
    expect(notes.filter((line) => line.startsWith('live'))).toEqual([
      expect.stringMatching(/^live mi-\d+ \[gcs_[0-9a-f]{64}\]$/),
    ])
    expect(notes).toHaveLength(2)
    world.declare(mayor('exit 5'))
    await world.city.config.reload()
    await world.event('session.updated')
    const failed = world.city.log.after(0, 100_000).filter(({ payload }) => Object(payload).result === 'failed')
    expect(failed).toMatchObject([{ payload: { error: 'session_live `exit 5` ended with exit code 5' } }])
    await world.city.reconciler.settle()
    expect(world.recorded().filter((event) => event.startsWith('session.updated'))).toHaveLength(2)
    expect(await world.running()).toEqual(running)
  })

  test('that fail before the start prevent it with a reason', async () => {
    const more = `pre_start = ['echo no such branch; exit 3']`
    await using world = await CityWorld.open(agent('mayor', WAITS, more))
    const { request_id } = await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const failed = await world.event('request.failed')
    expect(failed.payload).toMatchObject({
      request_id,
      error_code: 'create_failed',
      error_message: 'pre_start `echo no such branch; exit 3` ended with exit code 3: no such branch',
    })
    expect(await world.running()).toEqual([])
  })

  test('that hang are ended with their children and count as failed', async () => {
    const more = `pre_start = ['sleep 600 & sleep 600']`
    await using world = await CityWorld.open(`[session]\nsetup_timeout = "200ms"\n${agent('mayor', WAITS, more)}`)
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const failed = await world.event('request.failed')
    expect(failed.payload).toMatchObject({ error_message: 'pre_start `sleep 600 & sleep 600` was stopped after 0.2 s' })
  })

  test('that fail after the start are reported and leave the session running', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS, `session_setup = ['exit 4']`))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const event = await world.event('worker.operation', ({ payload }) => Object(payload).result === 'failed')
    expect(event.payload).toMatchObject({ error: 'session_setup `exit 4` ended with exit code 4' })
    expect(await world.running()).toHaveLength(1)
  })

  test('run when the city starts, and after a crash', async () => {
    const more = `on_boot = 'echo boot $GC_AGENT "$GC_HOME" "$(echo "$PATH" | cut -d: -f1)" >> $GC_CITY/notes'
on_death = 'echo death $GC_TEMPLATE $GC_SESSION_ID >> $GC_CITY/notes'`
    await using world = await CityWorld.open(agent('mayor', 'exit 3', more))
    const notes = world.folder.at('city', 'notes')
    await until(() => lines(notes).length > 0)
    const { home } = world.hosts
    expect(lines(notes)).toEqual([`boot mayor ${home} ${home}/bin`])
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const { session_id } = await world.event('session.crashed')
    await until(() => lines(notes).includes(`death mayor ${session_id}`))
  })
})

describe('a scale check', () => {
  test('starts as many sessions as it asks for, and a failure is reported once', async () => {
    const more = `max_active_sessions = 3\nscale_check = 'cat $GC_CITY/wanted'`
    await using world = await CityWorld.open(`[daemon]\npatrol_interval = "100ms"\n${agent('worker', WAITS, more)}`)
    await until(() => world.reports.length > 0)
    await Bun.write(world.folder.at('city', 'wanted'), '2\n')
    await world.event('session.woke')
    await world.event('session.woke')
    await world.city.reconciler.settle()
    expect(await world.running()).toHaveLength(2)
    expect(world.reports.filter((report) => report.includes('scale_check'))).toHaveLength(1)
  })
})

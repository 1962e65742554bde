import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openTown } from './town.ts'
import { worker } from './worker.ts'

setDefaultTimeout(120_000)

describe('OpenCode in a city', () => {
  test('is notified of its work, claims it, does it with its own tools, commits it and closes the bead', async () => {
    await using town = await openTown(worker)
    await town.gc('agent', 'add', 'web/worker', '--provider', 'opencode', '--prompt', 'You work on web.', '--min', '1')
    await town.model.until(({ user }) => user[0]?.includes('You work on web.') ?? false)
    const { bead_id: bead } = JSON.parse(await town.gc('sling', 'web/worker', 'Write hello.txt', '--json'))
    const { items } = JSON.parse(await town.gc('session', 'list', '--json'))
    expect(items).toMatchObject([{ template: 'web/worker', provider: 'opencode' }])
    expect(await town.gc('session', 'send', items[0].id, 'Check your hook and do the work.')).toContain('Delivered')
    const events = await town.events(({ type, subject }) => type === 'bead.closed' && subject === bead)
    await town.model.until(({ results }) => results.length === 3)
    expect(await town.run('git', 'log', '--format=%an %s')).toBe(`Worker Say hello (${bead})`)
    expect(await town.run('git', 'show', 'HEAD:hello.txt')).toBe(`made for ${bead}`)
    expect(events.filter(({ subject }) => subject === bead).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['bead.created', 'bead.updated', 'bead.closed']),
    )
    expect(town.model.strays).toEqual([])
  })

  test('is started by slung work, which it completes despite a crash of the supervisor', async () => {
    await using town = await openTown(worker)
    const release = town.model.hold()
    await town.gc('agent', 'add', 'web/worker', '--provider', 'opencode', '--prompt', 'Check your hook.')
    const { bead_id: bead } = JSON.parse(await town.gc('sling', 'web/worker', 'Write hello.txt', '--json'))
    await town.model.until(({ user }) => user[0]?.includes('Check your hook.') ?? false)
    await town.crash()
    release()
    const events = await town.events(({ type, subject }) => type === 'bead.closed' && subject === bead)
    expect(await town.run('git', 'log', '--format=%s')).toBe(`Say hello (${bead})`)
    expect(events.filter(({ type }) => type === 'session.woke')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'session.crashed')).toEqual([])
  })
})

import { describe, expect, test } from 'bun:test'
import type { TestCity } from '../support/world.ts'
import { data, open } from './sse.ts'
import { bead, towns } from './town.ts'

const openTown = towns()

const ROOT = { 'gc.kind': 'workflow', 'gc.workflow_id': 'release-7', 'gc.scope_kind': 'rig', 'gc.scope_ref': 'web' }

async function withRig() {
  const town = await openTown()
  const path = town.world.rigFolder(`${town.city.name}-web`)
  await town.city.call('POST ~/rigs', { body: { name: 'web', path, prefix: 'we' } })
  return town
}

/** The workflow frames in the stream of a city, in the order of the events. */
async function projections(city: TestCity, seq: number, count: number) {
  await using events = await open(city.world, `/v0/city/${city.name}/events/stream?after_seq=${seq}`)
  return (await events.until(count)).slice(0, count).map((frame) => data(frame).workflow)
}

describe('the workflow frame of a bead event', () => {
  test('describes what the event means for the workflow, when the bead was created, changed and closed', async () => {
    await using town = await withRig()
    const { city } = town
    const seq = await city.head()
    const root = await bead(city, 'root', { rig: 'web', metadata: ROOT })
    const metadata = {
      'gc.root_bead_id': ` ${root} `,
      'gc.kind': 'run',
      'gc.step_ref': 'build.attempt.2',
      'gc.logical_bead_id': 'we-9',
      'gc.scope_ref': 'body',
      'gc.attempt': '2',
      'gc.max_attempts': '3',
    }
    const step = await bead(city, 'step', { metadata })
    await city.call(`PATCH ~/bead/${step}`, { body: { title: 'Step' } })
    await city.call(`PATCH ~/bead/${step}`, { body: { status: 'closed', metadata: { 'gc.outcome': 'fail' } } })
    const [ofRoot, created, updated, closing, closed] = await projections(city, seq, 5)
    const place = {
      workflow_id: 'release-7',
      root_bead_id: root,
      root_store_ref: 'rig:web',
      scope_kind: 'rig',
      scope_ref: 'web',
    }
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const same = (at: number) => ({
      type: 'workflow:event',
      ...place,
      watch_generation: 'pending',
      event_seq: at,
      workflow_seq: at,
      event_ts: timestamp,
    })
    expect(ofRoot).toEqual({
      ...same(seq + 1),
      event_type: 'bead.created',
      bead: { id: root, title: 'root', status: 'pending', kind: 'workflow', scope_ref: 'web', metadata: ROOT },
      changed_fields: ['status', 'metadata'],
      logical_node_id: root,
    })
    const node = {
      id: step,
      title: 'step',
      status: 'pending',
      kind: 'run',
      step_ref: 'build.attempt.2',
      attempt: 2,
      logical_bead_id: 'we-9',
      scope_ref: 'body',
      metadata,
    }
    const attempts = { attempt_count: 2, active_attempt: 2, max_attempts: 3 }
    expect(created).toEqual({
      ...same(seq + 2),
      event_type: 'bead.created',
      bead: node,
      changed_fields: ['status', 'metadata'],
      logical_node_id: 'we-9',
      attempt_summary: attempts,
    })
    const changed = { event_type: 'bead.updated', changed_fields: ['snapshot'], requires_resync: true }
    expect(updated).toMatchObject({ ...changed, bead: { ...node, title: 'Step' }, attempt_summary: attempts })
    expect(closing).toMatchObject({ ...changed, bead: { status: 'failed' } })
    expect(closed).toMatchObject({ event_type: 'bead.closed', changed_fields: ['status'], bead: { status: 'failed' } })
    expect(closed).not.toHaveProperty('requires_resync')
  })

  test('is the same on the stream of all cities, live and replayed, and is not in lists', async () => {
    await using town = await openTown()
    const { city, world } = town
    await using all = await open(world, '/v0/events/stream')
    await using live = await open(world, `/v0/city/${city.name}/events/stream`)
    const seq = await city.head()
    const root = await bead(city, 'root', { metadata: { 'gc.kind': 'workflow' } })
    const place = {
      workflow_id: root,
      root_bead_id: root,
      root_store_ref: `city:${city.name}`,
      scope_kind: 'city',
      scope_ref: city.name,
    }
    const { workflow } = data((await live.until(1))[0])
    expect(workflow).toMatchObject(place)
    const everywhere = data((await all.until(1))[0])
    expect(everywhere).toMatchObject({ city: city.name, workflow })
    expect(await projections(city, seq, 1)).toEqual([workflow])
    for await (const frame of world.follow(`/v0/city/${city.name}/events/stream?after_seq=${seq}`)) {
      expect(frame.data.workflow).toEqual(workflow)
      break
    }
    for (const list of ['GET ~/events', `GET ~/bead/${root}/history`]) {
      const { items } = (await city.call(list)).body
      expect(items.some((event: object) => 'workflow' in event)).toBe(false)
    }
    const { items } = (await world.call('GET /v0/events')).body
    expect(items.some((event: object) => 'workflow' in event)).toBe(false)
  })

  test('is absent for an unknown workflow, and for other events', async () => {
    await using town = await openTown()
    const { city } = town
    const seq = await city.head()
    const plain = await bead(city, 'plain')
    await bead(city, 'lost', { metadata: { 'gc.root_bead_id': 'to-99' } })
    await bead(city, 'astray', { metadata: { 'gc.root_bead_id': plain } })
    await bead(city, 'named only', { metadata: { 'gc.workflow_id': 'x', 'gc.root_store_ref': 'city:town' } })
    const root = await bead(city, 'root', { metadata: { 'gc.kind': 'workflow' } })
    await city.call(`POST ~/bead/${root}/comments`, { body: { text: 'x' } })
    const projected = await projections(city, seq, 6)
    expect(projected.map((one) => one !== undefined)).toEqual([false, false, false, false, true, false])
  })
})

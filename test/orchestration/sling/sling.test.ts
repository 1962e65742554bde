import { describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/http/caller.ts'
import type { SlingInputBody, SlingText } from '../../../src/orchestration/runs/sling/schema.ts'
import { human, openWork } from '../../work/world.ts'

const TOML = `
[[rigs]]
name = "press"
path = "../press"
prefix = "pr"

[[rigs]]
name = "saw"
path = "../saw"
prefix = "sa"

[[agent]]
name = "mayor"
start_command = "true"
max_active_sessions = 1

[[agent]]
name = "hand"
dir = "press"
start_command = "true"
max_active_sessions = 3

[[agent]]
name = "idle"
dir = "press"
start_command = "true"
suspended = true
max_active_sessions = 2

[[agent]]
name = "formal"
start_command = "true"
default_sling_formula = "polish"

[[named_session]]
name = "ada"
template = "mayor"
`

async function openSling() {
  const work = await openWork({ toml: TOML })
  const { sling } = work
  return {
    ...work,
    /** A session of press/hand, as it calls. */
    hand: async (alias: string) => work.caller((await work.session(alias)).id),
    sling: (body: Partial<SlingInputBody>, caller: Caller = human) =>
      sling.sling(caller, { target: 'press/hand', ...body }),
    slingText: (body: SlingText) => sling.slingText(human, body),
  }
}

describe('a direct route', () => {
  test('routes the bead, tracks it in a convoy, and leaves the assignee to anyone who claims it', async () => {
    await using work = await openSling()
    const eve = await work.hand('eve')
    const { id } = await work.add({ title: 'a', rig: 'press' })
    work.recorded()
    expect(await work.sling({ bead: id, merge: 'mr', owned: true })).toEqual({
      status: 'slung',
      target: 'press/hand',
      mode: 'direct',
      bead: id,
    })
    expect(work.beadRepository.get(id).metadata).toEqual({ 'gc.routed_to': 'press/hand', merge_strategy: 'mr' })
    const [convoy] = work.convoys.list({}).value.items
    expect(convoy).toMatchObject({ title: `sling-${id}`, labels: ['owned'], id: 'pr-2' })
    expect(work.convoys.convoysOf(id)).toEqual(['pr-2'])
    expect(work.recorded()).toEqual([`bead.updated ${id}`, 'bead.created pr-2', 'convoy.created pr-2'])
    expect((await work.claims.next(eve)).bead_id).toBe(id)
  })

  test('changes and records nothing the second time', async () => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    await work.sling({ bead: id })
    work.recorded()
    expect(await work.sling({ bead: id })).not.toHaveProperty('warnings')
    expect(work.recorded()).toEqual([])
  })

  test('creates another convoy after the first was closed', async () => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    await work.sling({ bead: id })
    await work.convoys.close(human, 'pr-2')
    await work.sling({ bead: id })
    expect(work.convoys.convoysOf(id)).toEqual(['pr-3'])
  })

  test('creates no convoy with no_convoy', async () => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    work.recorded()
    await work.sling({ bead: id, no_convoy: true })
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
  })

  test('of assigned work warns; reassign takes it from its assignee', async () => {
    await using work = await openSling()
    const [eve, bob] = [await work.hand('eve'), await work.hand('bob')]
    const { id } = await work.add({ title: 'a', rig: 'press' })
    await work.claims.claim(eve, id)
    expect((await work.sling({ bead: id })).warnings).toEqual([
      `bead ${id} stays assigned to eve; reassign takes it away`,
    ])
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'in_progress', assignee: 'eve' })
    expect(await work.sling({ bead: id, reassign: true })).not.toHaveProperty('warnings')
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'open', metadata: { 'gc.routed_to': 'press/hand' } })
    await expect(work.beads.close(eve, id)).rejects.toMatchObject({ code: 'claim-lost' })
    expect((await work.claims.next(bob)).bead_id).toBe(id)
  })

  test('to a named session assigns the bead to it', async () => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a' })
    expect(await work.sling({ bead: id, target: 'ada' })).toMatchObject({ target: 'mayor' })
    expect(work.beadRepository.get(id)).toMatchObject({ assignee: 'ada', metadata: { 'gc.routed_to': 'mayor' } })
  })

  test('by a session is recorded under its name', async () => {
    await using work = await openSling()
    const eve = await work.hand('eve')
    const { id } = await work.add({ title: 'a', rig: 'press' })
    await work.sling({ bead: id }, eve)
    expect(work.last()).toMatchObject({ type: 'convoy.created', actor: 'eve' })
  })

  test('to a suspended agent warns, unless forced', async () => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    expect((await work.sling({ bead: id, target: 'press/idle' })).warnings).toEqual(['agent press/idle is suspended'])
    const other = await work.add({ title: 'b', rig: 'press' })
    expect(await work.sling({ bead: other.id, target: 'press/idle', force: true })).not.toHaveProperty('warnings')
  })
})

describe('the target', () => {
  test.each([
    [{ target: 'hand', rig: 'press' }, 'press/hand'],
    [{ target: 'mayor', rig: 'press', force: true }, 'mayor'],
    [{ target: 'press/hand-2' }, 'press/hand'],
    [{ target: 'hand-3', rig: 'press' }, 'press/hand'],
  ])('%o is %s', async (body, qualified) => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    expect((await work.sling({ bead: id, ...body })).target).toBe(qualified)
    expect(work.beadRepository.get(id).metadata?.['gc.routed_to']).toBe(qualified)
  })

  test.each([
    [{ target: 'nobody' }, 'agent-not-found'],
    [{ target: 'hand' }, 'agent-not-found'],
    [{ target: 'press/hand-4' }, 'agent-not-found'],
    [{ target: 'press/hand-x' }, 'agent-not-found'],
    [{ target: 'mayor-1' }, 'agent-not-found'],
    [{ target: ' ' }, 'invalid-request'],
    [{ target: 'hand', rig: 'nowhere' }, 'rig-not-found'],
  ])('%o is rejected: %s', async (body, code) => {
    await using work = await openSling()
    const { id } = await work.add({ title: 'a', rig: 'press' })
    work.recorded()
    await expect(work.sling({ bead: id, ...body })).rejects.toMatchObject({ code })
    expect(work.recorded()).toEqual([])
  })
})

describe('arguments', () => {
  test.each<[Partial<SlingInputBody>, string, string]>([
    [{}, 'invalid-request', 'a bead or a formula'],
    [{ bead: 'pr-1', formula: 'f' }, 'invalid-request', 'not both'],
    [{ bead: 'pr-1', attached_bead_id: 'pr-1' }, 'invalid-request', 'exclude'],
    [{ attached_bead_id: 'pr-1' }, 'invalid-request', 'a bead or a formula'],
    [{ bead: 'pr-1', title: 't' }, 'invalid-request', 'belong to a formula'],
    [{ bead: 'pr-1', vars: { a: 'b' } }, 'invalid-request', 'belong to a formula'],
    [{ formula: 'f', scope_kind: 'rig' }, 'invalid-request', 'go together'],
    [{ formula: 'f', scope_ref: 'press' }, 'invalid-request', 'go together'],
    [{ formula: 'f', scope_kind: 'world', scope_ref: 'x' }, 'invalid-request', 'city or rig'],
    [{ formula: 'f', scope_kind: 'city', scope_ref: 'x' }, 'scope-not-found', 'mill'],
    [{ formula: 'f', scope_kind: 'rig', scope_ref: 'saw' }, 'invalid-request', 'press'],
    [{ formula: 'f', target: 'mayor', scope_kind: 'rig', scope_ref: 'press' }, 'invalid-request', 'agent of that rig'],
    [{ formula: 'f', rig: 'saw', scope_kind: 'rig', scope_ref: 'press' }, 'invalid-request', 'different rigs'],
    [{ bead: 'pr-1', owned: true, no_convoy: true }, 'invalid-request', 'no_convoy'],
    [{ bead: 'pr-1', merge: 'squash' }, 'invalid-request', 'direct, mr or local'],
    [{ formula: 'f', no_formula: true }, 'invalid-request', 'no_formula'],
    [{ formula: 'f' }, 'invalid-request', 'formula "f" not found'],
    [{ formula: 'f', attached_bead_id: 'pr-1', vars: { a: 'b' } }, 'invalid-request', 'formula "f" not found'],
    [{ bead: 'pr-9' }, 'sling-missing-bead', 'pr-9'],
    [{ bead: 'pr-9', force: true }, 'sling-missing-bead', 'pr-9'],
    [{ bead: 'mi-1' }, 'sling-cross-rig', 'the city'],
    [{ bead: 'sa-1' }, 'sling-cross-rig', 'rig saw'],
    [{ bead: 'pr-2' }, 'conflict-wrong-state', 'closed'],
    [{ bead: 'pr-3' }, 'invalid-request', 'message'],
  ])('%o is rejected: %s', async (body, code, message) => {
    await using work = await openSling()
    await work.add({ title: 'a', rig: 'press' })
    await work.add({ title: 'closed', rig: 'press', status: 'closed' })
    await work.add({ title: 'mail', rig: 'press', type: 'message' })
    await work.add({ title: 'city' })
    await work.add({ title: 'saw', rig: 'saw' })
    work.recorded()
    await expect(work.sling(body)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
    expect(work.recorded()).toEqual([])
  })

  test('a cycle is rejected, and the error shows it; force overrides that and the rig', async () => {
    await using work = await openSling()
    const a = await work.add({ title: 'a' })
    const b = await work.add({ title: 'b', needs: [a.id] })
    await work.beads.depend(human, a.id, { depends_on_id: b.id, type: 'parent-child' })
    await expect(work.sling({ bead: a.id, target: 'mayor' })).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('mi-1 → mi-2 → mi-1'),
    })
    expect((await work.sling({ bead: a.id, force: true })).target).toBe('press/hand')
  })
})

describe('new work', () => {
  test('becomes a bead in the rig of the agent, slung in the same write', async () => {
    await using work = await openSling()
    const response = await work.slingText({ target: 'press/hand', title: 'press grapes', description: 'all' })
    expect(response).toMatchObject({ status: 'slung', target: 'press/hand', mode: 'direct', bead: 'pr-1' })
    expect(work.beadRepository.get('pr-1')).toMatchObject({
      title: 'press grapes',
      description: 'all',
      status: 'open',
      metadata: { 'gc.routed_to': 'press/hand' },
    })
    expect(work.recorded()).toEqual([
      'bead.created pr-1',
      'bead.updated pr-1',
      'bead.created pr-2',
      'convoy.created pr-2',
    ])
  })

  test('without a known target leaves nothing behind', async () => {
    await using work = await openSling()
    expect(work.slingText({ target: 'press/nobody', title: 'x' })).rejects.toMatchObject({ code: 'agent-not-found' })
    expect(work.slingText({ target: 'mayor', title: 'x', rig: 'none' })).rejects.toMatchObject({
      code: 'rig-not-found',
    })
    expect(work.beads.list({ all: true }).value.total).toBe(0)
    expect(work.recorded()).toEqual([])
  })
})

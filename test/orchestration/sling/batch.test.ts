import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { human } from '../../work/world.ts'
import { openLaunches, repeatableRequests } from './launch-world.ts'

type World = Awaited<ReturnType<typeof openLaunches>>

/** A convoy of two open beads and a closed one. */
async function convoy(work: World) {
  const ids = []
  for (const title of ['one', 'two', 'three']) ids.push((await work.add({ title })).id)
  const [one = '', two = '', three = ''] = ids
  await work.beads.close(human, three)
  const { id } = await work.convoys.create(human, { title: 'all', items: ids })
  work.recorded()
  return { id, one, two, three }
}

const batch = (work: World, id: string, more: object = {}) => work.slingConvoy({ convoy: id, target: 'pool', ...more })
const route = (work: World, id: string) => work.metadata(id)['gc.routed_to']

describe('a convoy that is slung', () => {
  test('routes its open beads, and a second time nothing', async () => {
    await using work = await openLaunches()
    const { id, one, two, three } = await convoy(work)
    expect(await batch(work, id)).toEqual({
      ...{ convoy_id: id, target: 'pool', total: 3, routed: 2, failed: 0, skipped: 1, idempotent: 0 },
      children: [
        { bead: one, outcome: 'routed' },
        { bead: two, outcome: 'routed' },
        { bead: three, outcome: 'skipped', reason: 'it is closed' },
      ],
    })
    expect(work.recorded()).toEqual([`bead.updated ${one}`, `bead.updated ${two}`])
    expect(await batch(work, id)).toMatchObject({ routed: 0, skipped: 3, idempotent: 2 })
    expect(work.recorded()).toEqual([])
  })

  test('routes the others when one cannot be', async () => {
    await using work = await openLaunches()
    const { id, one, two } = await convoy(work)
    const foreign = await work.add({ title: 'saw', rig: 'saw' })
    await work.convoys.addItems(human, id, [foreign.id]).catch(() => undefined)
    const result = await batch(work, id, { target: 'press/hand' })
    expect(result).toMatchObject({ routed: 0, failed: result.total - 1 })
    expect(result.children.find(({ bead }) => bead === one)?.reason).toContain('force overrides')
    expect(route(work, two)).toBeUndefined()
  })

  test('runs a molecule for each of its beads, and a graph once for all of them', async () => {
    await using work = await openLaunches()
    const { id, one, two } = await convoy(work)
    expect(await batch(work, id, { formula: 'bake', vars: { guests: '3' } })).toMatchObject({ routed: 2, failed: 0 })
    for (const bead of [one, two]) expect(work.metadata(bead).molecule_id).toBeDefined()
    const { run } = await batch(work, id, { formula: 'line' })
    expect(work.metadata(run?.run_id ?? '')['gc.input_convoy_id']).toBe(id)
    expect(work.slingSources.runs(id)).toMatchObject({ runs: [{ run_id: run?.run_id, status: 'pending' }] })
  })

  test('must be a convoy, with open beads; an epic is none', async () => {
    await using work = await openLaunches()
    const { id, one, two } = await convoy(work)
    const epic = await work.add({ title: 'epic', type: 'epic' })
    await expect(batch(work, one)).rejects.toThrow('not a convoy')
    await expect(work.sling({ bead: epic.id })).rejects.toThrow('is an epic')
    for (const bead of [one, two]) await work.beads.close(human, bead)
    await expect(batch(work, id)).rejects.toThrow('no open beads')
  })

  test('is slung by clients that only know beads as well', async () => {
    await using work = await openLaunches()
    const { id, one, three } = await convoy(work)
    expect(await work.sling({ bead: id })).toEqual({
      ...{ status: 'slung', target: 'pool', mode: 'direct', bead: id, warnings: [`${three}: it is closed`] },
    })
    expect(route(work, one)).toBe('pool')
  })
})

describe('two slings of the same at the same time', () => {
  test('make one run of a graph for a bead', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'one' })
    const launch = () => work.sling({ attached_bead_id: id, formula: 'line' })
    const results = await Promise.allSettled([launch(), launch(), launch()])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(work.slingSources.runs(id).runs).toHaveLength(1)
  })

  test('make one convoy for a bead that is routed', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'one' })
    await Promise.all([work.sling({ bead: id }), work.sling({ bead: id })])
    expect(work.convoys.convoysOf(id)).toHaveLength(1)
  })
})

describe('an agent with a sling_query', () => {
  const query = (line: string) => `
[[agent]]
name = "own"
start_command = "true"
suspended = true
sling_query = ${JSON.stringify(line)}
`

  test('takes a bead by that command, which gets its id', async () => {
    await using work = await openLaunches({}, query('printf "%s %s" {} "$GC_AGENT" > "$GC_CITY/taken"'))
    const { id } = await work.add({ title: 'one' })
    expect(await work.sling({ target: 'own', bead: id, merge: 'mr' })).toMatchObject({ status: 'slung' })
    expect(await Bun.file(`${work.town.path}/taken`).text()).toBe(`${id} own`)
    expect(work.metadata(id)).toMatchObject({ merge_strategy: 'mr' })
    expect(work.metadata(id)).not.toHaveProperty('gc.routed_to')
    expect(work.convoys.convoysOf(id)).toHaveLength(1)
  })

  test('leaves a bead as it was when the command fails', async () => {
    await using work = await openLaunches({}, query('echo "no room"; exit 3'))
    const { id } = await work.add({ title: 'one' })
    work.recorded()
    await expect(work.sling({ target: 'own', bead: id })).rejects.toThrow('exit code 3: no room')
    expect(work.recorded()).toEqual([])
  })

  test('is given a new bead in the write that saves the answer for a repeated request, or not at all', async () => {
    await using work = await openLaunches({}, query('true'))
    const { kept, keeps, refuses } = repeatableRequests()
    const response = await work.slingText({ target: 'own', title: 'new' }, keeps)
    expect(kept.at(-1)).toEqual(response)
    work.recorded()
    await expect(work.slingText({ target: 'own', title: 'newer' }, refuses)).rejects.toThrow('no room')
    expect(work.recorded().map((event) => event.split(' ')[0])).toEqual(['bead.created', 'bead.deleted'])
  })
})

describe('settings of a rig for its work', () => {
  test('is who gets beads that are slung to no one', async () => {
    await using work = await openLaunches()
    const one = await work.add({ title: 'one', rig: 'press' })
    const target = work.slingSources.defaultTarget(one.id)
    expect(target).toEqual({ bead_id: one.id, rig: 'press', target: 'press/hand' })
    const other = await work.add({ title: 'two' })
    expect(() => work.slingSources.defaultTarget(other.id)).toThrow(`gc sling <agent> ${other.id}`)
  })

  test('is the branch that it was cloned from, unless it declares one', async () => {
    const formula =
      'formula = "mol-scoped-work"\n[vars.base_branch]\n[[steps]]\nid = "a"\ntitle = "From {{base_branch}}"\n'
    await using work = await openLaunches({ 'mol-scoped-work': formula })
    const cloned = work.town.folder.at('saw')
    mkdirSync(`${cloned}/.git/refs/remotes/origin`, { recursive: true })
    writeFileSync(`${cloned}/.git/refs/remotes/origin/HEAD`, 'ref: refs/remotes/origin/develop\n')
    const titles = async (rig: string) => {
      const { id_mapping } = await work.cook('mol-scoped-work', { rig })
      return Object.values(id_mapping).map((id) => work.beadRepository.titleOf(id))
    }
    expect(await titles('saw')).toContain('From develop')
    expect(await titles('press')).toContain('From trunk')
  })
})

import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { openLaunches, repeatableRequests } from './launch-world.ts'

describe('a graph on its own', () => {
  test('is a run that begins, with its steps routed and its controls left to gc', async () => {
    await using work = await openLaunches()
    expect(await work.sling({ formula: 'line', vars: { topic: 'roads' }, title: 'Roads please' })).toEqual({
      ...{
        status: 'slung',
        target: 'pool',
        mode: 'standalone',
        formula: 'line',
        workflow_id: 'mi-1',
        root_bead_id: 'mi-1',
      },
      ...{ run: { run_id: 'mi-1', kind: 'sling', status: 'pending' }, warnings: ['agent pool is suspended'] },
    })
    expect(work.recorded()).toEqual([
      ...['mi-1', 'mi-2', 'mi-3', 'mi-4'].map((id) => `bead.created ${id}`),
      'run.changed mi-1',
    ])
    const [root, plan, build, finalize] = work.beadRepository.list(['mi-1', 'mi-2', 'mi-3', 'mi-4'])
    expect(root).toMatchObject({
      title: 'Roads please',
      status: 'in_progress',
      issue_type: 'task',
      priority: 2,
      ref: 'line',
    })
    expect(root?.metadata).toEqual({
      ...{ 'gc.formula_contract': 'graph.v2', 'gc.formula_name': 'line', 'gc.kind': 'workflow', 'gc.step_id': 'line' },
      'gc.formula_hash': expect.stringMatching(/^[0-9a-f]{64}$/),
      'gc.formula_source': `${work.town.path}/formulas/line.toml`,
      'gc.native_step_dependencies.v1': '["line.workflow-finalize"]',
      ...{ 'gc.root_store_ref': 'city:mill', 'gc.routed_to': 'pool', 'gc.var.topic': 'roads' },
    })
    const step = { 'gc.root_bead_id': 'mi-1', 'gc.root_store_ref': 'city:mill' }
    expect(plan).toMatchObject({ title: 'Plan roads', status: 'open', issue_type: 'task' })
    expect(plan?.metadata).toEqual({
      ...{ ...step, 'gc.step_id': 'line.plan', 'gc.step_ref': 'line.plan', 'gc.native_step_dependencies.v1': '[]' },
      ...{ 'gc.routed_to': 'pool', 'gc.continuation_group': 'pool-workflow', 'gc.session_affinity': 'require' },
    })
    expect(build).toMatchObject({ assignee: 'solo', is_blocked: true })
    expect(build?.metadata).toEqual({
      ...{ ...step, 'gc.step_id': 'line.build', 'gc.step_ref': 'line.build', 'gc.run_target': 'solo' },
      'gc.native_step_dependencies.v1': '["line.plan"]',
      ...{ 'gc.routed_to': 'solo', 'gc.session_name': 'solo' },
    })
    expect(finalize?.metadata).toMatchObject({
      ...{ 'gc.routed_to': 'core.control-dispatcher', 'gc.execution_routed_to': 'pool' },
    })
    expect(work.runs.get('mi-1')).toMatchObject({ formula: 'line', status: 'pending', target: 'pool' })
  })

  test('has the variables of its rig, unless the launch gives others', async () => {
    await using work = await openLaunches()
    const titleOf = async (body: object) => {
      const { root_id } = await work.cook('line', { rig: 'saw', ...body })
      return work.metadata(root_id)['gc.var.topic']
    }
    expect([await titleOf({}), await titleOf({ vars: { topic: 'roads' } })]).toEqual(['saws', 'roads'])
  })

  test('of a scope and a rig has both on its root, and its beads in the rig', async () => {
    await using work = await openLaunches()
    const body = { formula: 'line', target: 'hand', scope_kind: 'rig', scope_ref: 'press' }
    expect(await work.sling(body)).toMatchObject({ target: 'press/hand', workflow_id: 'pr-1' })
    expect(work.metadata('pr-1')).toMatchObject({
      ...{
        'gc.scope_kind': 'rig',
        'gc.scope_ref': 'press',
        'gc.root_store_ref': 'rig:press',
        'gc.var.rig_name': 'press',
      },
    })
    expect(work.runs.get('pr-1').scope).toEqual({ kind: 'rig', ref: 'press' })
  })

  test('continues with what it was compiled from when the file changes or goes', async () => {
    await using work = await openLaunches()
    await work.sling({ formula: 'line' })
    work.declare('line', 'broken')
    await work.beads.close(human, 'mi-2')
    await work.settled()
    await work.beads.close(human, 'mi-3')
    await work.settled()
    expect(work.runs.get('mi-1').status).toBe('completed')
  })

  test.each([
    [{ formula: 'aimed' }, 'convoy_id requires a targeted formulas v2 invocation'],
    [{ formula: 'line', vars: { convoy_id: 'x' } }, 'the variable "convoy_id" is given by gc'],
    [{ formula: 'line', vars: { issue: 'x' } }, 'the variable "issue" is given by gc'],
    [{ formula: 'lost' }, 'step lost.a is for nobody-here, and this city has no such agent'],
    [{ formula: 'named' }, 'step named.a is assigned to ann, which is not an open session'],
    [{ formula: 'open' }, 'unresolved variable(s)'],
    [{ formula: 'idle' }, 'no step of it is work for an agent'],
    [{ formula: 'bake', vars: { guests: '3' } }, 'which no session of the pool pool is offered'],
    [{ formula: 'bake', target: 'solo' }, 'variable "guests" is required'],
    [{ formula: 'bake', target: 'solo', vars: { guests: 'many' } }, 'does not match the pattern'],
    [{ formula: 'line', vars: { topic: 'x'.repeat(70_000) } }, '65536 is the most'],
  ])('%o is rejected, and nothing is recorded', async (body, message) => {
    const v2 = '[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\n'
    await using work = await openLaunches({
      lost: `formula = "lost"\n${v2}id = "a"\ntitle = "A"\nmetadata = { "gc.run_target" = "nobody-here" }\n`,
      named: `formula = "named"\n${v2}id = "a"\ntitle = "A"\nassignee = "ann"\n`,
      open: `formula = "open"\n${v2}id = "a"\ntitle = "A {{missing}}"\n`,
      idle: `formula = "idle"\n${v2}id = "a"\ntitle = "A"\nmetadata = { "gc.kind" = "scope", "gc.scope_role" = "body", "gc.scope_name" = "a" }\n`,
    })
    const rejected = expect(work.sling(body)).rejects
    await rejected.toMatchObject({ code: 'invalid-request', message: expect.stringContaining(message) })
    expect(work.recorded()).toEqual([])
  })
})

describe('a molecule', () => {
  test('to an agent with one session is routed with all that is in it', async () => {
    await using work = await openLaunches()
    const body = { formula: 'bake', target: 'solo', vars: { guests: '3' }, title: 'Cake for Ann' }
    expect(await work.sling(body)).toEqual({
      ...{ status: 'slung', target: 'solo', mode: 'standalone', formula: 'bake', root_bead_id: 'mi-1' },
      warnings: [
        'agent solo is suspended',
        expect.stringContaining('gc lists its steps and starts no session for them'),
      ],
    })
    const [root, mix, serve] = work.beadRepository.list(['mi-1', 'mi-2', 'mi-3'])
    expect(root).toMatchObject({ title: 'Cake for Ann', issue_type: 'molecule', status: 'open' })
    expect(root?.metadata).toMatchObject({ 'gc.var.title': 'Bake', 'gc.var.guests': '3', 'gc.routed_to': 'solo' })
    expect(mix).toMatchObject({ title: 'Mix for 3', issue_type: 'step', parent: 'mi-1' })
    expect(mix?.metadata).toMatchObject({ 'gc.routed_to': 'solo' })
    expect(serve).toMatchObject({ assignee: '3-person', parent: 'mi-1' })
    expect(work.runs.get('mi-1')).toMatchObject({ formula: 'bake', target: 'solo' })
  })

  test('that is a wisp is one bead for a pool, and no run', async () => {
    await using work = await openLaunches()
    await work.sling({ formula: 'tick' })
    expect(work.recorded()).toEqual(['bead.created mi-1'])
    expect(work.beadRepository.get('mi-1')).toMatchObject({ ephemeral: true, metadata: { 'gc.routed_to': 'pool' } })
    expect(work.runs.list().runs).toEqual([])
  })

  test('for a bead hangs on it, and the bead is routed; the next one takes its place', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'fix the roof', priority: 1 })
    const body = { formula: 'bake', vars: { guests: '3' }, attached_bead_id: id }
    expect(await work.sling(body)).toMatchObject({ mode: 'attached', root_bead_id: id, attached_bead_id: id })
    expect(work.metadata(id)).toEqual({ molecule_id: 'mi-2', 'gc.routed_to': 'pool' })
    expect(work.beadRepository.get('mi-2').metadata).toMatchObject({ 'gc.var.issue': id })
    expect(work.metadata('mi-3')).not.toHaveProperty('gc.routed_to')
    work.recorded()
    await work.sling({ ...body, formula: 'tick' })
    expect(work.metadata(id)).toMatchObject({ molecule_id: 'mi-6' })
    expect(work.beadRepository.list(['mi-2', 'mi-3', 'mi-4']).map(({ status }) => status)).toEqual([
      ...['closed', 'closed', 'closed'],
    ])
    await work.store.write((tx) => work.beadRepository.change(tx, id, { assignee: 'eve' }))
    await expect(work.sling(body)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
  })
})

describe('a graph for a bead', () => {
  test('has a convoy of it as its input, and the bead is taken out of the pool', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'mend the door', priority: 1, metadata: { 'gc.routed_to': 'pool' } })
    work.recorded()
    expect(await work.sling({ formula: 'aimed', attached_bead_id: id })).toMatchObject({
      ...{ mode: 'attached', workflow_id: 'mi-3', root_bead_id: 'mi-3', attached_bead_id: id },
    })
    expect(work.recorded()).toEqual([
      ...['bead.created mi-2', 'convoy.created mi-2', 'bead.created mi-3', 'bead.created mi-4', 'bead.created mi-5'],
      ...[`bead.updated ${id}`, 'run.changed mi-3'],
    ])
    expect(work.beadRepository.get('mi-2')).toMatchObject({
      ...{ issue_type: 'convoy', title: `input convoy for ${id}`, priority: 1, metadata: { 'gc.synthetic': 'true' } },
    })
    expect(work.beadRepository.get('mi-4')).toMatchObject({ title: `Do ${id}`, description: 'of mi-2' })
    expect(work.metadata('mi-3')).toMatchObject({
      ...{
        'gc.input_convoy_id': 'mi-2',
        'gc.var.convoy_id': 'mi-2',
        'gc.graphv2_root_key': expect.stringMatching(/^graphv2-root:mi-2:aimed:[0-9a-f]{16}:default$/),
      },
      'gc.graphv2_vars.v1': '{"binding_name":"","binding_prefix":"","rig_name":""}',
    })
    expect(work.metadata(id)).toEqual({ 'gc.execution_routed_to': 'pool' })
  })

  test('conflicts with one that continues, whatever its formula, and changes nothing', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'mend the door' })
    await work.sling({ formula: 'line', attached_bead_id: id })
    work.recorded()
    for (const formula of ['line', 'aimed']) {
      await expect(work.sling({ formula, attached_bead_id: id })).rejects.toMatchObject({
        code: 'sling-source-workflow-conflict',
        fieldErrors: [
          { location: 'body.source_bead_id', value: id },
          { location: 'body.blocking_workflow_ids', value: ['mi-3'] },
          { location: 'body.hint', value: `gc workflow delete-source ${id} --store-ref city:mill --apply` },
        ],
      })
    }
    expect(work.recorded()).toEqual([])
  })

  test('of two that are slung at the same time one begins', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'mend the door' })
    const body = { formula: 'line', attached_bead_id: id }
    const results = await Promise.allSettled([work.sling(body), work.sling(body)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(work.runs.list().runs).toHaveLength(1)
    expect(work.convoys.convoysOf(id)).toHaveLength(1)
  })

  test('by force begins beside another formula, and ends the same one', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'mend the door' })
    await work.sling({ formula: 'line', attached_bead_id: id })
    await work.sling({ formula: 'aimed', attached_bead_id: id, force: true })
    expect(work.runs.get('mi-3').status).toBe('pending')
    await work.sling({ formula: 'line', attached_bead_id: id, force: true })
    expect(work.metadata('mi-3')).toMatchObject({
      'gc.failure_reason': 'graphv2_force_replaced',
      'gc.outcome': 'canceled',
    })
    expect(work.runs.get('mi-3').status).toBe('canceled')
    expect(work.runs.census().status_counts).toMatchObject({ pending: 2, canceled: 1 })
  })

  test('has a convoy itself as its input, whose members lose their routes', async () => {
    await using work = await openLaunches()
    const member = await work.add({ title: 'a', metadata: { 'gc.routed_to': 'pool' } })
    const convoy = await work.convoys.create(human, { title: 'trip', items: [member.id] })
    await work.sling({ formula: 'aimed', attached_bead_id: convoy.id })
    expect(work.metadata('mi-3')).toMatchObject({ 'gc.input_convoy_id': convoy.id })
    expect(work.metadata(member.id)).toEqual({})
  })

  test('of 200 steps that conflicts leaves nothing behind', async () => {
    const steps = Array.from({ length: 200 }, (_, n) => `[[steps]]\nid = "s${n}"\ntitle = "S"\n`).join('')
    await using work = await openLaunches({
      long: `formula = "long"\n[requires]\nformula_compiler = ">=2.0.0"\n${steps}`,
    })
    const { id } = await work.add({ title: 'mend the door' })
    const body = { formula: 'long', attached_bead_id: id }
    const results = await Promise.allSettled([work.sling(body), work.sling(body)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(work.instantiator.pending()).toEqual([])
    expect(work.beads.list({ all: true }).value.total).toBe(1 + 1 + 202)
  })
})

describe('the default formula of an agent', () => {
  test('is run for a bead; slinging it again changes nothing', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'a', type: 'epic' })
    expect(await work.sling({ bead: id, target: 'formal' })).toEqual({
      ...{ status: 'slung', target: 'formal', mode: 'direct', bead: id },
    })
    expect(work.metadata(id)).toEqual({ 'gc.execution_routed_to': 'formal' })
    await work.settled()
    work.recorded()
    const again = await work.sling({ bead: id, target: 'formal' })
    expect(again.warnings).toEqual(['run mi-3 is already active for bead mi-1; force starts another'])
    expect(work.recorded()).toEqual([])
  })

  test('gets variables and a title, and is then shown', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'a', type: 'epic' })
    const body = { bead: id, target: 'formal', vars: { topic: 'roads' }, title: 'Roads' }
    expect(await work.sling(body)).toMatchObject({ mode: 'attached', workflow_id: 'mi-3', formula: 'line', bead: id })
    expect(work.beadRepository.get('mi-3').title).toBe('Roads')
  })

  test('is run for a new bead, which goes again when it cannot begin', async () => {
    await using work = await openLaunches()
    const { bead } = await work.slingText({ target: 'formal', title: 'new' })
    expect(work.metadata(bead ?? '')).toMatchObject({ 'gc.execution_routed_to': 'formal' })
    work.declare('line', 'broken')
    await expect(work.slingText({ target: 'formal', title: 'newer' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(work.beads.list({ all: true }).value.items.map(({ title }) => title)).not.toContain('newer')
  })

  test('is run for a new bead in the write that saves the answer for a repeated request, or not at all', async () => {
    await using work = await openLaunches()
    const { kept, keeps, refuses } = repeatableRequests()
    const response = await work.slingText({ target: 'formal', title: 'new' }, keeps)
    expect(kept.at(-1)).toEqual(response)
    await work.settled()
    const before = work.beads.list({ all: true }).value.items.map(({ id }) => id)
    work.recorded()
    await expect(work.slingText({ target: 'formal', title: 'newer' }, refuses)).rejects.toThrow('no room')
    expect(work.beads.list({ all: true }).value.items.map(({ id }) => id)).toEqual(before)
    expect(work.recorded().map((event) => event.split(' ')[0])).toEqual(['bead.created', 'bead.deleted'])
  })
})

test('variables are text: they never reach another field, nor a second substitution', async () => {
  await using work = await openLaunches()
  const topic = '{{ issue }} "; rm -rf / # \n[[steps]]'
  await work.sling({ formula: 'line', vars: { topic } })
  expect(work.beadRepository.get('mi-2').title).toBe(`Plan ${topic}`)
  expect(work.metadata('mi-1')['gc.var.topic']).toBe(topic)
})

test('a run that names another convoy for its drains is still the run of the bead it was launched for', async () => {
  await using work = await openLaunches()
  const { id } = await work.add({ title: 'a' })
  const other = await work.add({ title: 'b' })
  const { workflow_id: run = '' } = await work.sling({ formula: 'line', attached_bead_id: id })
  await work.beads.update(human, run, { metadata: { 'gc.input_convoy_id': other.id } })
  const again = work.sling({ formula: 'line', attached_bead_id: id })
  await expect(again).rejects.toMatchObject({ code: 'sling-source-workflow-conflict' })
})

describe('the check of a launch', () => {
  test('names unknown and missing variables, and writes nothing', async () => {
    await using work = await openLaunches()
    const { head } = work.log
    const check = (body: object) => work.check({ target: 'solo', ...body })
    expect(await check({ formula: 'line', vars: { topic: 'x' } })).toEqual({
      target: 'solo',
      formula: 'line',
      steps: 2,
    })
    const both = check({ formula: 'bake', vars: { gests: '3' } })
    await expect(both).rejects.toThrow(
      /unknown variable "gests"; did you mean "guests"\?\n {2}- variable "guests" is required/,
    )
    await expect(check({ formula: 'aimed' })).rejects.toThrow('convoy_id requires a targeted')
    expect(work.log.head).toBe(head)
  })

  test('is of a bead as well', async () => {
    await using work = await openLaunches()
    const { id } = await work.add({ title: 'a' })
    const { head } = work.log
    const { check } = work
    expect(await check({ formula: 'aimed', attached_bead_id: id })).toMatchObject({ bead: id, steps: 1 })
    expect(await check({ bead: id })).toEqual({ target: 'pool', bead: id })
    await expect(check({ bead: 'mi-99' })).rejects.toMatchObject({ code: 'sling-missing-bead' })
    expect(work.log.head).toBe(head)
  })
})

import { expect, test } from 'bun:test'
import { human } from '../work/world.ts'
import { openLaunches } from './sling/launch-world.ts'

test('a molecule closes with its last step, also with one below another, and says why', async () => {
  await using work = await openLaunches()
  const nested =
    'formula = "nested"\n[[steps]]\nid = "top"\ntitle = "Top"\n[[steps.children]]\nid = "low"\ntitle = "Low"\n'
  work.declare('nested', nested)
  await work.sling({ formula: 'nested', target: 'solo' })
  await work.beads.close(human, 'mi-2')
  await work.settled()
  expect(work.beadRepository.get('mi-1').status).toBe('open')
  work.recorded()
  await work.beads.close(human, 'mi-3')
  await work.settled()
  expect(work.beadRepository.get('mi-1')).toMatchObject({
    ...{ status: 'closed', metadata: { close_reason: 'every step of the molecule is closed' } },
  })
  expect(work.recorded()).toEqual([
    'bead.closed mi-3',
    'bead.closed mi-1',
    'molecule.resolved mi-1',
    'run.changed mi-1',
  ])
  expect(work.runs.get('mi-1').status).toBe('completed')
})

test('the end of a molecule is recorded with who closed its last step and the session that worked on that', async () => {
  await using work = await openLaunches()
  await work.cook('bake', { vars: { guests: '3' } })
  const { head } = work.log
  const resolved = () => work.log.after(head, 20).filter(({ type }) => type === 'molecule.resolved')
  await work.beads.close(human, 'mi-2')
  const session = { 'gc.session_id': 'mi-9', 'gc.session_name': 'solo', 'gc.work_dir': '/shop' }
  await work.beads.update(human, 'mi-3', { metadata: session })
  await work.beads.update(human, 'mi-3', { status: 'closed' })
  await work.settled()
  const { close_reason } = work.beadRepository.get('mi-1').metadata ?? {}
  expect(resolved().map(({ subject, payload }) => [subject, payload])).toEqual([
    [
      'mi-1',
      {
        ...{ issue_id: 'mi-1', from_status: 'open', to_status: 'closed', actor: 'human', close_reason },
        ...{ ts: expect.any(String), session_id: 'mi-9', session_name: 'solo', work_dir: '/shop' },
      },
    ],
  ])
  await work.beads.reopen(human, 'mi-1')
  await work.beads.close(human, 'mi-1')
  await work.settled()
  expect(resolved()).toHaveLength(1)
})

test('a formula is cooked for no one: routed nowhere, with the beads by their steps', async () => {
  await using work = await openLaunches()
  const vars = { guests: '3' }
  const cooked = await work.cook('bake', { vars, title: 'Cake', metadata: { own: 'x' } })
  expect(cooked).toEqual({
    ...{ formula: 'bake', mode: 'cook', root_id: 'mi-1', created: 3 },
    id_mapping: { bake: 'mi-1', 'bake.mix': 'mi-2', 'bake.serve': 'mi-3' },
  })
  expect(work.beadRepository.get('mi-1')).toMatchObject({ title: 'Cake', metadata: { own: 'x' } })
  for (const id of ['mi-1', 'mi-2']) expect(work.metadata(id)).not.toHaveProperty('gc.routed_to')
  expect(work.recorded()).toEqual(['bead.created mi-1', 'bead.created mi-2', 'bead.created mi-3', 'run.changed mi-1'])
})

test('cooks only the root of a formula on request, as bookkeeping rather than a run', async () => {
  await using work = await openLaunches()
  const cooked = await work.cook('bake', { vars: { guests: '3' }, root_only: true, ephemeral: true })
  expect(cooked.created).toBe(1)
  expect(work.beadRepository.get('mi-1')).toMatchObject({ issue_type: 'molecule', ephemeral: true, status: 'open' })
  expect(work.recorded()).toEqual(['bead.created mi-1'])
})

test('a molecule that is cooked for a bead hangs on it; a graph is not', async () => {
  await using work = await openLaunches()
  const { id } = await work.add({ title: 'a' })
  const cooked = await work.cook('tick', { attach: id })
  expect(cooked).toMatchObject({ mode: 'attach', attach_bead_id: id, root_id: 'mi-2' })
  expect(work.metadata(id)).toEqual({ molecule_id: 'mi-2' })
  work.recorded()
  const rejected = (formula: string, body: object) => expect(work.cook(formula, body)).rejects
  await rejected('line', { attach: id }).toMatchObject({ code: 'invalid-request' })
  await rejected('tick', { attach: 'mi-99' }).toMatchObject({ code: 'sling-missing-bead' })
  await rejected('tick', { rig: 'nowhere' }).toMatchObject({ code: 'invalid-request' })
  expect(work.recorded()).toEqual([])
})

test('a graph that is cooked continues as its steps are closed', async () => {
  await using work = await openLaunches()
  const { workflow_root_id: root = '' } = await work.cook('line', {})
  for (const id of ['mi-2', 'mi-3']) await work.beads.close(human, id)
  await work.settled()
  expect(work.runs.get(root).status).toBe('completed')
})

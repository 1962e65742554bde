import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { openLaunches } from '../sling/launch-world.ts'
import { GRAPH, openDrains } from './drains.ts'
import { close } from './graph.ts'

describe('a drain', () => {
  test('runs its formula for every member simultaneously, and passes when all of them have', async () => {
    await using work = await openDrains()
    const { control, root, convoy, members } = await work.drain('all', 2)
    const [first, second] = work.manifestOf(control).rows
    expect(work.manifestOf(control)).toEqual({
      ...{ version: 1, context: 'separate', parent_convoy_id: convoy, formula: 'unit' },
      rows: [0, 1].map((index) => ({
        ...{ index, member_id: members[index] ?? '', unit_key: `drain-unit:${control}:${index}:${members[index]}` },
        unit_convoy_id: expect.any(String),
        item_root_key: `drain-item-root:${control}:${index}:${members[index]}`,
        ...{ item_root_id: expect.any(String), status: 'wired' },
      })),
    })
    expect(work.metadata(control)).toMatchObject({
      ...{ 'gc.drain_state': 'expanded', 'gc.drain_count': '2', 'gc.drain_parent_convoy_id': convoy },
    })
    expect(work.convoys.get(first?.unit_convoy_id ?? '')).toMatchObject({
      convoy: {
        title: `drain unit 0 for ${members[0]}`,
        metadata: {
          ...{ 'gc.synthetic': 'true', 'gc.synthetic_kind': 'drain-unit-convoy', 'gc.parent_convoy_id': convoy },
          ...{ 'gc.drain_control_id': control, 'gc.drain_index': '0', 'gc.drain_count': '2' },
          ...{ 'gc.drain_member_id': members[0], 'gc.drain_unit_key': first?.unit_key },
        },
      },
      children: [{ id: members[0] }],
    })
    expect(work.metadata(first?.item_root_id ?? '')).toMatchObject({
      ...{ 'gc.kind': 'workflow', 'gc.formula_name': 'unit', 'gc.routed_to': 'pool', 'gc.drain_index': '0' },
      ...{ 'gc.input_convoy_id': first?.unit_convoy_id, 'gc.var.issue': members[0], 'gc.drain_member_access': 'read' },
      'gc.graphv2_root_key': expect.stringMatching(
        new RegExp(`^graphv2-root:${first?.unit_convoy_id}:unit:\\w+:drain=${control}:${members[0]}$`),
      ),
    })
    const ready = work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do')
    expect(ready.map(({ title }) => title).sort()).toEqual([
      `Do ${members[0]} of wood in ${first?.unit_convoy_id}`,
      `Do ${members[1]} of wood in ${second?.unit_convoy_id}`,
    ])
    expect(work.runs.get(first?.item_root_id ?? '')).toMatchObject({
      formula: 'unit',
      target: 'pool',
      status: 'pending',
    })
    expect(work.runs.get(root).status).toBe('pending')
    await work.finish(control, 0)
    expect(work.runs.get(root).status).toBe('pending')
    expect(work.beadRepository.get(control).status).toBe('open')
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['succeeded', 'wired'])
    work.recorded()
    await work.finish(control, 1)
    expect(work.recorded().filter((event) => !event.startsWith('bead.updated'))).toEqual([
      expect.stringMatching('bead.closed'),
      expect.stringMatching('run.changed'),
      `bead.closed ${second?.item_root_id}`,
      expect.stringMatching('bead.closed'),
      `run.changed ${second?.item_root_id}`,
      `bead.closed ${control}`,
      `bead.closed ${root}`,
      expect.stringMatching('bead.closed'),
      `run.changed ${root}`,
    ])
    expect(work.rowOf(control, 1)).toMatchObject({
      ...{ status: 'succeeded', outcome_kind: 'pass', outcome_bead_id: second?.item_root_id },
    })
    expect(work.metadata(control)).toMatchObject({ 'gc.drain_state': 'succeeded', 'gc.outcome': 'pass' })
    expect(work.runs.get(root).status).toBe('completed')
    expect(members.map((id) => work.beadRepository.get(id).status)).toEqual(['open', 'open'])
  })

  test('fails when the run for one member did, though the others continue', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('all', 2)
    await work.finish(control, 0, 'fail')
    await work.finish(control, 1)
    expect(work.rowOf(control, 0)).toMatchObject({
      ...{ status: 'failed', outcome_kind: 'fail', failure_reason: 'item_outcome_fail' },
    })
    expect(work.rowOf(control, 1)).toMatchObject({ status: 'succeeded' })
    expect(work.metadata(control)).toMatchObject({ 'gc.drain_state': 'failed', 'gc.outcome': 'fail' })
    expect(work.runs.get(root).status).toBe('failed')
  })

  test('says of which member the run failed first, and why', async () => {
    await using work = await openDrains()
    const { control, root, members } = await work.drain('all', 2)
    await work.finish(control, 1, 'fail', { 'gc.failure_reason': 'no glue' })
    await work.finish(control, 0)
    const { item_root_id } = work.rowOf(control, 1) ?? {}
    const { message } = work.runs.get(item_root_id ?? '').last_error ?? {}
    expect(message).toEndWith('failed: no glue')
    expect(work.runs.get(root).last_error).toEqual({
      code: 'fail',
      message: `step "Each member" failed: run ${item_root_id} for ${members[1]}: ${message}`,
    })
  })

  test('that is shared runs one member after the other, in one group, and skips the rest behind a failure', async () => {
    await using work = await openDrains()
    const { control, root, members } = await work.drain('lane', 3)
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['wired', 'pending', 'pending'])
    const [step] = work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do')
    expect(step?.metadata?.['gc.continuation_group']).toBe('lane')
    expect(members.map((id) => work.metadata(id)['gc.exclusive_drain_reservation'])).toEqual([
      control,
      control,
      control,
    ])
    await work.finish(control, 0)
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['succeeded', 'wired', 'pending'])
    await work.finish(control, 1, 'fail')
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'skipped'])
    expect(work.rowOf(control, 2)).toEqual({
      ...{ index: 2, member_id: members[2] ?? '', unit_key: `drain-unit:${control}:2:${members[2]}` },
      item_root_key: `drain-item-root:${control}:2:${members[2]}`,
      ...{ status: 'skipped', outcome_kind: 'skipped', failure_reason: 'previous_item_failed' },
    })
    expect(members.map((id) => work.metadata(id)['gc.exclusive_drain_reservation'])).toEqual(['', '', ''])
    expect(work.runs.get(root).status).toBe('failed')
  })

  test('that is shared continues behind a failure when its formula says so, and fails at its end', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('on', 2)
    await work.finish(control, 0, 'fail')
    await work.finish(control, 1)
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['failed', 'succeeded'])
    expect(work.runs.get(root).status).toBe('failed')
  })

  test('follows the dependencies between members: a run waits for those that its member waits for', async () => {
    await using work = await openDrains()
    const later = await work.add({ title: 'later' })
    const early = await work.add({ title: 'early' })
    await work.store.write((tx) => work.beadRepository.depend(tx, later.id, [early.id]))
    const convoy = (await work.convoys.create(human, { title: 'batch', items: [later.id, early.id] })).id
    const { control } = await work.start('all', convoy)
    expect(work.manifestOf(control).rows.map(({ member_id }) => member_id)).toEqual([early.id, later.id])
    const steps = () => work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do').length
    expect(steps()).toBe(1)
    await work.finish(control, 0)
    expect(steps()).toBe(1)
    await work.finish(control, 1)
    expect(work.metadata(control)['gc.drain_state']).toBe('succeeded')
  })

  test('passes immediately when its convoy is empty', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('all', 0)
    expect(work.metadata(control)).toMatchObject({ 'gc.outcome': 'pass', 'gc.drain_state': 'succeeded' })
    expect(work.runs.get(root).status).toBe('completed')
  })

  test('of more members than it takes fails before it begins, and says what to do', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('two', 3)
    expect(work.metadata(control)).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.failure_reason': 'limit_exceeded', 'gc.drain_state': 'failed' },
    })
    expect(work.runs.get(root).last_error?.message).toBe(
      'step "Each member" failed: the convoy has 3 members, and the drain takes 2 at most: split the convoy',
    )
  })

  test('of a convoy with a member that does not exist fails before it begins', async () => {
    await using work = await openDrains()
    const gone = await work.add({ title: 'gone' })
    const convoy = (await work.convoys.create(human, { title: 'batch', items: [gone.id] })).id
    await work.store.write((tx) => work.beadRepository.remove(tx, gone.id))
    const { control } = await work.start('all', convoy)
    expect(work.metadata(control)['gc.failure_reason']).toBe('unresolved_member')
  })

  test('that wants its members alone fails while another has one of them, which keeps it', async () => {
    await using work = await openDrains()
    const { control, members } = await work.drain('alone', 1)
    const convoy = (await work.convoys.create(human, { title: 'other', items: [members[0] ?? ''] })).id
    const second = await work.sling({ formula: 'alone', attached_bead_id: convoy, force: true })
    await work.settled()
    expect(work.runs.get(second.root_bead_id ?? '').last_error?.message).toContain(`is taken by drain ${control}`)
    expect(work.metadata(members[0] ?? '')['gc.exclusive_drain_reservation']).toBe(control)
    await work.finish(control, 0)
    expect(work.metadata(members[0] ?? '')['gc.exclusive_drain_reservation']).toBe('')
  })

  test('that wants its members alone has them before one that comes after it in the formula', async () => {
    await using work = await openDrains()
    const member = await work.add({ title: 'm' })
    const convoy = (await work.convoys.create(human, { title: 'batch', items: [member.id] })).id
    const { root } = await work.start('many', convoy)
    const open = [...work.runMembers.of(root)].filter(
      ({ ref, status }) => ref?.startsWith('many.d') && status === 'open',
    )
    expect(open.map(({ ref }) => ref)).toEqual(['many.d0'])
  })

  test('may be what a fan-out makes of an item', async () => {
    await using work = await openDrains()
    const { root } = await work.drain('fan', 2)
    const partOf = (end: string) => [...work.runMembers.of(root)].find(({ ref }) => ref?.endsWith(end))?.id ?? ''
    await close(work, partOf('.survey'), 'pass', { 'gc.output_json': '{"items":["a"]}' })
    const control = partOf('.item.1.each')
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['wired', 'wired'])
    await work.finish(control, 0)
    await work.finish(control, 1)
    expect(work.metadata(control)).toMatchObject({ 'gc.drain_state': 'succeeded', 'gc.outcome': 'pass' })
    expect(work.runs.get(root).status).toBe('completed')
  })

  test('is canceled with its run, and the runs of its members with it', async () => {
    await using work = await openDrains()
    const { control, root, members } = await work.drain('alone', 2)
    await work.runs.cancel(human, root)
    await work.settled()
    const items = work.manifestOf(control).rows.map(({ item_root_id = '' }) => work.runs.get(item_root_id).status)
    expect(items).toEqual(['canceled', 'canceled'])
    expect(work.metadata(members[1] ?? '')['gc.exclusive_drain_reservation']).toBe('')
  })

  test('does not wait for the run of a member that is removed: what had passed has, and what went on has failed', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('all', 3)
    const items = work.manifestOf(control).rows.map(({ item_root_id = '' }) => item_root_id)
    await work.finish(control, 0)
    await work.workflows.delete(human, items[0] ?? '', { delete: true })
    await work.settled()
    await work.workflows.delete(human, items[1] ?? '', {})
    await work.workflows.delete(human, items[1] ?? '', { delete: true })
    await work.settled()
    expect(work.beadRepository.get(control).status).toBe('open')
    await work.finish(control, 2)
    expect(work.manifestOf(control).rows.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded'])
    expect(work.runs.get(root).status).toBe('failed')
  })

  test('is only for a run that has a convoy', async () => {
    await using work = await openDrains()
    expect(work.sling({ formula: 'all' })).rejects.toThrow('name a bead or a convoy')
  })

  test('fails when its agent does not exist any more', async () => {
    await using work = await openDrains()
    const { control, root } = await work.drain('lane', 2)
    await work.store.write((tx) =>
      work.beadRepository.change(tx, control, { metadata: { 'gc.execution_routed_to': 'nobody' } }),
    )
    await work.finish(control, 0)
    expect(work.metadata(control)).toMatchObject({ 'gc.final_disposition': 'control_quarantined' })
    expect(work.runs.get(root).last_error?.message).toContain('agent nobody does not exist')
  })
})

test('a fan-out writes the values of variables into what it makes', async () => {
  const job = `formula = "job"\ntype = "expansion"\n${GRAPH}[vars.name]\ndefault = "x"\n[[template]]\nid = "{target}.do"\ntitle = "Do {name} for {{topic}}"\n`
  const fan = `formula = "fan"\n${GRAPH}[vars.topic]\ndefault = "roads"\n[[steps]]\nid = "survey"\ntitle = "Survey"\n[steps.on_complete]\nfor_each = "output.items"\nbond = "job"\nparallel = true\n[steps.on_complete.vars]\nname = "{item}"\n`
  await using work = await openLaunches({ job, fan })
  const { root_bead_id: root = '' } = await work.sling({ formula: 'fan' })
  await work.settled()
  const [survey] = [...work.runMembers.of(root)].filter(({ ref }) => ref === 'fan.survey')
  await close(work, survey?.id, 'pass', { 'gc.output_json': '{"items":["a"]}' })
  expect([...work.runMembers.of(root)].map(({ title }) => title)).toContain('Do a for roads')
})

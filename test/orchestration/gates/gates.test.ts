import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { City } from '../../../src/city/city.ts'
import type { GateCreate } from '../../../src/orchestration/gates/schema.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'
import { human, openWork } from '../../work/world.ts'

async function openGates() {
  const work = await openWork()
  const { gates, attention, clock } = work
  return {
    ...work,
    /** A bead, and a gate that blocks it. */
    async gated(gate: Omit<GateCreate, 'blocks'> = {}, title = 'deploy') {
      const { id } = await work.add({ title, rig: 'press', type: 'epic' })
      const created = await gates.create(human, { blocks: id, ...gate })
      return { id, gate: created.id }
    },
    /** Gates that ask people, once announced. */
    async asked() {
      await clock.advance(1000)
      await attention.whenIdle()
      return attention.list().items.filter(({ kind }) => kind === 'gate')
    },
  }
}

test('a gate is created together with what it blocks, in its rig, and closing it lets the bead continue', async () => {
  await using work = await openGates()
  const { id } = await work.add({ title: 'deploy', rig: 'press' })
  work.recorded()
  const gate = await work.gates.create(human, { blocks: id, reason: 'Ann agrees' })
  expect(gate).toMatchObject({ issue_type: 'gate', title: 'Ann agrees', ephemeral: true, id: 'pr-2' })
  expect(gate.metadata).toEqual({ await_type: 'human' })
  expect(work.recorded()).toEqual([`bead.created ${gate.id}`, `bead.updated ${id}`])
  expect(work.beadRepository.get(id).is_blocked).toBe(true)
  await work.beads.close(human, gate.id)
  expect(work.beadRepository.get(id).is_blocked).toBe(false)
})

test('a gate that lacks what it waits for is rejected, and nothing is recorded', async () => {
  await using work = await openGates()
  const { id } = await work.add({ title: 'deploy', type: 'epic' })
  work.recorded()
  const rejected = (body: GateCreate) => expect(work.gates.create(human, body)).rejects
  await rejected({ blocks: id, type: 'gh:pr' }).toMatchObject({ code: 'invalid-request' })
  await rejected({ blocks: id, type: 'timer' }).toMatchObject({ code: 'invalid-request' })
  await rejected({ blocks: 'mi-99' }).toMatchObject({ code: 'bead-not-found' })
  expect(work.recorded()).toEqual([])
})

test('a timer resolves itself when it is due, also when it came due while nothing ran', async () => {
  const town = scriptedTown()
  await using _ = town
  const first = await town.open()
  const { id } = await first.beads.create(human, { title: 'deploy' })
  const [soon, later] = await Promise.all(
    [60_000, 600_000].map((timeout_ms) => first.gates.create(human, { blocks: id, type: 'timer', timeout_ms })),
  )
  const { head } = first.log
  await town.clock.advance(59_000)
  expect(first.log.after(head, 10)).toEqual([])
  await town.clock.advance(1_000)
  await first.store.write(() => {})
  const [closed, ...others] = first.log.after(head, 10)
  expect(closed).toMatchObject({ type: 'bead.closed', subject: soon?.id, actor: 'gc/gates' })
  expect(others).toEqual([])
  await first.close({ endSessions: false })
  await town.clock.advance(600_000)
  const second = await town.open()
  await town.clock.advance(0)
  await second.store.write(() => {})
  expect(second.beadRepository.get(later?.id ?? '').metadata).toMatchObject({ close_reason: 'the time has come' })
})

test('a person is asked once nothing but gates holds the bead up, and no more once the gate is resolved', async () => {
  await using work = await openGates()
  const { id, gate } = await work.gated({ reason: 'Ann agrees', description: 'Read the plan first.' })
  const build = await work.add({ title: 'build', type: 'epic' })
  await work.store.write((tx) => work.beadRepository.depend(tx, id, [build.id]))
  expect(await work.asked()).toEqual([])
  const second = await work.gates.create(human, { blocks: id, reason: 'Bob agrees' })
  await work.beads.close(human, build.id)
  expect(await work.asked()).toMatchObject([
    {
      ...{ id: `gate:${gate}`, bead_id: id, to_do: `bd gate resolve ${gate}`, text: 'Read the plan first.' },
      asks: `Bead ${id} (deploy) waits for gate ${gate}: Ann agrees`,
    },
    { id: `gate:${second.id}` },
  ])
  await work.beads.close(human, gate)
  expect((await work.asked()).map((item) => item.id)).toEqual([`gate:${second.id}`])
  await work.beads.close(human, second.id)
  expect(await work.asked()).toEqual([])
})

test('lists the first hundred of many gates, and the number of the others', async () => {
  await using work = await openGates()
  await work.store.write((tx) => {
    for (let n = 0; n < 103; n++) work.beadRepository.add(tx, { title: `ask ${n}`, type: 'gate' })
  })
  const items = await work.asked()
  expect(items).toHaveLength(101)
  expect(items.find((item) => item.id === 'gate:more')?.asks).toBe('3 more gates wait for a person.')
})

test('a check resolves the timers that are due, or with dry_run only lists them', async () => {
  await using work = await openGates()
  const { gate } = await work.gated({ type: 'timer', timeout_ms: 60_000 })
  const { gate: asking } = await work.gated()
  expect(await work.gates.check(human, { type: 'timer' })).toEqual({
    ...{ checked: 1, resolved: [], failed: [], waiting: [gate] },
  })
  expect((await work.gates.check(human, {})).waiting).toEqual([gate, asking])
})

/** A city whose `gh` prints what `answer` says and records its arguments. */
async function openWithGitHub(): Promise<
  AsyncDisposable & {
    city: City
    answer(json: string): void
    calls(): string
    advance(ms: number): Promise<void>
  }
> {
  const town = scriptedTown()
  const home = town.folder.at('home')
  const bin = `${home}/.local/bin`
  mkdirSync(bin, { recursive: true })
  writeFileSync(`${bin}/gh`, `#!/bin/sh\necho "$@" >> ${home}/calls\ncat ${home}/answer\n`)
  writeFileSync(`${home}/calls`, '')
  chmodSync(`${bin}/gh`, 0o755)
  const city = await town.open({ env: { HOME: home, PATH: `${bin}:/usr/bin:/bin` } })
  return {
    city,
    answer: (json) => writeFileSync(`${home}/answer`, json),
    calls: () => readFileSync(`${home}/calls`, 'utf8'),
    advance: (ms) => town.clock.advance(ms),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

test('GitHub resolves a gate when the run succeeded or the pull request is merged; another end needs a person', async () => {
  await using world = await openWithGitHub()
  const { gates, beads, beadRepository, attention } = world.city
  const { id } = await beads.create(human, { title: 'deploy', type: 'epic' })
  const gate = async (type: 'gh:run' | 'gh:pr', await_id: string) =>
    (await gates.create(human, { blocks: id, type, await_id })).id
  const check = async (json: string, type: string) => {
    world.answer(json)
    return gates.check(human, { type })
  }
  const [run, pull] = [await gate('gh:run', '4711'), await gate('gh:pr', '12')]
  expect((await check('{"status":"in_progress","conclusion":""}', 'gh:run')).waiting).toEqual([run])
  expect((await check('{"state":"CLOSED"}', 'gh:pr')).failed).toEqual([
    { id: pull, reason: 'pull request 12 was closed and not merged' },
  ])
  await world.advance(1000)
  expect(attention.list().items.find((item) => item.id === `gate:${pull}`)?.asks).toContain('was closed and not merged')
  expect((await check('{"status":"completed","conclusion":"success"}', 'gh:run')).resolved).toMatchObject([{ id: run }])
  expect((await check('{"state":"MERGED"}', 'gh')).resolved).toMatchObject([{ id: pull }])
  expect(beadRepository.get(pull)).toMatchObject({ status: 'closed' })
  expect(world.calls()).toContain('run view 4711 --json status,conclusion\npr view 12 --json state\n')
})

test('the condition of a GitHub gate is never passed as an option of gh', async () => {
  await using world = await openWithGitHub()
  world.answer('{"state":"MERGED"}')
  const { gates, beads } = world.city
  const { id } = await beads.create(human, { title: 'deploy', type: 'epic' })
  const gate = await gates.create(human, { blocks: id, type: 'gh:pr', await_id: '--web' })
  expect((await gates.check(human, {})).failed).toMatchObject([{ id: gate.id }])
  expect(world.calls()).toBe('')
})

test('GitHub is asked once a minute until the time limit, and not at all without one', async () => {
  await using world = await openWithGitHub()
  world.answer('{"state":"OPEN"}')
  const { gates, beads } = world.city
  const { id } = await beads.create(human, { title: 'deploy', type: 'epic' })
  await gates.create(human, { blocks: id, type: 'gh:pr', await_id: '1' })
  const { id: limited } = await gates.create(human, { blocks: id, type: 'gh:pr', await_id: '2', timeout_ms: 90_000 })
  await world.advance(60_000)
  await until(() => world.calls() !== '')
  await world.advance(300_000)
  expect(world.calls()).toBe('pr view 2 --json state\n')
  expect(gates.open.find(limited)).toBeDefined()
})

test('GitHub is not asked while the city is suspended, unless a person does', async () => {
  await using world = await openWithGitHub()
  world.answer('{"state":"OPEN"}')
  const { gates, beads, status } = world.city
  const { id } = await beads.create(human, { title: 'deploy', type: 'epic' })
  await gates.create(human, { blocks: id, type: 'gh:pr', await_id: '2', timeout_ms: 600_000 })
  await status.change(human, { suspended: true })
  await world.advance(120_000)
  expect(world.calls()).toBe('')
  expect((await gates.check(human, {})).waiting).toHaveLength(1)
  expect(world.calls()).toBe('pr view 2 --json state\n')
  await status.change(human, { suspended: false })
  await world.advance(60_000)
  await until(() => world.calls() === 'pr view 2 --json state\n'.repeat(2))
})

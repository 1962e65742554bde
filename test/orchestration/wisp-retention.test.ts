import { expect, test } from 'bun:test'
import { human, openWork, type Work } from '../work/world.ts'

const MINUTE = 60_000

const open = () => openWork({ toml: '[daemon]\nwisp_ttl = "10m"\n' })

async function wisp(work: Work, steps = 0): Promise<string> {
  const root = await work.add({ title: 'patrol', type: steps > 0 ? 'molecule' : 'task', ephemeral: true })
  for (let n = 0; n < steps; n++) await work.add({ title: `s${n}`, type: 'step', parent: root.id, ephemeral: true })
  return root.id
}

test('a wisp is removed some time after it was closed, with what lies under it, and nothing else is', async () => {
  await using work = await open()
  const [closed, going, late] = [await wisp(work, 2), await wisp(work), await wisp(work)]
  const kept = await work.add({ title: 'work' })
  for (const id of [kept.id, 'mi-2', 'mi-3', closed]) await work.beads.close(human, id)
  await work.settled()
  await work.clock.advance(9 * MINUTE)
  await work.beads.close(human, late)
  await work.wispRetention.run()
  work.recorded()
  await work.clock.advance(2 * MINUTE)
  await work.wispRetention.run()
  await work.settled()
  expect(work.recorded()).toEqual(['bead.deleted mi-2', 'bead.deleted mi-3', `bead.deleted ${closed}`])
  expect([going, late, kept.id].map((id) => work.beadRepository.find(id)?.status)).toEqual(['open', 'closed', 'closed'])
  expect(() => work.runs.get(closed)).toThrow('does not exist')
})

test('a wisp stays as long as something open waits for it or tracks it', async () => {
  await using work = await open()
  const gate = await wisp(work)
  const waiting = await work.add({ title: 'waits', needs: [gate] })
  await work.beads.close(human, gate)
  await work.clock.advance(11 * MINUTE)
  await work.wispRetention.run()
  expect(work.beadRepository.find(gate)).toBeDefined()
  await work.beads.close(human, waiting.id)
  await work.wispRetention.run()
  expect(work.beadRepository.find(gate)).toBeUndefined()
})

test('very many wisps are removed in slices, on their own', async () => {
  await using work = await open()
  const ids = await work.store.write((tx) =>
    Array.from({ length: 35 }, () => work.beadRepository.add(tx, { title: 'w', ephemeral: true, status: 'closed' }).id),
  )
  await work.clock.advance(11 * MINUTE)
  await work.wispRetention.run()
  expect(work.beadRepository.list(ids)).toEqual([])
})

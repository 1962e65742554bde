import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { query } from '../../../src/core/store/index.ts'
import { BEAD_LIMITS } from '../../../src/work/beads/limits.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { human, openWork, type Work } from '../world.ts'

const MB = BEAD_LIMITS.output
/** An output of exactly so many bytes, which has everything in it that JSON escapes. */
const output = (bytes: number): string => {
  const head = '{"items":["é\\n\u2028"],"text":"'
  return `${head}${'x'.repeat(bytes - Buffer.byteLength(head) - 2)}"}`
}
const stored = (work: Work) => work.store.get(query<{ n: number }>('SELECT count(*) AS n FROM bead_outputs'))?.n
const outputOf = ({ metadata }: Bead) => metadata?.['gc.output_json']

test('the output of a step may have 1 MB and is read back whole, wherever beads are shown', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey', metadata: { plan: 'a' } })
  const long = output(MB)
  await work.beads.update(human, id, { metadata: { 'gc.output_json': long, note: 'b' } })
  expect(work.beadRepository.get(id).metadata).toEqual({ plan: 'a', 'gc.output_json': long, note: 'b' })
  expect(outputOf(work.beads.show(id).value)).toBe(long)
  expect(work.beads.list({}).value.items.map(outputOf)).toEqual([long])
  expect(outputOf(work.beads.graph(id).value.root)).toBe(long)
  expect(work.recorded()).toEqual([`bead.created ${id}`, `bead.updated ${id}`])
})

test('other changes of a bead leave its output alone, and another output replaces it', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey', metadata: { 'gc.output_json': output(MB) } })
  await work.beads.update(human, id, { title: 'inspect', metadata: { note: 'b' } })
  expect(work.beadRepository.get(id)).toMatchObject({ title: 'inspect', metadata: { 'gc.output_json': output(MB) } })
  await work.beads.update(human, id, { metadata: { 'gc.output_json': '{}' } })
  expect(work.beads.show(id).value.metadata).toEqual({ 'gc.output_json': '{}', note: 'b' })
  await work.store.write((tx) => work.beadRepository.change(tx, id, { metadata: { 'gc.output_json': null } }))
  expect(work.beads.show(id).value.metadata).toEqual({ note: 'b' })
  expect(stored(work)).toBe(0)
})

test('an output is gone with its bead', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey', metadata: { 'gc.output_json': '{"a":1}' } })
  expect(stored(work)).toBe(1)
  await work.store.write((tx) => work.beadRepository.remove(tx, id))
  expect(stored(work)).toBe(0)
})

test('more than 1 MB is rejected with what to do instead, and nothing changes', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey' })
  work.recorded()
  const metadata = { 'gc.output_json': output(MB + 1) }
  await expect(work.beads.update(human, id, { metadata })).rejects.toMatchObject({
    code: 'validation-failed',
    message: 'metadata has more than 1 MB in gc.output_json: hand on the path of a file instead',
  })
  await expect(work.beads.create(human, { title: 'x', metadata })).rejects.toMatchObject({ code: 'validation-failed' })
  await expect(
    work.beads.update(human, id, { metadata: { 'gc.output_json': '{}', note: 'x'.repeat(BEAD_LIMITS.metadata) } }),
  ).rejects.toMatchObject({ message: 'metadata is too long: at most 64 KB in all' })
  expect(work.beadRepository.get(id).metadata).toBeUndefined()
  expect(work.recorded()).toEqual([])
})

test('events have an output of up to 64 KB, and the rest of the bead beside a longer one', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey' })
  const outputs: unknown[] = []
  for (const bytes of [BEAD_LIMITS.metadata, BEAD_LIMITS.metadata + 1]) {
    await work.beads.update(human, id, { metadata: { 'gc.output_json': output(bytes), note: `${bytes}` } })
    const { bead } = Object(work.last()?.payload) as { bead: Bead }
    outputs.push([bead.metadata?.note, outputOf(bead)?.length])
  }
  expect(outputs).toEqual([
    [`${BEAD_LIMITS.metadata}`, output(BEAD_LIMITS.metadata).length],
    [`${BEAD_LIMITS.metadata + 1}`, undefined],
  ])
})

test('a change of nothing but the output is read from then on, by those who read the bead before as well', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'survey', metadata: { 'gc.output_json': '{"a":1}' } })
  expect(outputOf(work.beads.show(id).value)).toBe('{"a":1}')
  await work.beads.update(human, id, { metadata: { 'gc.output_json': '{"a":2}' } })
  expect(outputOf(work.beads.show(id).value)).toBe('{"a":2}')
})

test('outputs come with beads that are exported and imported, in small files and in large ones', async () => {
  await using from = await openWork()
  await from.add({ title: 'small', metadata: { 'gc.output_json': '{"a":1}', plan: 'a' } })
  const small = await new Response(from.transfer.export()).bytes()
  await from.add({ title: 'large', metadata: { plan: 'b', 'gc.output_json': output(MB) } })
  const large = await new Response(from.transfer.export()).bytes()
  for (const bytes of [small, large]) {
    await using to = await openWork()
    const signal = new AbortController().signal
    await to.transfer.import(human, bytes.slice(), signal)
    expect(await new Response(to.transfer.export()).bytes()).toEqual(bytes)
    expect(await to.transfer.import(human, bytes.slice(), signal)).toMatchObject({ created: 0, updated: 0 })
  }
  const line = { id: 'mi-9', title: 'x', created_at: '2026-01-05T09:00:00Z', metadata: {} }
  const tooLong = { ...line, metadata: { 'gc.output_json': output(MB + 1) } }
  const bytes = new TextEncoder().encode(JSON.stringify(tooLong))
  await expect(from.transfer.import(human, bytes, new AbortController().signal)).rejects.toMatchObject({
    message: 'line 1 has more than 1 MB in gc.output_json',
  })
})

const FORMULA = `formula = "wide"
requires = { formula_compiler = ">=2.0.0" }
[[steps]]
id = "survey"
title = "Survey"
[steps.on_complete]
for_each = "output.items"
bond = "job"
vars = { name = "{item.name}" }
[[steps]]
id = "sum"
title = "Sum up"
[steps.retry]
max_attempts = 2
`
const JOB = `formula = "job"
type = "expansion"
requires = { formula_compiler = ">=2.0.0" }
[[template]]
id = "{target}.do"
title = "Do {name}"
`

test('a long output of an attempt becomes that of its step, and one of a step is fanned out', async () => {
  await using work = await openWork()
  const folder = join(work.town.path, 'formulas')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'wide.toml'), FORMULA)
  writeFileSync(join(folder, 'job.toml'), JOB)
  const { root_bead_id: root = '' } = await work.sling.sling(human, { formula: 'wide', target: 'clerk' })
  await work.settled()
  const find = (ref: string) => [...work.runMembers.of(root)].find((bead) => bead.ref === `wide.${ref}`)
  const long = `{"items":[{"name":"gears"},{"name":"belt"}],"text":"${'x'.repeat(900_000)}"}`
  const metadata = { 'gc.outcome': 'pass', 'gc.output_json': long }
  for (const ref of ['survey', 'sum.attempt.1']) {
    await work.beads.update(human, find(ref)?.id ?? '', { status: 'closed', metadata })
  }
  await work.settled()
  expect(find('sum')?.metadata?.['gc.output_json']).toBe(long)
  const titles = [...work.runMembers.of(root)].map(({ title }) => title)
  expect(titles.filter((title) => title.startsWith('Do '))).toEqual(['Do gears', 'Do belt'])
})

import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'solo', '--command', 'true', '--max', '1'])
  mkdirSync(`${town.city}/formulas`, { recursive: true })
  const requires = '[requires]\nformula_compiler = ">=2.0.0"\n'
  const step = '[[steps]]\nid = "plan"\ntitle = "Plan {{topic}}"\n[vars.topic]\nrequired = true\n'
  writeFileSync(`${town.city}/formulas/line.toml`, `formula = "line"\n${requires}${step}`)
  await town.gc(['reload'])
})

const agent = async (): Promise<string> => {
  const { items } = await town.json<{ items: { name: string }[] }>(['agent', 'list'])
  return items[0]?.name ?? ''
}

test('gc sling --dry-run compiles the formula with its variables, and makes nothing', async () => {
  const name = await agent()
  const dry = (...more: string[]) => town.gc(['sling', name, 'line', '--formula', '--dry-run', ...more])
  expect((await dry('--var', 'topic=roads')).out).toBe(`Formula line, of 1 steps, would go to ${name}.\n`)
  expect(await dry()).toMatchObject({ status: 1, err: expect.stringContaining('topic') })
  const typo = 'unknown variable "topik"; did you mean "topic"?'
  for (const options of [['--dry-run'], []]) {
    const run = town.gc(['sling', name, 'line', '--formula', '--var', 'topic=x', '--var', 'topik=y', ...options])
    expect(await run).toMatchObject({ status: 1, err: expect.stringContaining(typo) })
  }
  expect(await town.gc(['sling', name, 'nothing', '--formula', '--dry-run'])).toMatchObject({ status: 1 })
  expect((await town.gc(['run', 'list'])).out).toContain('There are no runs')
})

test('gc workflow ends the runs of a bead, and opens the bead for another', async () => {
  const name = await agent()
  const { id } = await town.bead('roads')
  const launch = () => town.gc(['sling', name, id, '--on', 'line', '--var', 'topic=roads'])
  expect(await launch()).toMatchObject({ status: 0 })
  expect(await launch()).toMatchObject({ status: 3, err: expect.stringContaining('gc workflow delete-source') })
  expect((await town.gc(['workflow', 'delete-source', id])).out).toContain('--apply')
  expect((await town.gc(['workflow', 'reopen-source', id])).err).toContain('delete-source')
  const applied = await town.json<{ workflows: { closed: number }[] }>(['convoy', 'delete-source', id, '--apply'])
  expect(applied).toMatchObject({ ok: true, applied: true, workflows: [{ closed: 3 }] })
  expect((await town.gc(['workflow', 'delete-source', id, '--apply'])).out).toBe(`No run is active for ${id}.\n`)
  expect(await town.json(['workflow', 'reopen-source', id])).toMatchObject({ reopened: true, status: 'open' })
  expect(await launch()).toMatchObject({ status: 0 })
  expect((await town.gc(['workflow', 'control', '--serve'])).out).toContain('nothing to do')
})

test('gc sling gives the beads of a convoy to an agent, and a bead alone to no one without a default', async () => {
  const name = await agent()
  const { id } = await town.bead('one')
  const { convoy_id } = await town.json<{ convoy_id: string }>(['convoy', 'create', 'both', id])
  expect((await town.gc(['sling', name, convoy_id])).out).toBe(
    `1 of 1 beads of ${convoy_id} go to ${name}; 0 were left alone.\n`,
  )
  expect(await town.json(['sling', name, convoy_id])).toMatchObject({
    batch: { container_type: 'convoy', total: 1, routed: 0, skipped: 1, idempotent: 1 },
  })
  expect(await town.gc(['sling', id])).toMatchObject({
    status: 1,
    err: expect.stringContaining(`gc sling <agent> ${id}`),
  })
})

import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600', '--max', '3'])
})

test('events are selected by values of their payload', async () => {
  const { id } = await town.bead('Selected')
  await town.bead('Other')
  const { out } = await town.gc(['events', '--payload-match', 'bead.title=Selected', '--json'])
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).subject),
  ).toEqual([id])
  expect((await town.gc(['events', '--payload-match', 'title'])).status).toBe(2)
})

test('the skills of an agent are those that it is given, with the name of its pack', async () => {
  const skill = join(town.city, 'skills', 'oil')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '# Oil\n')
  writeFileSync(join(town.city, 'pack.toml'), '[pack]\nname = "town"\nschema = 2\n')
  const listed = await town.json<{ entries: object[] }>(['skill', 'list', '--agent', 'clerk'])
  expect(listed).toMatchObject({ agent: 'clerk' })
  expect(listed.entries).toContainEqual({ name: 'oil', source: 'town', path: join(skill, 'SKILL.md') })
  const { status, err } = await town.gc(['skill', 'list', '--agent', 'clrk'])
  expect([status, err]).toEqual([1, expect.stringContaining('there is no agent clrk')])
})

test('work is given once: as words or by --prompt', async () => {
  const { bead_id: id } = await town.json<{ bead_id: string }>(['sling', 'clerk', '--prompt', 'Oil the hinge'])
  expect(await town.json(['bead', 'show', id])).toMatchObject({ title: 'Oil the hinge' })
  expect((await town.gc(['sling', 'clerk', 'Oil', '--prompt', 'Paint'])).status).toBe(2)
})

test('a message goes to the session of --session, or to a person', async () => {
  await town.json(['session', 'new', 'clerk', '--alias', 'first'])
  expect((await town.gc(['nudge', '--session', 'first', 'Look', 'here'])).out).toBe('Sent to first.\n')
  expect(await town.json(['mail', 'send', '--human', '-s', 'Done'])).toMatchObject({ ok: true })
  expect((await town.gc(['mail', 'inbox', 'human'])).out).toContain('Done')
})

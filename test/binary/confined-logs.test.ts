import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { append, claude, write } from '../programs/samples.ts'
import { eventually } from '../support/until.ts'
import { confinedTown } from './confined-town.ts'

const PROVIDER = `[providers.scribe]
base = "builtin:claude"
command = "@/demo/parrot"
prompt_mode = "none"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
dir = "demo"
provider = "scribe"
`
const PARROT = `#!/bin/sh
printf '\\033[2J\\033[Hready\\n> '
touch done "$CLAUDE_CONFIG_DIR/kept"
exec sleep 600
`

test('the conversation of a confined session is read only from its private home, and kept after that is removed', async () => {
  await using it = await confinedTown(PROVIDER, (path) => {
    const program = join(path, '../demo/parrot')
    writeFileSync(program, PARROT)
    chmodSync(program, 0o755)
  })
  const slug = it.rig.replace(/[/.]/g, '-')
  const said = (words: string) =>
    [claude.user('u1', null, 'Deploy, please', 1), claude.says('a1', 'u1', words, 2)] as const
  const theirs = it.world.folder.at('user', '.claude', 'projects')
  append(write(join(theirs, slug, 'k.jsonl'), ''), ...said('a secret of the person'))

  await it.done('agent', 'demo/clerk')
  const { id } = (await it.call('GET ~/sessions')).body.items[0]
  const home = join(it.path, '.gc/confined', id, 'state/claude')
  const transcript = async (): Promise<string> => JSON.stringify((await it.call(`GET ~/session/${id}/transcript`)).body)
  const projects = join(home, 'projects')
  mkdirSync(join(projects, slug), { recursive: true })
  append(write(join(projects, slug, 'k.jsonl'), ''), ...said('All is well'))
  await eventually('it is read', 20_000, transcript, (text) => text.includes('All is well'))
  const found = async () => (await it.call('GET ~/transcripts/search?q=well')).body.items
  expect(await found()).toMatchObject([{ session: id, excerpt: 'All is well' }])

  // Neither the file, nor a folder on the way, can lead elsewhere.
  const [moved, file] = [`${projects}.moved`, join(projects, slug, 'k.jsonl')]
  renameSync(projects, moved)
  symlinkSync(theirs, projects)
  expect(await transcript()).not.toContain('secret')
  expect(await it.call('GET ~/transcripts/search?q=secret')).toMatchObject({ body: { items: [] } })
  Bun.spawnSync(['rm', projects])
  renameSync(moved, projects)
  renameSync(file, `${file}.moved`)
  symlinkSync(join(theirs, slug, 'k.jsonl'), file)
  expect(await transcript()).not.toContain('secret')
  Bun.spawnSync(['mv', '-f', `${file}.moved`, file])

  symlinkSync(theirs, join(it.path, '.gc/confined', id, 'state/codex/sessions'))
  await it.call(`POST ~/session/${id}/close`, { body: {} })
  const left = async () => existsSync(join(home, 'kept'))
  await eventually('the rest is removed', 20_000, left, (isThere) => !isThere)
  await eventually(
    'nothing else is left',
    20_000,
    async () => readdirSync(join(it.path, '.gc/confined', id)),
    (names) => {
      return names.join() === 'state' && readdirSync(join(it.path, '.gc/confined', id, 'state')).join() === 'claude'
    },
  )
  expect(existsSync(join(theirs, slug, 'k.jsonl'))).toBe(true)
  await eventually('what was said is kept', 20_000, transcript, (text) => text.includes('All is well'))
}, 90_000)

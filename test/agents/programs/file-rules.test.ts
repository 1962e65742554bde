import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from './model-server.ts'
import { claude, opencode, type Program } from './programs.ts'
import { openTown } from './town.ts'

setDefaultTimeout(180_000)

/** A worker that calls tools, one after the other, in a rig where rules allow edits in two folders. */
async function atWork(program: Program, mode: string, ...calls: readonly Reply[]) {
  const town = await openTown(({ results }) => calls[results.length] ?? { text: 'Done.' }, '', program)
  mkdirSync(join(town.rig, 'sub'))
  for (const path of ['src', 'sub/new']) await town.gc('rule', 'add', '--write', path, '--rig', 'web', '--unconfined')
  await town.declare(`
[[agent]]
name = "worker"
dir = "web"
provider = "${program.provider}"
${mode}
`)
  await town.gc('sling', 'web/worker', 'Write it')
  return town
}

/** The questions and answers up to the first question that no rule answered. */
async function asked(town: Awaited<ReturnType<typeof openTown>>, by: RegExp): Promise<string[]> {
  const isOpen = ({ type, payload }: { type: string; payload: Record<string, unknown> }) =>
    type === 'session.asked' && by.test(String(payload.text))
  const events = await town.events(isOpen)
  return events
    .filter(({ type }) => /^session\.(?:asked|answered)$/.test(type))
    .map(({ type, actor, payload }) => `${type} by ${actor}: ${String(payload.text).split('\n').slice(0, 2).join(' ')}`)
}

test('claude edits where a rule allows the file, and asks about another one that it shows under the same name', async () => {
  const write = (file: string): Reply => ({ tool: 'Write', input: { file_path: file, content: 'x\n' } })
  const moving: Program = { ...claude, args: ['--allowedTools=Bash(cd:*)'] }
  const mode = 'option_defaults = { permission_mode = "ask" }'
  const calls = [claude.shell('cd sub'), write('new/a.ts'), write('src/b.ts')]
  await using town = await atWork(moving, mode, ...calls)
  expect(await asked(town, /^Create file/)).toEqual([
    `session.asked by gc/rules: ${town.rig}/sub/new/a.ts`,
    `session.answered by gc/rules: ${town.rig}/sub/new/a.ts`,
    'session.asked by gc/screens: Create file src/b.ts',
  ])
  expect(['new/a.ts', 'src/b.ts'].map((file) => existsSync(join(town.rig, 'sub', file)))).toEqual([true, false])
})

test('opencode edits where a rule allows the file, and asks about every other', async () => {
  const write = (filePath: string): Reply => ({ tool: 'write', input: { filePath, content: 'x\n' } })
  const asking: Program = {
    ...opencode,
    env: (...place) => ({ ...opencode.env(...place), OPENCODE_PERMISSION: '{"edit":"ask"}' }),
  }
  await using town = await atWork(asking, '', write('src/a.ts'), write('b.ts'))
  expect(await asked(town, /→ Edit b\.ts/)).toEqual([
    `session.asked by gc/rules: ${town.rig}/src/a.ts`,
    `session.answered by gc/rules: ${town.rig}/src/a.ts`,
    'session.asked by gc/screens: △ Permission required   → Edit b.ts',
  ])
  expect(['src/a.ts', 'b.ts'].map((file) => existsSync(join(town.rig, file)))).toEqual([true, false])
})

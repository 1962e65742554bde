import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from './model-server.ts'
import { claude, codex, gemini, opencode, type Program } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(180_000)

const asking = (mode: string): string => `option_defaults = { permission_mode = "${mode}" }`

/** A worker that calls tools, one after the other, in a rig where rules allow edits in two folders and a script. */
async function atWork(program: Program, mode: string, ...calls: readonly Reply[]) {
  const town = await openTown(({ results }) => calls[results.length] ?? { text: 'Done.' }, '', program)
  mkdirSync(join(town.rig, 'sub'))
  for (const folder of ['.', 'sub']) writeFileSync(join(town.rig, folder, 'check.sh'), `echo ${folder} > checked\n`)
  const rules = [
    ['--write', 'src'],
    ['--write', 'sub/new'],
    ['--allow', 'sh check.sh'],
  ]
  for (const rule of rules) await town.gc('rule', 'add', ...rule, '--rig', 'web', '--unconfined')
  await town.declare(`
[[agent]]
name = "worker"
dir = "web"
provider = "${program.provider}"
${mode}
`)
  await town.gc('sling', 'web/worker', 'Write it')
  return {
    ...town,
    /** The calls that hooks had rules allow, up to the first dialog with this text after the last of them. */
    async allowed(dialog: RegExp, ...calls: readonly string[]): Promise<string[]> {
      const allowed: string[] = []
      await town.events(({ type, actor, payload: { request_id: request, text } }) => {
        const isRuled = type === 'session.answered' && actor === 'gc/rules' && String(request).startsWith('tool-')
        if (isRuled) allowed.push(String(text).replaceAll(town.rig, '~'))
        const isDialog = type === 'session.asked' && actor === 'gc/screens' && dialog.test(String(text))
        return isDialog && allowed.length >= calls.length
      })
      return allowed
    },
    exists: (...files: string[]) => files.map((file) => existsSync(join(town.rig, file))),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

test('claude does what rules allow where it is now, and asks about what its dialogs show alike elsewhere', async () => {
  const write = (file: string): Reply => ({ tool: 'Write', input: { file_path: file, content: 'x\n' } })
  const moving: Program = { ...claude, args: ['--allowedTools=Bash(cd:*)'] }
  const check = claude.shell('sh check.sh')
  const calls = [check, claude.shell('cd sub'), write('new/a.ts'), write('src/b.ts'), check]
  await using town = await atWork(moving, asking('ask'), ...calls)
  const ruled = ['sh check.sh (in ~)', '~/sub/new/a.ts']
  expect(await town.allowed(/^Create file\nsrc\/b\.ts/, ...ruled)).toEqual(ruled)
  expect(town.exists('checked', 'sub/new/a.ts', 'sub/src/b.ts')).toEqual([true, true, false])
  const [question] = JSON.parse(await town.gc('attention', '--json')).items
  await town.gc('attention', 'answer', question.id, '1')
  await eventually(() => town.exists('sub/src/b.ts')[0] === true)
  const elsewhere = `sh check.sh (in ${town.rig}/sub)`
  await eventually(async () => JSON.parse(await town.gc('attention', '--json')).items[0]?.subject === elsewhere)
  expect(town.exists('sub/checked')).toEqual([false])
})

test('opencode does what rules allow in its folder, and asks about every other', async () => {
  const write = (filePath: string): Reply => ({ tool: 'write', input: { filePath, content: 'x\n' } })
  const check = (more: object = {}): Reply => ({
    ...{ tool: 'bash', input: { command: 'sh check.sh', description: 'Check', ...more } },
  })
  const careful: Program = {
    ...opencode,
    env: (...place) => ({ ...opencode.env(...place), OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' }),
  }
  await using town = await atWork(careful, '', check(), write('src/a.ts'), check({ workdir: 'sub' }))
  const ruled = ['sh check.sh (in ~)', '~/src/a.ts']
  expect(await town.allowed(/sh check\.sh/, ...ruled)).toEqual(ruled)
  expect(town.exists('checked', 'src/a.ts', 'sub/checked')).toEqual([true, true, false])
})

test('codex does what a rule allows in its folder, and asks about the same line in another', async () => {
  const check = (more: object = {}): Reply => ({
    tool: 'exec_command',
    input: { cmd: 'sh check.sh', sandbox_permissions: 'require_escalated', justification: 'May I?', ...more },
  })
  await using town = await atWork(codex, asking('suggest'), check(), check({ workdir: 'sub' }))
  const ruled = ['sh check.sh (in ~)']
  expect(await town.allowed(/sh check\.sh$/, ...ruled)).toEqual(ruled)
  expect(town.exists('checked', 'sub/checked')).toEqual([true, false])
  const [question] = JSON.parse(await town.gc('attention', '--json')).items
  expect(question.subject).toBe(`sh check.sh (in ${town.rig}/sub)`)
  expect(question.to_do).toContain('its rule is for the folder of the session')
  await town.gc('attention', 'answer', question.id, '1')
  await eventually(() => town.exists('sub/checked')[0] === true)
})

test('gemini has the folder of a command in what it asks, and a rule answers where there is none', async () => {
  const check = (more: object = {}): Reply => ({
    tool: 'run_shell_command',
    input: { command: 'sh check.sh', description: 'Check', ...more },
  })
  const calls = [check(), check({ dir_path: '.' }), check({ dir_path: 'sub' }), check()]
  await using town = await atWork(gemini, asking('default'), ...calls)
  const answered = async () => {
    const { items } = await JSON.parse(await town.gc('rule', 'list', '--json'))
    return items.find(({ kind }: { kind: string }) => kind === 'command').uses
  }
  const open = async () => JSON.parse(await town.gc('attention', '--json')).items[0]?.subject
  await eventually(async () => (await open()) === 'cd sub || exit; sh check.sh')
  expect([town.exists('checked', 'sub/checked'), await answered()]).toEqual([[true, false], 2])
  const [question] = JSON.parse(await town.gc('attention', '--json')).items
  await town.gc('attention', 'answer', question.id, '1')
  await eventually(async () => (await answered()) === 3)
  expect(town.exists('sub/checked')).toEqual([true])
})

test('gemini without its hook runs no command in a folder that it does not show, and asks about every other', async () => {
  const check = (more: object = {}): Reply => ({
    tool: 'run_shell_command',
    input: { command: 'sh check.sh', description: 'Check', ...more },
  })
  const hookless: Program = {
    ...gemini,
    env(folder, ...place) {
      const env = gemini.env(folder, ...place)
      const path = join(folder.at('home'), '.gemini', 'settings.json')
      writeFileSync(
        path,
        JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), hooksConfig: { enabled: false } }),
      )
      return env
    },
  }
  await using town = await atWork(hookless, asking('default'), check({ dir_path: 'sub' }), check())
  await eventually(async () => JSON.parse(await town.gc('attention', '--json')).items[0]?.subject === 'sh check.sh')
  const { results } = await town.model.until(({ results }) => results.length === 1)
  expect(results[0]).toContain('Put the folder into the command')
  const [question] = JSON.parse(await town.gc('attention', '--json')).items
  expect(question.to_do).toContain('its rule is for the folder of the session')
  expect(town.exists('checked', 'sub/checked')).toEqual([false, false])
})

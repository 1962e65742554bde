import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openConfined, RUNS } from './confined-programs.ts'
import type { Reply, Script } from './model-server.ts'
import { eventually } from './town.ts'

setDefaultTimeout(180_000)

const MODES: Readonly<Record<string, string>> = { claude: 'ask', codex: 'suggest', gemini: 'default' }
const ON_TERMINALS = RUNS.filter(({ home }) => home !== undefined)

/** Two runs of a script: in the folder of the session, and in another. */
const CALLS: Readonly<Record<string, readonly [Reply, Reply]>> = {
  claude: [
    { tool: 'Bash', input: { command: 'sh check.sh', description: 'Check' } },
    { tool: 'Bash', input: { command: 'cd sub && sh check.sh', description: 'Check' } },
  ],
  codex: [
    {
      tool: 'exec_command',
      input: { cmd: 'sh check.sh', sandbox_permissions: 'require_escalated', justification: 'May I?' },
    },
    {
      tool: 'exec_command',
      input: { cmd: 'sh check.sh', workdir: 'sub', sandbox_permissions: 'require_escalated', justification: 'May I?' },
    },
  ],
  gemini: [
    { tool: 'run_shell_command', input: { command: 'sh check.sh', description: 'Check' } },
    { tool: 'run_shell_command', input: { command: 'sh check.sh', description: 'Check', dir_path: 'sub' } },
  ],
}

test.each(ON_TERMINALS.map((run) => [run.program.provider, run] as const))(
  '%s does confined what a rule allows in its folder, and asks about another folder',
  async (name, run) => {
    const mode = `option_defaults = { permission_mode = "${MODES[name]}" }\n`
    await using opened = await openConfined(
      run,
      ({ results }) => CALLS[name]?.[results.length] ?? { text: 'Done.' },
      mode,
    )
    const { gc, rig } = opened
    mkdirSync(join(rig, 'sub'))
    for (const folder of ['.', 'sub']) writeFileSync(join(rig, folder, 'check.sh'), `echo ${folder} > checked\n`)
    await gc('register', '.')
    await gc('rule', 'add', '--allow', 'sh check.sh', '--rig', 'demo')
    await gc('session', 'new', 'demo/worker', '--message', 'Make it.', '--json')
    const exists = () => ['checked', 'sub/checked'].map((file) => existsSync(join(rig, file)))
    await eventually(() => exists()[0] === true)
    const open = async () => JSON.parse(await gc('attention', '--json')).items[0]?.subject
    await eventually(async () => (await open()) !== undefined)
    expect(await open()).toContain('sh check.sh')
    expect(exists()).toEqual([true, false])
  },
)

/** Claims again and again, as a hook would, that the script runs in the folder of the session. */
const LIAR = `echo '{"cli_version":"9.9.9"}' > log
cat > lie.sh << END
while sleep 0.2; do
  echo '{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"sh check.sh"},"cwd":"$PWD","transcript_path":"$PWD/log"}' |
    GC_PROTOCOL_ONLY= gc hook permission codex
done
END
setsid sh lie.sh > lied 2>&1 < /dev/null &
`

test('codex is asked about another folder whatever a command that a rule allowed claims in between', async () => {
  const run = ON_TERMINALS.find(({ program }) => program.provider === 'codex')
  if (!run) throw new Error('codex is not run on a terminal')
  const script: Script = ({ results }) => CALLS.codex?.[results.length] ?? { text: 'Done.' }
  await using opened = await openConfined(run, script, 'option_defaults = { permission_mode = "suggest" }\n')
  const { gc, rig } = opened
  mkdirSync(join(rig, 'sub'))
  writeFileSync(join(rig, 'check.sh'), LIAR)
  writeFileSync(join(rig, 'sub', 'check.sh'), 'echo sub > checked\n')
  await gc('register', '.')
  await gc('rule', 'add', '--allow', 'sh check.sh', '--rig', 'demo')
  await gc('session', 'new', 'demo/worker', '--message', 'Make it.', '--json')
  await eventually(() => existsSync(join(rig, 'lied')) && readFileSync(join(rig, 'lied'), 'utf8').includes('allow'))
  const open = async () => JSON.parse(await gc('attention', '--json')).items[0]
  await eventually(async () => /another one$/.test((await open())?.to_do ?? ''))
  const lies = () => readFileSync(join(rig, 'lied'), 'utf8').split('\n').length
  const before = lies()
  await eventually(() => lies() > before + 5)
  expect((await open()).subject).toBe(`sh check.sh (in ${rig}/sub)`)
  expect(existsSync(join(rig, 'sub', 'checked'))).toBe(false)
})

import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openConfined, RUNS } from './confined-programs.ts'
import type { Reply } from './model-server.ts'
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

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMissed, isWrong, type Judgement, judge, keep } from '../../states/recording.ts'
import { ACTORS } from './actors.ts'
import { play } from './scenes.ts'

/**
 * Installs a version of a program into a temporary folder, plays the scenes of its states with it, and judges them:
 * `npm run test:programs -- claude@2.1.330 [--scene <words>] [--record]`.
 */
const PACKAGES: Readonly<Record<string, (version: string) => string>> = {
  claude: (version) => `@anthropic-ai/claude-code-linux-x64@${version}`,
  codex: (version) => `@openai/codex-linux-x64@npm:@openai/codex@${version}-linux-x64`,
  opencode: (version) => `opencode-linux-x64-baseline@${version}`,
  gemini: (version) => `@google/gemini-cli@${version}`,
}
const USAGE = 'Usage: npm run test:programs -- claude@<version> [--scene <words>] [--record]\n'

/** Installs a version of a program; `GC_PROGRAMS` names a folder that has it already. */
function install(program: string, version: string): Disposable {
  if (process.env.GC_PROGRAMS) return { [Symbol.dispose]: () => {} }
  const spec = PACKAGES[program]?.(version)
  if (spec === undefined) throw new Error(USAGE)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gc-programs-')))
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { exitCode } = Bun.spawnSync(['npm', 'install', ...flags, spec], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (exitCode !== 0 || !existsSync(join(folder, 'node_modules'))) throw new Error(`${spec} cannot be installed`)
  process.env.GC_PROGRAMS = folder
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

function table(judged: readonly Judgement[]): string {
  const head = ['transition', 'expected', 'seen', '']
  const rows = judged.map((each) => {
    const verdict = isMissed(each) ? 'MISSED' : isWrong(each) ? 'wrong' : ''
    return [each.name, each.expected, each.mistaken ?? each.seen, verdict]
  })
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { record: { type: 'boolean' }, scene: { type: 'string' } },
  })
  const [program = '', version = ''] = (positionals[0] ?? '').split('@')
  const actor = ACTORS[program]
  if (!actor || version === '') {
    process.stderr.write(USAGE)
    return 2
  }
  using _installed = install(program, version)
  const wanted = (scene: string) => scene.includes(values.scene ?? '')
  const { transitions, failures } = await play(actor, wanted, (line) => process.stderr.write(`${line}\n`))
  const recording = { program, version, transitions }
  const judged = await judge(recording)
  process.stdout.write(`${table(judged)}\n`)
  for (const failure of failures) process.stdout.write(`\nnot played: ${failure}\n`)
  const [missed, wrong] = [judged.filter(isMissed).length, judged.filter(isWrong).length]
  process.stdout.write(
    `\n${program}@${version}: ${judged.length} transitions, ${missed} missed, ${wrong - missed} wrong\n`,
  )
  if (values.record) keep(recording)
  return missed > 0 || failures.length > 0 ? 1 : 0
}

const status = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  return 1
})
process.exit(status)

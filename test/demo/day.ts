import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { ModelServer, type Script } from '../agents/programs/model-server.ts'
import { claude, codex, gemini, opencode, type Program } from '../agents/programs/programs.ts'
import { gc, home, perform, runChecked, say, serve, until } from './stage.ts'

/**
 * An afternoon with real agent programs, each in the mode in which it asks before it does anything: three rigs, eight
 * agents, one of them a pool of ten, and sixty beads. A person answers what comes up, and allows the check of each rig by a
 * rule once they have seen it. Counts the questions, and what they are about.
 */

const BEADS = 60
const POOL = 10
const LIMIT_MS = 900_000
const CHECK = 'sh check.sh'
const RIGS = ['web', 'api', 'docs'] as const
const AGENTS = [
  ...['web/claude', 'docs/claude', 'web/codex', 'docs/codex', 'api/gemini', 'web/opencode', 'docs/opencode'],
  ...Array.from({ length: 5 }, () => 'api/pool'),
]

/** A program with the keys of its provider that have it ask. */
interface AskingProgram {
  readonly program: Program
  readonly keys: string
  readonly env?: Readonly<Record<string, string>>
}

const PROGRAMS: Readonly<Record<string, AskingProgram>> = {
  claude: { program: claude, keys: 'option_defaults = { permission_mode = "ask" }' },
  codex: { program: codex, keys: 'option_defaults = { permission_mode = "suggest" }' },
  gemini: { program: gemini, keys: 'option_defaults = { permission_mode = "default" }' },
  opencode: { program: opencode, keys: '', env: { OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' } },
}

/** The tools with which programs run commands. */
const SHELLS: Readonly<Record<string, Program>> = {
  ...{ Bash: claude, exec_command: codex, run_shell_command: gemini, bash: opencode },
}

const SUBJECTS = ['gc', 'a folder', 'the project', 'something else'] as const
type Subject = (typeof SUBJECTS)[number]

/** Attention item, as far as it matters here. */
interface Item {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly rig?: string
  readonly asks: string
  readonly text?: string
  readonly question_kind?: string
  readonly answers: readonly string[]
  readonly options?: readonly string[]
}

const counts = new Map<Subject, number>()
const seen = new Set<string>()
const ruled = new Set<string>()
let closed = 0

await perform(day)

async function day(): Promise<void> {
  const model = new ModelServer(worker)
  try {
    writeDefaultMode(join(home, '.gc'), 'off')
    await serve()
    await gc('init', join(home, 'town'))
    await makeRigs()
    await declare(model)
    for (let n = 0; n < BEADS; n++) await gc('sling', AGENTS[n % AGENTS.length] ?? '', `Check part ${n}`)
    const isOver = new AbortController()
    const answering = answer(isOver.signal)
    await until('every bead is closed', () => closed >= BEADS, LIMIT_MS).finally(() => isOver.abort())
    await answering
  } finally {
    report()
    await model.stop()
  }
}

/** The model: claims a bead, runs the check of the rig, closes the bead, and continues until nothing is left. */
function worker({ tools, results }: Parameters<Script>[0]): ReturnType<Script> {
  const program = tools.map((tool) => SHELLS[tool]).find((each) => each !== undefined)
  if (!program) return { text: 'There is no shell.' }
  const last = results.at(-1)
  const claims = results.flatMap((each) => /"bead_id":\s*"([\w-]+)"/.exec(each)?.[1] ?? [])
  if (last === undefined || /closed/i.test(last)) return program.shell('gc hook --claim --json')
  if (/"bead_id":/.test(last)) return program.shell(CHECK)
  if (last.includes('all is well')) return program.shell(`bd close ${claims.at(-1)} --reason checked`)
  return { text: 'Nothing is left to do.' }
}

async function makeRigs(): Promise<void> {
  for (const rig of RIGS) {
    const path = join(home, rig)
    mkdirSync(path)
    writeFileSync(join(path, 'check.sh'), 'echo all is well\n')
    for (const args of [
      ['init', '--quiet', '--initial-branch=main'],
      ['add', '.'],
      ['commit', '--quiet', '--message=Begin'],
    ]) {
      await runChecked('git', args, path)
    }
    await gc('rig', 'add', path)
  }
}

/** Declares the programs and the agents. */
async function declare(model: ModelServer): Promise<void> {
  const toml = Object.entries(PROGRAMS).map(([name, each]) => providerOf(name, each, model))
  appendFileSync(join(home, 'town', 'city.toml'), toml.join(''))
  await gc('reload', '--city', 'town')
  for (const agent of new Set(AGENTS.filter((name) => name !== 'api/pool'))) {
    await gc('agent', 'add', agent, '--provider', agent.split('/')[1] ?? '')
  }
  await gc('agent', 'add', 'api/pool', '--provider', 'claude', '--worktree', '--max', String(POOL))
}

function providerOf(name: string, { program, keys, env }: AskingProgram, model: ModelServer): string {
  const folder = { path: home, at: (...names: string[]) => join(home, ...names) }
  const works = [join(home, 'town'), ...RIGS.map((rig) => join(home, rig))]
  const variables = { ...program.env(folder, model, works), ...env }
  return `
[providers.${name}]
base = "builtin:${name}"
command = ${JSON.stringify(program.command)}
${program.args ? `args = ${JSON.stringify(program.args)}` : ''}
${keys}
[providers.${name}.env]
${Object.entries(variables)
  .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  .join('\n')}
`
}

/** Answers whatever is asked so that the work continues, until the signal. */
async function answer(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { items }: { items: Item[] } = JSON.parse(await gcQuietly('attention', '--json'))
    for (const item of items.filter(({ id }) => !seen.has(id))) {
      seen.add(item.id)
      if (item.question_kind === undefined) say('waits', `${item.kind}: ${item.agent}: ${squeeze(item.asks)}`)
      else await answerOne(item)
    }
    const done = JSON.parse(await gcQuietly('bead', 'list', '--status', 'closed', '--limit', '200', '--json')).items
    closed = done.filter(({ title }: { title: string }) => title.startsWith('Check part')).length
    await Bun.sleep(300)
  }
}

/** Answers a question; what a rule answered first, the person was not asked. */
async function answerOne(item: Item): Promise<void> {
  const { agent, asks, text, answers, options = [] } = item
  const about = subjectOf(item)
  const rig = agent.split('/')[0] ?? ''
  const word = answers.includes('approve') ? 'approve' : options.find((option) => /^(?:yes|allow|trust)/i.test(option))
  if (about === 'the project' && !ruled.has(rig)) {
    ruled.add(rig)
    await gc('rule', 'add', '--city', 'town', '--allow', CHECK, '--rig', rig, '--unconfined')
  } else if (!word || !(await isAnswered(item.id, word))) return
  counts.set(about, (counts.get(about) ?? 0) + 1)
  say('asked', `${agent}: ${squeeze(text || asks)}`)
}

/** True if the question took the answer. */
function isAnswered(id: string, word: string): Promise<boolean> {
  return gcQuietly('attention', 'answer', id, word).then(
    () => true,
    () => false,
  )
}

function gcQuietly(...args: string[]): Promise<string> {
  return runChecked(join(import.meta.dir, '../../dist/gc'), ['--city', 'town', ...args], home)
}

/** True if gc itself, a folder that it made, or the project is asked about. */
function subjectOf({ question_kind, text = '', asks }: Item): Subject {
  if (question_kind === 'trust') return 'a folder'
  if (`${text} ${asks}`.includes(CHECK)) return 'the project'
  return /\b(?:gc|bd)\b/.test(`${text} ${asks}`) ? 'gc' : 'something else'
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160)
}

function report(): void {
  const per = (count: number) => `${count}, ${(count / Math.max(1, closed)).toFixed(2)} a bead`
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  say('day', `${closed} of ${BEADS} beads closed; questions: ${per(all)}`)
  for (const about of SUBJECTS) say('day', `  about ${about}: ${per(counts.get(about) ?? 0)}`)
}

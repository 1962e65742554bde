import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { both, median, say, Table, took } from './support/figures.ts'
import { GC, Town } from './support/town.ts'

/**
 * Waiting times of people and agents: slung work until its program runs, commands of agents, and recovery after crashes
 * of the supervisor and the session host. `bun test/bench/sling.bench.ts`.
 */

const SLINGS = 15
const CALLS = 25
const ADOPTED = 50
const FRAGMENTS = 40

/** An agent's program: it says when it began and what it was given, then waits. */
const BEGINS = `date +%s%N > $GC_HOME/began.$GC_SESSION_ID; env > $GC_HOME/env.$GC_SESSION_ID; exec sleep 100000`
const TAKES = `gc hook --claim --json > $GC_HOME/took.$GC_SESSION_ID; exec sleep 100000`
const agent = (name: string, command: string, more = '') =>
  `[[agent]]\nname = "${name}"\nstart_command = "${command.replaceAll('"', '\\"')}"\n${more}\n`

const now = (): number => performance.timeOrigin + performance.now()

interface Shell {
  cwd: string
  env: Record<string, string>
}

async function run(argv: string[], { cwd, env }: Shell): Promise<string> {
  const child = Bun.spawn(argv, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${argv.join(' ')}: ${out}${err}`)
  return out
}

/** The files of this kind that sessions have written, by the session's id. */
const written = (town: Town, kind: string): string[] =>
  readdirSync(town.home).flatMap((name) => (name.startsWith(`${kind}.`) ? [name.slice(kind.length + 1)] : []))

async function slings(town: Town, shell: Shell, table: Table): Promise<void> {
  const samples: number[] = []
  for (let n = 0; n < SLINGS; n++) {
    const before = written(town, 'began').length
    const started = now()
    await run([GC, 'sling', 'smith', `piece ${n}`], shell)
    await took(() => written(town, 'began').length > before)
    await Bun.sleep(50)
    const times = written(town, 'began').map((id) => Number(readFileSync(`${town.home}/began.${id}`, 'utf8')) / 1e6)
    samples.push(Math.max(...times) - started)
  }
  table.row('`gc sling` → the agent’s program runs', both(samples), 'p50 < 300 ms', median(samples) < 300)
}

async function commands(town: Town, table: Table): Promise<void> {
  const [id = ''] = written(town, 'env')
  const given = readFileSync(`${town.home}/env.${id}`, 'utf8')
  const env = Object.fromEntries(given.split('\n').map((line) => line.split(/=(.*)/s, 2)))
  const shell = { cwd: town.at('mill'), env }
  const bare = await calls(['sh', '-c', 'exec true'], shell)
  say(`a shell that does nothing: ${both(bare)}`)
  for (const command of ['gc version', 'gc hook --claim --json', 'gc prime', 'bd ready']) {
    const samples = await calls(['sh', '-c', command], shell)
    const judged = command !== 'gc version'
    const met = judged ? median(samples) < 60 : undefined
    const note = command === 'gc prime' ? `, ${FRAGMENTS} fragments` : ''
    table.row(`\`${command}\` in a shell${note}`, both(samples), judged ? 'p50 < 60 ms' : '', met)
  }
}

/** A prompt that calls each of the fragments beside it. */
function writePrompt(city: string): void {
  mkdirSync(join(city, 'template-fragments'), { recursive: true })
  const names = Array.from({ length: FRAGMENTS }, (_, n) => `rule-${n}`)
  for (const name of names) {
    const text = `{{ define "${name}" }}{{ if .RigName }}In {{ .RigName }}{{ else }}Here{{ end }}: ${'keep it tidy. '.repeat(200)}{{ end }}`
    writeFileSync(join(city, 'template-fragments', `${name}.template.md`), text)
  }
  writeFileSync(join(city, 'smith.template.md'), names.map((name) => `{{ template "${name}" . }}`).join('\n'))
}

async function calls(argv: string[], shell: Shell): Promise<number[]> {
  const samples: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const started = performance.now()
    await run(argv, shell)
    samples.push(performance.now() - started)
  }
  return samples.slice(2)
}

/** From the start of the next supervisor until it shows all sessions running, each with the screen it has now. */
async function adoption(town: Town, table: Table): Promise<void> {
  const city = await town.city(
    'camp',
    agent('guard', `echo on guard; ${BEGINS}`, `min_active_sessions = ${ADOPTED}\nmax_active_sessions = ${ADOPTED}`),
  )
  const seen = async (): Promise<boolean> => {
    const path = `${city}/sessions?state=active&peek=true&limit=1000`
    const { items } = await town.once((wire) => wire.json('GET', path))
    const shown = items.filter((one: { running?: boolean; last_output?: string }) => one.running && one.last_output)
    return shown.length === ADOPTED
  }
  await took(seen, 60_000)
  const began = written(town, 'began').length
  const samples: number[] = []
  for (let n = 0; n < 3; n++) {
    await town.kill()
    const started = performance.now()
    town.spawn()
    await took(() => seen().catch(() => false))
    samples.push(performance.now() - started)
  }
  const again = written(town, 'began').length - began
  table.row(`SIGKILL of the supervisor → ${ADOPTED} sessions adopted`, both(samples), '< 1 s', median(samples) < 1000)
  table.row('  sessions started again by it', String(again), '0', again === 0)
}

/** From the loss of the host until another session holds the bead that was in hand. */
async function lostHost(town: Town, table: Table): Promise<void> {
  const city = await town.city('dock', agent('hand', TAKES, 'max_active_sessions = 1'))
  const shell = { cwd: town.at('dock'), env: { PATH: process.env.PATH ?? '', GC_HOME: town.home } }
  const { bead_id: bead } = JSON.parse(await run([GC, 'sling', 'hand', 'a piece', '--json'], shell))
  const holder = async (): Promise<string | undefined> => {
    const { items } = await town.once((wire) => wire.json('GET', `${city}/claims`))
    return items.find((one: { bead_id: string }) => one.bead_id === bead)?.session_id
  }
  const epoch = async (): Promise<number> => {
    const { items } = await town.once((wire) => wire.json('GET', `${city}/claims`))
    return items.find((one: { bead_id: string }) => one.bead_id === bead)?.epoch ?? 0
  }
  await took(async () => (await holder()) !== undefined)
  const samples: number[] = []
  for (let n = 0; n < 3; n++) {
    const before = await epoch()
    process.kill(town.host, 'SIGKILL')
    samples.push(await took(async () => (await epoch()) > before))
    await Bun.sleep(1000)
  }
  table.row('loss of the host → its bead is held anew', both(samples), '< 3 s', median(samples) < 3000)
}

await using town = await Town.open()
writePrompt(town.at('mill'))
await town.city('mill', agent('smith', BEGINS, 'max_active_sessions = 40\nprompt_template = "smith.template.md"'))
const path = [town.at('home', 'bin'), process.env.PATH ?? ''].join(delimiter)
const shell = { cwd: town.at('mill'), env: { PATH: path, GC_HOME: town.home } }
if (!existsSync(town.at('home', 'bin', 'bd'))) throw new Error('bd was not linked')
const table = new Table()
await slings(town, shell, table)
await commands(town, table)
await adoption(town, table)
await lostHost(town, table)
table.print('what people and agents wait for')

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { writeDefaultMode } from '../../../src/config/confinement/default-mode.ts'
import { tempFolder } from '../../support/folder.ts'
import { ModelServer, type Script } from './model-server.ts'
import { GC, opencode, type Program } from './programs.ts'

/** An event of the city as `gc events --json` prints it. */
export interface TownEvent {
  seq: number
  type: string
  actor: string
  subject?: string
  payload: Record<string, unknown>
}

const toml = ({ provider, command, args, more = '' }: Program, env: Record<string, string>) => `
[workspace]
name = "town"

[providers.${provider}]
base = "builtin:${provider}"
command = ${JSON.stringify(command)}
${args ? `args = ${JSON.stringify(args)}` : ''}
${more}

[providers.${provider}.env]
${Object.entries(env)
  .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  .join('\n')}
`

/**
 * A city with one rig, `web`, and an agent program with a model that follows a script; `more` is added to its
 * configuration.
 * Everything is done as a person would: by `gc`, in separate processes.
 */
export async function openTown(script: Script, more = '', program = opencode) {
  const folder = tempFolder()
  const model = new ModelServer(script)
  const env = { ...process.env, GC_HOME: folder.at('gc'), GC_URL: undefined, GC_TOKEN: undefined }
  writeDefaultMode(env.GC_HOME, 'off')
  const city = folder.at('town')
  const rig = folder.at('web')
  mkdirSync(city)
  mkdirSync(rig)
  const declared = toml(program, program.env(folder, model, [city, rig]))
  writeFileSync(folder.at('town', 'city.toml'), declared + more)
  await run(['git', 'init', '--quiet', '--initial-branch', 'main'], { cwd: rig, env })
  const serve = async (port: string) => {
    const log = Bun.file(folder.at('serve.log'))
    const argv = [...GC, 'serve', '--port', port]
    const process = Bun.spawn(argv, { cwd: folder.path, env, stdout: 'pipe', stderr: log })
    const line = await firstLine(process.stdout)
    return { process, port: /:(\d+)\b/.exec(line)?.[1] ?? '0' }
  }
  let supervisor = await serve('0')
  const gc = (...args: string[]) => run([...GC, ...args], { cwd: city, env })
  await gc('register', city)
  await gc('rig', 'add', rig)
  return {
    model,
    home: folder.at('home'),
    city,
    rig,
    /** Adds to the configuration, and has it read. */
    async declare(text: string) {
      appendFileSync(folder.at('town', 'city.toml'), text)
      await gc('reload')
    },
    gc,
    run: (...argv: string[]) => run(argv, { cwd: rig, env }),
    /** Calls an operation of the city over HTTP, as another program would. */
    async call(operation: string, body?: object) {
      const [method, path = ''] = operation.split(' ~')
      const response = await fetch(`http://127.0.0.1:${supervisor.port}/v0/city/town${path}`, {
        method,
        headers: { 'X-GC-Request': '1', 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return answered(response)
    },
    /**
     * Kills the supervisor as a crash would, and restarts it at the same address with its city; the given function runs
     * in between.
     */
    async crash(meanwhile = async () => {}) {
      supervisor.process.kill('SIGKILL')
      await supervisor.process.exited
      await meanwhile()
      supervisor = await serve(supervisor.port)
      const status = `http://127.0.0.1:${supervisor.port}/v0/city/town/status`
      await eventually(async () => (await fetch(status)).ok)
    },
    /** Every event up to the first match. */
    events: (last: (event: TownEvent) => boolean) =>
      followed([...GC, 'events', '--follow', '--json', '--after', '0'], { cwd: city, env }, last),
    async [Symbol.asyncDispose]() {
      await gc('down').finally(() => supervisor.process.kill())
      await supervisor.process.exited
      await model.stop()
      folder[Symbol.dispose]()
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
async function answered(response: Response): Promise<{ status: number; body: any }> {
  return { status: response.status, body: await response.json() }
}

/** Waits until a condition on other processes holds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await holds()); await Bun.sleep(50)) {
    if (performance.now() > end) throw new Error(`it did not come about: ${holds}`)
  }
}

interface Where {
  cwd: string
  env: Record<string, string | undefined>
}

/** Runs a command to its end and returns its output, or fails with its stderr. */
async function run(argv: string[], where: Where): Promise<string> {
  const child = Bun.spawn(argv, { ...where, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 60_000 })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${argv.slice(-4).join(' ')} ended with ${code}: ${err}${out}`)
  return out.trim()
}

async function followed(argv: string[], where: Where, last: (event: TownEvent) => boolean): Promise<TownEvent[]> {
  const child = Bun.spawn(argv, { ...where, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit', timeout: 90_000 })
  const events: TownEvent[] = []
  try {
    for await (const line of lines(child.stdout)) {
      const event = JSON.parse(line) as TownEvent
      events.push(event)
      if (last(event)) return events
    }
    throw new Error(
      `the events ended before the one that was waited for:\n${events.map(({ type }) => type).join('\n')}`,
    )
  } finally {
    child.kill()
  }
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts.filter(Boolean)
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const line of lines(stream)) return line
  throw new Error('the supervisor ended before it was up')
}

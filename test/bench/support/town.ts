import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeDefaultMode } from '../../../src/config/confinement/default-mode.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { calm, took } from './figures.ts'
import type { Filling } from './fill.ts'
import { live } from './history.ts'
import { Wire } from './wire.ts'

/** The program that is measured. */
export const GC = resolve(process.env.GC_BINARY ?? resolve(import.meta.dir, '../../../dist/gc'))

/** The history of a city, and what its file declares besides. */
export interface Aged {
  size: Omit<Filling, 'prefix'>
  toml?: string
}

/** Folder of a command below a town, and further variables. */
interface Surroundings {
  folder?: string
  env?: Record<string, string>
}

/** A supervisor of its own, in a process of its own, with everything it runs; ended with it. */
export class Town implements AsyncDisposable {
  #process: Bun.Subprocess | undefined

  private constructor(
    private readonly folder: TempFolder,
    private readonly port: number,
    private readonly env: Record<string, string>,
    private program: string,
  ) {}

  static async open(env: Record<string, string> = {}, program = GC): Promise<Town> {
    const folder = tempFolder()
    const town = new Town(folder, freePort(), env, program)
    writeDefaultMode(town.home, 'off')
    await town.start()
    return town
  }

  readonly at = (...names: string[]): string => this.folder.at(...names)

  get home(): string {
    return this.at('home')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  /** The process of the session host, by the home it serves. */
  get host(): number {
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && this.#isHost(pid))
    return Number(pids[0] ?? 0)
  }

  /** Starts the supervisor and waits until it takes connections. */
  async start(): Promise<void> {
    this.spawn()
    await took(() => this.answers('/health'))
  }

  spawn(): void {
    if (!existsSync(this.program)) throw new Error(`${this.program} is not there: npm run build`)
    const log = Bun.file(this.at('serve.log'))
    this.#process = Bun.spawn([this.program, 'serve', '--port', String(this.port), '--home', this.home], {
      cwd: this.folder.path,
      env: { PATH: process.env.PATH ?? '', HOME: this.folder.path, GC_HOME: this.home, ...this.env },
      stdin: 'ignore',
      stdout: log,
      stderr: log,
    })
  }

  /** Runs a command of the program as a user of this supervisor, by default in the folder of the city `wide`. */
  command(argv0: string, args: readonly string[], { folder = 'wide', env = {} }: Surroundings = {}) {
    mkdirSync(this.at(folder), { recursive: true })
    return Bun.spawn([this.program, ...args], {
      argv0,
      cwd: this.at(folder),
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: this.folder.path, GC_HOME: this.home, GC_URL: this.url },
        ...{ GC_TOKEN: readFileSync(this.at('home', 'token'), 'utf8').trim(), ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** True if a read succeeds now. */
  async answers(path: string): Promise<boolean> {
    try {
      return await this.once(async (wire) => (await wire.ask('GET', path)).status === 200)
    } catch {
      return false
    }
  }

  /** Does something with a connection of its own. */
  async once<T>(work: (wire: Wire) => Promise<T>): Promise<T> {
    const wire = await Wire.open(this.url)
    try {
      return await work(wire)
    } finally {
      wire.close()
    }
  }

  /** Ends the supervisor as a crash would. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  /** Ends it in order; its agents run on. */
  async stop(): Promise<void> {
    this.#process?.kill('SIGTERM')
    await this.#process?.exited
  }

  /** Ends it in order and starts this build in its place. */
  async restart(program: string): Promise<void> {
    await this.stop()
    this.program = program
    await this.start()
  }

  /** Registers a city of a file written by hand and waits until it is up; its path on the wire. */
  async city(name: string, toml = ''): Promise<string> {
    const path = this.at(name)
    mkdirSync(path, { recursive: true })
    this.declare(name, toml)
    await this.once((wire) => wire.json('POST', '/v0/city/register', { path }))
    await took(() => this.answers(`/v0/city/${name}/status`))
    return `/v0/city/${name}`
  }

  /** Writes the file of a city. */
  declare(name: string, toml: string): void {
    writeFileSync(this.at(name, 'city.toml'), `[workspace]\nname = "${name}"\nprefix = "${name}"\n${toml}`)
  }

  /** Cities with a long life behind them, and what their files declare; another build may run them from then on. */
  async aged(cities: Record<string, Aged>, program = this.program): Promise<void> {
    for (const name of Object.keys(cities)) await this.city(name)
    await this.stop()
    for (const [name, { size, toml = '' }] of Object.entries(cities)) {
      await live(this.at(name, '.gc', 'city.db'), { prefix: name, ...size })
      this.declare(name, toml)
    }
    this.program = program
    await this.start()
    for (const name of Object.keys(cities)) await took(() => this.answers(`/v0/city/${name}/status`))
    await calm(this.pid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process?.exitCode === null) {
      const token = readFileSync(this.at('home', 'token'), 'utf8').trim()
      await this.once((wire) => wire.json('POST', '/v0/stop', { sessions: true }, token)).catch(() => this.kill())
      const late = setTimeout(() => this.#process?.kill('SIGKILL'), 20_000)
      await this.#process.exited
      clearTimeout(late)
    }
    await this.folder[Symbol.asyncDispose]()
  }

  #isHost(pid: string): boolean {
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      return argv.includes('host') && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${this.folder.path}/`)
    } catch {
      return false
    }
  }
}

export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  server.stop(true)
  return port
}

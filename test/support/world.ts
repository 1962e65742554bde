import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import type { RecordedEvent } from '../../src/core/events/event.ts'
import { conforming, operationAt } from './conforms.ts'
import { frameSchema, type OperationCoverage } from './coverage.ts'
import { type TempFolder, tempFolder } from './folder.ts'
import { expectRepeated, takesKey } from './repeats.ts'
import { misfits } from './schema.ts'
import { parseFrame, type TestFrame } from './test-frame.ts'

const MAIN = resolve(import.meta.dir, '../../cli/main.ts')
/** The compiled binary when there is one to test, else the sources run by bun. */
export const PROGRAM: readonly string[] = process.env.GC_BINARY
  ? [resolve(process.env.GC_BINARY)]
  : [process.execPath, MAIN]

type Json = Record<string, unknown>

/** Documents by the program and flags that serve them; a supervisor makes its document when it is asked, at some cost. */
const DOCUMENTS = new Map<string, Json>()

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; each is held to the document
  body: any
}

export interface CallOptions {
  body?: unknown
  /** The body as it travels, when it is not JSON. */
  raw?: string
  token?: string
  headers?: Record<string, string>
  /** Leaves out the mark that mutations need. */
  unmarked?: boolean
}

/** A supervisor process of one test: its own `GC_HOME`, a free port, everything ended with it. */
export class World implements AsyncDisposable {
  #process: Bun.Subprocess<'ignore', 'pipe', Bun.BunFile> | undefined
  /** The program and flags of the last start. */
  #serves = ''
  #out = ''
  #news = Promise.withResolvers<void>()
  url = ''
  /** Program for the next start; another build of it takes over as an upgrade does. */
  program: readonly string[] = PROGRAM
  /** Hears of every answer and frame. */
  coverage: OperationCoverage | undefined

  private constructor(
    readonly folder: TempFolder,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** A world whose agents run unconfined: they leave what they saw where tests read it, and tests call without a token. */
  static open(...flags: string[]): Promise<World> {
    return World.with({}, ...flags)
  }

  /** A world whose supervisor has more in its environment. */
  static async with(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<World> {
    const world = new World(tempFolder(), env)
    mkdirSync(world.folder.at('user'))
    world.leaveUnconfined()
    await world.start(...flags)
    return world
  }

  /** A world as people have it, whose agents are confined. */
  static confined(...flags: string[]): Promise<World> {
    return World.filled((folder) => mkdirSync(folder.at('user')), ...flags)
  }

  /** A world whose files are there before its supervisor is started. */
  static async filled(fill: (folder: TempFolder) => void, ...flags: string[]): Promise<World> {
    const world = new World(tempFolder(), {})
    fill(world.folder)
    await world.start(...flags)
    return world
  }

  /** A world whose supervisor runs as another user, started with `command` before its program. */
  static async openAs(command: readonly string[], program: readonly string[], owner: number): Promise<World> {
    const world = new World(tempFolder(), {})
    mkdirSync(world.folder.at('user'))
    world.leaveUnconfined()
    for (const path of [world.folder.path, world.folder.at('user'), world.home, join(world.home, 'supervisor.toml')])
      chownSync(path, owner, owner)
    world.program = [...command, ...program]
    await world.start()
    return world
  }

  leaveUnconfined(): void {
    writeDefaultMode(this.home, 'off')
  }

  get home(): string {
    return this.folder.at('home')
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get operatorToken(): string {
    return readFileSync(join(this.home, 'token'), 'utf8').trim()
  }

  /** Log of the supervisor. */
  get log(): string {
    const path = this.folder.at('serve.log')
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }

  /** Starts the supervisor, again after `kill` or `stop`. */
  async start(...flags: string[]): Promise<void> {
    this.#process = Bun.spawn([...this.program, 'serve', '--port', '0', '--home', this.home, ...flags], {
      cwd: this.folder.path,
      env: { PATH: process.env.PATH, HOME: this.folder.at('user'), GC_HOME: this.home, ...this.env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: Bun.file(this.folder.at('serve.log')),
    })
    this.#serves = [...this.program, ...flags].join(' ')
    this.#out = ''
    void this.#listen(this.#process.stdout)
    this.url = await this.waitForOutput(/answers at (http:\S+);/)
  }

  /** The document that answers are held to. */
  async #documented(): Promise<Json> {
    const known = DOCUMENTS.get(this.#serves)
    if (known) return known
    const response = await fetch(`${this.url}/openapi.json`, { headers: this.#bearer() })
    const document = { ...Object(await response.json()) }
    if (response.ok) DOCUMENTS.set(this.#serves, document)
    return document
  }

  /** Waits until the supervisor's standard output matches; returns the first group of the pattern. */
  async waitForOutput(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#out)?.[1]
      if (match !== undefined) return match
      if (this.#process?.exitCode !== null) throw new Error(`the supervisor ended: ${this.#out}${this.log}`)
      await this.#news.promise
    }
  }

  async #listen(out: ReadableStream<Uint8Array>): Promise<void> {
    const tell = () => {
      this.#news.resolve()
      this.#news = Promise.withResolvers()
    }
    for await (const chunk of out) {
      this.#out += new TextDecoder().decode(chunk)
      tell()
    }
    await this.#process?.exited
    tell()
  }

  /** Ends the supervisor as a crash would. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  /**
   * Calls an operation; every answer of a declared one is held to the served document. A change that succeeded is sent
   * again, and has the same answer and no further effect.
   */
  async call(operation: string, options: CallOptions = {}): Promise<Answer> {
    const isKeyed = !operation.startsWith('GET ') && options.headers?.['Idempotency-Key'] === undefined
    const keyed = isKeyed
      ? { ...options, headers: { 'Idempotency-Key': Bun.randomUUIDv7(), ...options.headers } }
      : options
    const answer = await this.#send(operation, keyed)
    const { declared } = answer
    if (declared && answer.status < 300 && takesKey(declared) && isKeyed) {
      await expectRepeated(operation, answer, await this.#send(operation, keyed))
      this.coverage?.recordRepeat(declared)
    }
    return answer
  }

  async #send(operation: string, options: CallOptions): Promise<Answer & { declared?: Json }> {
    const [method = 'GET', path = '/'] = operation.split(' ', 2)
    const document = await this.#documented()
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(!options.unmarked && { 'X-GC-Request': '1' }),
        ...(options.body !== undefined && { 'Content-Type': 'application/json' }),
        ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(30_000),
    })
    const { status, headers } = response
    const declared = operationAt(document, method, new URL(response.url).pathname)
    if (declared) {
      const answer = { status, headers, body: await conforming(document, method, response) }
      this.coverage?.recordResponse(document, declared, answer)
      return { ...answer, declared }
    }
    const text = await response.text()
    return { status, headers, body: headers.get('content-type')?.includes('json') ? JSON.parse(text) : text }
  }

  /** Makes a city and waits until it is up. */
  async city(name = 'town', create: Json = { start_command: 'true' }): Promise<TestCity> {
    const path = this.folder.at(name)
    const accepted = await this.call('POST /v0/city', { body: { dir: path, ...create } })
    if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
    await this.outcome('/v0/events', accepted.body)
    return new TestCity(this, name, path)
  }

  /** A folder for a rig, with a git repository when `git`. */
  rigFolder(name: string, { git = false } = {}): string {
    const path = this.folder.at(name)
    mkdirSync(path, { recursive: true })
    if (git) Bun.spawnSync(['git', 'init', '-q', '-b', 'main', path])
    return path
  }

  /** The one event that ends an accepted request. */
  async outcome(scope: string, accepted: { request_id: string; event_cursor: string }): Promise<RecordedEvent> {
    const resume = scope === '/v0/events' ? 'after_cursor' : 'after_seq'
    const query = `?${resume}=${encodeURIComponent(accepted.event_cursor)}`
    for await (const { data } of this.follow(`${scope}/stream${query}`)) {
      if (data.payload?.request_id === accepted.request_id) return data
    }
    throw new Error('the stream ended first')
  }

  /** Frames of a stream as they come, for 12 s at most; each is held to the document. */
  async *follow(path: string, headers: Record<string, string> = {}): AsyncGenerator<TestFrame> {
    const document = await this.#documented()
    const signal = AbortSignal.timeout(12_000)
    const response = await fetch(this.url + path, { headers, signal })
    if (!response.ok || !response.body) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    let rest = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks)
        if (block.includes('data: ')) yield this.#checkFrame(document, path, parseFrame(block))
    }
  }

  #checkFrame(document: Json, path: string, frame: TestFrame): TestFrame {
    const operation = operationAt(document, 'GET', path)
    if (!operation) throw new Error(`${path} is not in the document`)
    const schema = frameSchema(operation, frame.event)
    const mismatches = schema ? misfits(document, schema, frame.data, 'data') : ['is not declared']
    if (mismatches.length > 0) throw new Error(`${path} sent a frame ${frame.event}:\n  ${mismatches.join('\n  ')}`)
    this.coverage?.recordFrame(document, operation, frame)
    return frame
  }

  /** Ends the supervisor, its sessions and its host; its files stay. */
  async stop(): Promise<void> {
    const { exitCode } = this.#process ?? { exitCode: 0 }
    if (exitCode === null) {
      const stop = { method: 'POST', body: '{"sessions":true}' }
      const headers = { 'X-GC-Request': '1', 'Content-Type': 'application/json', ...this.#bearer() }
      const response = await fetch(`${this.url}/v0/stop`, { ...stop, headers }).catch(() => undefined)
      // A read-only server is not stopped over HTTP; its host ends by itself, since nothing runs in it.
      if (!response?.ok) this.#process?.kill('SIGTERM')
      const late = setTimeout(() => this.#process?.kill('SIGKILL'), 15_000)
      await this.#process?.exited
      clearTimeout(late)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.folder[Symbol.asyncDispose]()
  }

  #bearer(): Record<string, string> {
    return existsSync(join(this.home, 'token')) ? { Authorization: `Bearer ${this.operatorToken}` } : {}
  }
}

/** One running city of a world. */
export class TestCity {
  constructor(
    readonly world: World,
    readonly name: string,
    readonly path: string,
  ) {}

  /** `city.call('GET ~/beads')`. */
  call(operation: string, options: CallOptions = {}): Promise<Answer> {
    return this.world.call(operation.replace(' ~', ` /v0/city/${encodeURIComponent(this.name)}`), options)
  }

  async head(): Promise<number> {
    return Number((await this.call('GET ~/events?limit=1')).headers.get('x-gc-index'))
  }

  /** Events after `seq`, oldest first; attention events follow a little later. */
  async recorded(seq: number): Promise<RecordedEvent[]> {
    const { body } = await this.call('GET ~/events?limit=1000')
    const items: RecordedEvent[] = body.items
    return items.filter(({ seq: at, type }) => at > seq && !type.startsWith('attention.')).reverse()
  }

  /** Runs an action and returns the types of events it recorded. */
  async types(work: () => Promise<unknown>): Promise<string[]> {
    const seq = await this.head()
    await work()
    return (await this.recorded(seq)).map(({ type }) => type)
  }

  /** The first event after `seq` that is wanted, as soon as it is recorded. */
  async event(seq: number, wanted: (event: RecordedEvent) => boolean): Promise<RecordedEvent> {
    for await (const { event, data } of this.world.follow(`/v0/city/${this.name}/events/stream?after_seq=${seq}`)) {
      if (event === 'event' && wanted(data)) return data
    }
    throw new Error('the stream ended first')
  }

  outcome(accepted: { request_id: string; event_cursor: string }): Promise<RecordedEvent> {
    return this.world.outcome(`/v0/city/${this.name}/events`, accepted)
  }
}

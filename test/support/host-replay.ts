import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempFolder } from './folder.ts'
import type { FrameConnection, HostFrame, RecordedFrame } from './host-frames.ts'
import { PROGRAM } from './world.ts'

type Fields = Record<string, unknown>

/** Fields of a session that are present or absent depending on timing. */
const OPTIONAL = new Set(['title', 'lastOutputAt', 'signal', 'exitCode'])

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** Fields of `recorded` that `current` lacks or has with another type; further fields are allowed. */
export function shapeErrors(recorded: unknown, current: unknown, path = ''): string[] {
  if (typeOf(recorded) !== typeOf(current)) return [`${path} is ${typeOf(current)} instead of ${typeOf(recorded)}`]
  if (Array.isArray(recorded) && Array.isArray(current)) {
    if (recorded.length === 0 || current.length === 0) return []
    return shapeErrors(recorded[0], current[0], `${path}[0]`)
  }
  if (!isFields(recorded) || !isFields(current)) return []
  return Object.entries(recorded).flatMap(([name, value]) =>
    current[name] === undefined && OPTIONAL.has(name) ? [] : shapeErrors(value, current[name], `${path}.${name}`),
  )
}

/** Starts a session host of the program under test, with `folder` as its home. */
export async function startHost(
  folder: TempFolder,
): Promise<{ socket: string; exited: Promise<number>; kill(): void }> {
  const home = folder.at('home')
  mkdirSync(home, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: folder.at('user'), GC_HOME: home, GC_HOST_BUILD: 'newer' }
  const child = Bun.spawn([...PROGRAM, 'host'], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).startsWith('ready')) break
  const place = join(home, 'host/newer')
  const pathFile = join(place, 'socket-path')
  const socket = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : join(place, 'socket')
  return { socket, exited: child.exited, kill: () => child.kill('SIGKILL') }
}

/** Types of the records that agents wrote, by session, in order. */
export function recordTypes(frames: readonly HostFrame[]): Record<string, string[]> {
  const types: Record<string, string[]> = {}
  for (const { header, payload } of frames) {
    if (header.push !== 'records') continue
    const records = Buffer.from(payload)
      .toString()
      .split('\n')
      .map((line) => JSON.parse(line))
    const key = keyOf(header)
    types[key] = [...(types[key] ?? []), ...records.map(({ type, update }) => update?.sessionUpdate ?? type)]
  }
  return types
}

/**
 * Sends the recorded frames of a supervisor to a running host and compares the shape of each frame that comes back with
 * the recorded one. The next frame is sent once the host is as far as it was in the recording.
 */
export class HostReplay {
  readonly errors: string[] = []
  /** Names that differ in each run, from the recorded one to the current one. */
  readonly #names: Map<string, string>
  readonly #pids = new Map<number, number>()
  readonly #totals = new Map<string, number>()

  /** `paths` are the recorded folders and those that take their place. */
  constructor(
    private readonly connection: FrameConnection,
    paths: Record<string, string>,
  ) {
    this.#names = new Map(Object.entries(paths))
  }

  async play(frames: readonly RecordedFrame[]): Promise<void> {
    for (const frame of frames) {
      if (frame.from === 'supervisor') this.#send(frame)
      else await this.#expect(frame)
    }
  }

  #send({ header, payload = '' }: RecordedFrame): void {
    let text = JSON.stringify(header)
    for (const [recorded, current] of this.#names) text = text.replaceAll(recorded, current)
    const translated: Fields = JSON.parse(text, (name, value) =>
      name === 'pid' && typeof value === 'number' ? (this.#pids.get(value) ?? value) : value,
    )
    this.connection.send(translated, Buffer.from(payload, 'base64'))
  }

  async #expect({ header, payload = '' }: RecordedFrame): Promise<void> {
    const bytes = Buffer.from(payload, 'base64')
    if ('hello' in header) return this.#compare('hello', header, await this.#find('hello', (one) => 'hello' in one))
    if ('re' in header) return this.#expectReply(header, bytes)
    if (header.push === 'activity') return this.#expectActivity(header)
    if (header.push === 'records') return this.#expectRecords(header, bytes)
    if (header.push === 'output') return this.#expectOutput(header, bytes)
    const what = `${header.push} ${keyOf(header)}`
    const same = (one: Fields) => one.push === header.push && keyOf(one) === keyOf(header)
    this.#compare(what, header, await this.#find(what, same))
  }

  async #expectReply(header: Fields, bytes: Buffer): Promise<void> {
    const what = `reply ${header.re}`
    const current = await this.#find(what, ({ re }) => re === header.re)
    this.#compare(what, header, current)
    const [recordedCode, code] = [codeOf(header), codeOf(current.header)]
    if (recordedCode !== code) this.errors.push(`${what}: refused with ${code} instead of ${recordedCode}`)
    if (bytes.length > 0 && current.payload.length === 0) this.errors.push(`${what}: no payload`)
  }

  async #expectActivity(header: Fields): Promise<void> {
    for (const { key, bytes } of activitiesOf(header)) {
      const what = `${bytes} bytes of ${key}`
      const reached = (one: Activity) => one.key === key && one.bytes >= bytes
      this.#compare(what, header, await this.#find(what, (one) => activitiesOf(one).some(reached)))
    }
  }

  async #expectRecords(header: Fields, bytes: Buffer): Promise<void> {
    const key = keyOf(header)
    const count = this.#add(`records ${key}`, bytes.toString().split('\n').length)
    const what = `${count} records of ${key}`
    await this.connection.waitFor(what, () => (recordTypes(this.connection.frames)[key]?.length ?? 0) >= count)
    this.#compare(what, header, await this.#find(what, (one) => one.push === 'records' && keyOf(one) === key))
  }

  async #expectOutput(header: Fields, bytes: Buffer): Promise<void> {
    const count = this.#add(`stream ${header.stream}`, bytes.length)
    const what = `${count} bytes of stream ${header.stream}`
    const isOutput = ({ push, stream }: Fields) => push === 'output' && stream === header.stream
    const received = () =>
      this.connection.frames.reduce((sum, one) => sum + (isOutput(one.header) ? one.payload.length : 0), 0)
    await this.connection.waitFor(what, () => received() >= count)
    this.#compare(what, header, await this.#find(what, isOutput))
  }

  #add(what: string, count: number): number {
    const total = (this.#totals.get(what) ?? 0) + count
    this.#totals.set(what, total)
    return total
  }

  #find(what: string, matches: (header: Fields) => boolean): Promise<HostFrame> {
    return this.connection.waitFor(what, ({ header }) => matches(header))
  }

  #compare(what: string, recorded: Fields, { header }: HostFrame): void {
    this.errors.push(...shapeErrors(recorded, header).map((error) => `${what}: ${error}`))
    this.#learn(recorded, header)
  }

  /** Remembers the runs and processes that the host names, for the frames that name them again. */
  #learn(recorded: unknown, current: unknown): void {
    if (Array.isArray(recorded) && Array.isArray(current)) {
      for (const [index, item] of recorded.entries()) this.#learn(item, current[index])
    }
    if (!isFields(recorded) || !isFields(current)) return
    for (const [name, value] of Object.entries(recorded)) {
      const now = current[name]
      if (name === 'pid' && typeof value === 'number' && typeof now === 'number') this.#pids.set(value, now)
      else if ((name === 'run' || name === 'started') && typeof value === 'string' && typeof now === 'string') {
        this.#names.set(value, now)
        // A permission request is named after the first eight characters of its run.
        if (name === 'run') this.#names.set(value.slice(0, 8), now.slice(0, 8))
      } else this.#learn(value, now)
    }
  }
}

const keyOf = (header: Fields): string => String(header.key ?? Object(header.exit).key ?? '')
const codeOf = (header: Fields): unknown => Object(header.refusal).code

interface Activity {
  key: string
  bytes: number
}

const activitiesOf = ({ push, sessions }: Fields): Activity[] =>
  push === 'activity' && Array.isArray(sessions) ? sessions : []

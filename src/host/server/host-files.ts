import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { createFolder } from '../../core/folders.ts'
import { isObject, parseJson } from '../../core/json.ts'
import type { RecordLine } from '../acp/index.ts'
import type { Exit } from '../protocol/index.ts'
import { type HostPaths, UNFINISHED } from '../protocol/index.ts'

/** Record of a session on disk before it is reported as started. Without a pid it was about to be. */
export interface SessionRecord {
  run: string
  key: string
  startedAt: string
  marks: string[]
  pid?: number
  started?: string
  cgroup?: string
}

const RECORD_FILE_SUFFIX = '.jsonl'

/** The last exits that are kept while no one acknowledges them. */
export const MAX_EXITS = 500

/**
 * Files that outlive the host: its sessions and unacknowledged exits. Session records belong to one run of the machine,
 * since no process outlives it: those of another are not even read.
 */
export class HostFiles {
  readonly #sessions: string
  readonly #exits: string
  readonly #unheard: string

  constructor({ files }: Pick<HostPaths, 'files'>) {
    this.#sessions = files.sessions
    this.#exits = files.exits
    this.#unheard = files.records
  }

  /** Makes the folders and forgets what earlier runs of the machine left. */
  open(): void {
    createFolder(this.#sessions)
    createFolder(this.#exits)
    createFolder(this.#unheard)
    const boots = dirname(this.#sessions)
    for (const name of names(boots)) {
      if (name !== basename(this.#sessions)) rmSync(join(boots, name), { recursive: true, force: true })
    }
  }

  keep(record: SessionRecord): void {
    write(join(this.#sessions, `${record.run}.json`), record)
  }

  drop(run: string): void {
    rmSync(join(this.#sessions, `${run}.json`), { force: true })
  }

  /** The sessions on record. Throws when one cannot be read: its process may still run. */
  sessions(): SessionRecord[] {
    return names(this.#sessions).map((name) => {
      const path = join(this.#sessions, name)
      const record = parse(path)
      if (isSessionRecord(record)) return record
      throw new AppError(
        'service-unavailable',
        `${path} does not say which process it stands for; end that process and delete the file`,
      )
    })
  }

  keepExit(exit: Exit): void {
    write(join(this.#exits, `${exit.run}.json`), exit)
  }

  dropExit(run: string): void {
    rmSync(join(this.#exits, `${run}.json`), { force: true })
  }

  /** File of an agent's records until they are acknowledged. */
  recordFile(owner: RecordOwner, report: (sentence: string) => void): RecordFile {
    return new RecordFile(join(this.#unheard, `${owner.run}${RECORD_FILE_SUFFIX}`), owner, report)
  }

  /**
   * Records of agents that no one has acknowledged, except those of these runs. A file that cannot be read is left out.
   */
  unacknowledged(except: ReadonlySet<string> = new Set()): NonNullable<ReturnType<typeof readRecordFile>>[] {
    const runs = names(this.#unheard).filter(
      (name) => name.endsWith(RECORD_FILE_SUFFIX) && !except.has(name.slice(0, -RECORD_FILE_SUFFIX.length)),
    )
    return runs.flatMap((name) => readRecordFile(join(this.#unheard, name)) ?? [])
  }

  /** Takes over the records of the agents of a host that died. */
  takeUnacknowledged(lost: HostFiles): void {
    for (const name of names(lost.#unheard)) renameSync(join(lost.#unheard, name), join(this.#unheard, name))
  }

  /** The exits on disk, oldest first. One that cannot be read says nothing and is dropped. */
  exits(): Exit[] {
    const exits: Exit[] = []
    for (const name of names(this.#exits)) {
      const exit = parse(join(this.#exits, name))
      if (isExit(exit)) exits.push(exit)
      else rmSync(join(this.#exits, name), { force: true })
    }
    exits.sort((a, b) => a.endedAt.localeCompare(b.endedAt))
    for (const { run } of exits.splice(0, Math.max(0, exits.length - MAX_EXITS))) this.dropExit(run)
    return exits
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith(UNFINISHED))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** In place completely or not at all: a reader never meets half a file. */
function write(path: string, value: object): void {
  const unfinished = path + UNFINISHED
  writeFileSync(unfinished, JSON.stringify(value), { mode: 0o600 })
  renameSync(unfinished, path)
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const isSessionRecord = (value: unknown): value is SessionRecord =>
  isObject(value) && typeof value.run === 'string' && typeof value.key === 'string' && Array.isArray(value.marks)

const isExit = (value: unknown): value is Exit =>
  isObject(value) && typeof value.run === 'string' && typeof value.key === 'string' && typeof value.endedAt === 'string'

/** Owner of the records in a file: its first line. */
interface RecordOwner {
  run: string
  key: string
}

/** A file that has taken so many bytes since it was last short is written again without what was acknowledged. */
const MAX_FILE_GROWTH = 8 << 20

/**
 * The records of one run of an agent, one a line, until somebody has acknowledged them: it is there for the next host
 * when this one is killed. A full disk is reported once; further records stay in memory.
 */
class RecordFile {
  #file: number | undefined
  #bytes = 0
  #broken = false
  readonly #head: Buffer

  constructor(
    private readonly path: string,
    private readonly owner: RecordOwner,
    private readonly report: (sentence: string) => void,
  ) {
    this.#head = Buffer.from(`${JSON.stringify(owner)}\n`)
  }

  add({ line }: RecordLine): void {
    this.#try(() => {
      this.#file ??= this.#begin([])
      this.#bytes += writeSync(this.#file, `${line}\n`)
    })
  }

  /** Only these are left of all that was added: the rest was acknowledged. */
  keep(entries: readonly RecordLine[]): void {
    this.#try(() => {
      if (entries.length === 0) this.#empty()
      else if (this.#bytes >= MAX_FILE_GROWTH) this.#shorten(entries)
    })
  }

  /** The run is over: what is there stays. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  drop(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  #empty(): void {
    this.#bytes = 0
    if (this.#file === undefined) this.drop()
    else ftruncateSync(this.#file, this.#head.length)
  }

  #shorten(entries: readonly RecordLine[]): void {
    this.close()
    this.#file = this.#begin(entries)
    this.#bytes = 0
  }

  /** In place completely or not at all; opened to be added to. */
  #begin(entries: readonly RecordLine[]): number {
    const lines = entries.map(({ line }) => `${line}\n`)
    writeFileSync(`${this.path}.new`, Buffer.concat([this.#head, Buffer.from(lines.join(''))]), { mode: 0o600 })
    renameSync(`${this.path}.new`, this.path)
    return openSync(this.path, 'a', 0o600)
  }

  #try(work: () => void): void {
    if (this.#broken) return
    try {
      work()
    } catch (error) {
      this.#broken = true
      this.report(`what ${this.owner.key} says is not kept on disk any more: ${errorMessage(error)}`)
    }
  }
}

/** Contents of a file: its owner and the records up to the first incomplete one; undefined for other files. */
function readRecordFile(path: string): (RecordOwner & { entries: RecordLine[] }) | undefined {
  const [head = '', ...lines] = readFileSync(path, 'utf8').split('\n')
  const owner = parseJson(head)
  if (!isOwner(owner)) return undefined
  const entries: RecordLine[] = []
  for (const line of lines) {
    const record = parseJson(line)
    if (!isObject(record) || typeof record.seq !== 'number') break
    entries.push({ seq: record.seq, line })
  }
  return { run: owner.run, key: owner.key, entries }
}

const isOwner = (value: unknown): value is RecordOwner =>
  isObject(value) && typeof value.run === 'string' && typeof value.key === 'string'

import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { errorMessage } from '../../core/errors.ts'
import type { RecordLine } from '../acp/record-queue.ts'
import { isRecord } from '../protocol/frames.ts'

/** Whose records a file holds: its first line. */
export interface RecordOwner {
  run: string
  key: string
}

/** A file that has taken so many bytes since it was last short is written anew without what was acknowledged. */
const MAX_FILE_GROWTH = 8 << 20

/**
 * The records of one run of an agent, one a line, until somebody has acknowledged them: it is there for the next host
 * when this one is killed. A full disk is reported once; further records stay in memory.
 */
export class RecordFile {
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

  /** In place at once or not at all; opened to be added to. */
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

/** What a file holds: its owner and the records up to the first that is not whole; undefined when it is no such file. */
export function readRecordFile(path: string): (RecordOwner & { entries: RecordLine[] }) | undefined {
  const [head = '', ...lines] = readFileSync(path, 'utf8').split('\n')
  const owner = parsed(head)
  if (!isOwner(owner)) return undefined
  const entries: RecordLine[] = []
  for (const line of lines) {
    const record = parsed(line)
    if (!isRecord(record) || typeof record.seq !== 'number') break
    entries.push({ seq: record.seq, line })
  }
  return { run: owner.run, key: owner.key, entries }
}

const isOwner = (value: unknown): value is RecordOwner =>
  isRecord(value) && typeof value.run === 'string' && typeof value.key === 'string'

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

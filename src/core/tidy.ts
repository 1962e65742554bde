import { borrowJanitor, type Janitor } from './janitor.ts'
import type { Wal } from './wal.ts'

const CHECKPOINT_AT = 4 * 1024 * 1024
const RESTART_AT = 64 * 1024 * 1024

/**
 * Keeps a write-ahead log short: its pages are copied to the database in a thread as they come, and when a busy
 * writer never lets the log start over, writes (not the loop) wait once until it can.
 */
export class Tidy {
  readonly #lent = borrowJanitor()
  readonly #checkpointAt: number
  #restartAt: number
  readonly #step: number
  #running: Promise<void> | undefined
  #salt = ''
  #copied = 0

  constructor(
    private readonly path: string,
    private readonly wal: Wal,
    { checkpointAt = CHECKPOINT_AT, restartAt = RESTART_AT }: { checkpointAt?: number; restartAt?: number },
  ) {
    this.#checkpointAt = checkpointAt
    this.#restartAt = restartAt
    this.#step = restartAt
  }

  /** Looks at the log after a group; resolves when the next group may write. */
  async mind(): Promise<void> {
    if (this.#running || this.wal.size < this.#checkpointAt) return
    const { start } = this.wal
    if (start.salt !== this.#salt) this.#startOver(start.salt)
    if (!start.reaches(Math.min(this.#copied + this.#checkpointAt, this.#restartAt))) return
    const { bytes } = start
    if (bytes >= this.#restartAt) return this.#restart(bytes)
    this.#running = this.#checkpoint(bytes).finally(() => {
      this.#running = undefined
    })
  }

  /** Waits for another program that is writing; false when it would not end. */
  async unlocked(): Promise<boolean> {
    return this.#janitor.unlock(this.path).then(
      () => true,
      () => false,
    )
  }

  /** Copies what is left when asked to, and lets the thread's connection go. */
  async end(copy: boolean): Promise<void> {
    await this.#running
    if (copy && this.wal.size >= this.#checkpointAt) await this.#try('TRUNCATE')
    await this.#janitor.forget(this.path).catch(() => {})
    await this.#lent.giveBack()
  }

  get #janitor(): Janitor {
    return this.#lent.janitor
  }

  #startOver(salt: string): void {
    this.#salt = salt
    this.#copied = 0
    this.#restartAt = this.#step
  }

  async #checkpoint(bytes: number): Promise<void> {
    const result = await this.#try('PASSIVE')
    if (!result || result.log <= 0) this.#copied = bytes
    else this.#copied = Math.floor((bytes * result.checkpointed) / result.log)
  }

  async #restart(bytes: number): Promise<void> {
    const result = await this.#try('RESTART')
    if (!result || result.busy) this.#restartAt = bytes + this.#step
  }

  #try(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE') {
    return this.#janitor.checkpoint(this.path, mode).catch(() => undefined)
  }
}

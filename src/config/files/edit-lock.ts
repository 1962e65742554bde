import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { requireNoLinks } from '../../core/folders.ts'
import { Lock } from '../../core/lock.ts'

/** Beside the lock of a running city, which is held as long as it runs. */
export const EDIT_LOCK_FILE = '.gc/lock.edit'

/** Time an edit waits for others: each takes a fraction of a second. */
const MAX_WAIT_MS = 10_000
const RETRY_MS = 10

/**
 * The right to change the files of a city: the supervisor and commands that work without one take it from reading what
 * they edit until the edit is written. It ends with its process.
 */
export class EditLock implements Disposable {
  private constructor(
    /** The city's folder. */
    readonly folder: string,
    private readonly lock: Lock,
  ) {}

  /** Waits for anyone who has it, `maxWaitMs` at most; then throws a sentence that names them. */
  static async acquire(folder: string, maxWaitMs = MAX_WAIT_MS): Promise<EditLock> {
    requireNoLinks(folder, EDIT_LOCK_FILE)
    const path = join(folder, EDIT_LOCK_FILE)
    const end = performance.now() + maxWaitMs
    for (;;) {
      const lock = Lock.tryAcquire(path, 'an edit')
      if (lock) return new EditLock(folder, lock)
      if (performance.now() >= end) throw stillHeld(folder, Lock.holder(path))
      await Bun.sleep(RETRY_MS)
    }
  }

  [Symbol.dispose](): void {
    this.lock.release()
  }
}

const stillHeld = (folder: string, holder: string): AppError =>
  new AppError(
    'conflict-concurrent-modify',
    `conflict: the files of ${folder} are still being changed by ${holder}; try again when that has ended`,
  )

/** The end of an edit that found its files changed, each time it was made again, by somebody who takes no lock. */
export const keepsChanging = (): AppError =>
  new AppError('conflict-concurrent-modify', 'conflict: another process is changing the files; try again')

import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../core/errors.ts'
import { Lock } from '../core/lock.ts'
import { HostPaths } from '../host/protocol/index.ts'

/** A home in which no supervisor, network or session host runs, nor can start before it is released. */
export class HeldHome implements Disposable {
  readonly #locks: Lock[] = []

  /** Takes every lock of the home; throws a sentence that names who has one. */
  constructor(private readonly path: string) {
    const own = ['supervisor.lock', 'social.lock'].map((name) => join(path, name))
    const hosts = HostPaths.all(path).map(({ lock }) => lock)
    try {
      for (const lock of [...own, ...hosts].filter(existsSync)) this.#locks.push(acquire(lock))
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }

  /** The folders of the cities that are registered here. */
  cities(): string[] {
    const file = join(this.path, 'supervisor.db')
    if (!existsSync(file)) return []
    try {
      using db = new Database(file, { readwrite: true })
      return db
        .query<{ path: string }, []>('SELECT path FROM cities ORDER BY path')
        .all()
        .map(({ path }) => path)
    } catch (error) {
      throw new AppError(
        'store-unavailable',
        `${file} cannot be read (${errorMessage(error)}), so there may be cities in ${this.path}; look, and remove it yourself`,
      )
    }
  }

  [Symbol.dispose](): void {
    for (const lock of this.#locks.splice(0)) lock.release()
  }
}

function acquire(path: string): Lock {
  const lock = Lock.tryAcquire(path, 'gc uninstall')
  if (lock) return lock
  throw new AppError(
    'conflict-wrong-state',
    `${Lock.holder(path)} still runs; \`gc down\` ends it with the agents, then uninstall again`,
  )
}

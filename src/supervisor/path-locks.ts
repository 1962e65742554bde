import { AppError } from '../core/errors.ts'

/** Lets one request at a time work on a folder; another is rejected. */
export class PathLocks {
  readonly #locked = new Set<string>()

  async use<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (this.#locked.has(path)) {
      throw new AppError(
        'operation-in-progress',
        `conflict: another request is working on ${path}; try again when it is done`,
      )
    }
    this.#locked.add(path)
    try {
      return await work()
    } finally {
      this.#locked.delete(path)
    }
  }
}

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AppError } from '../../core/errors.ts'

/** The folder an agent works in: what it asks us to read, write or run lies in there, wherever links lead. */
export class SessionFolder {
  readonly #root: string

  constructor(path: string) {
    this.#root = realpathSync(path)
  }

  get path(): string {
    return this.#root
  }

  /** The real path of what a path names, or will name once it is made; throws when it lies outside. */
  resolveInside(path: string): string {
    if (path.includes('\0')) throw outside(path)
    const real = realOf(isAbsolute(path) ? resolve(path) : resolve(this.#root, path))
    const from = relative(this.#root, real)
    if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw outside(path)
    return real
  }
}

const outside = (path: string) =>
  new AppError('forbidden', `${JSON.stringify(path)} lies outside the folder of this session`)

/** Links are followed as far as the path exists; a broken link is an error, since it may lead anywhere later. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isMissing(error)) throw outside(path)
  }
  if (lstatSync(path, { throwIfNoEntry: false })) throw outside(path)
  return join(realOf(dirname(path)), basename(path))
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

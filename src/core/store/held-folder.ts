import { closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join, parse, resolve, sep } from 'node:path'

const O_PATH = 0o10000000
const FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const CAN_HOLD = process.platform === 'linux'

/**
 * A folder that was reached without a link, and stays the same one whatever others put in its place or in that of a folder
 * around it. Only Linux holds a folder so; elsewhere each step to it is looked at.
 */
export class HeldFolder implements Disposable {
  private constructor(
    private readonly path: string,
    private readonly descriptor: number | undefined,
  ) {}

  /** Undefined where a part of the path is not there, or is not a folder but a link or a file. */
  static find(path: string): HeldFolder | undefined {
    const { root } = parse(resolve(path))
    using first = HeldFolder.#open(root, root)
    return first?.below(resolve(path).slice(root.length))
  }

  /** A folder below this one; `make` makes what is not there of it. Undefined as for `find`. */
  below(path: string, { make = false } = {}): HeldFolder | undefined {
    const [name, ...rest] = path.split(sep).filter((part) => part !== '' && part !== '.')
    if (name === undefined) return HeldFolder.#open(this.at('.'), this.path)
    if (make && !lstatSync(this.at(name), { throwIfNoEntry: false })) mkdirSync(this.at(name))
    const next = HeldFolder.#open(this.at(name), join(this.path, name))
    if (rest.length === 0) return next
    using step = next
    return step?.below(rest.join(sep), { make })
  }

  /** Names what is in the folder, for calls that follow no link at the end of a path. */
  at(name: string): string {
    return this.descriptor === undefined ? join(this.path, name) : `/proc/self/fd/${this.descriptor}/${name}`
  }

  [Symbol.dispose](): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
  }

  static #open(at: string, path: string): HeldFolder | undefined {
    if (!CAN_HOLD) {
      return lstatSync(at, { throwIfNoEntry: false })?.isDirectory() ? new HeldFolder(path, undefined) : undefined
    }
    try {
      return new HeldFolder(path, openSync(at, FLAGS))
    } catch {
      return undefined
    }
  }
}

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { failure, usageError } from '../io/exit.ts'

const NAME = /^[A-Za-z0-9_-]{2,32}$/

/** An answer with the key in it, and whose it is. */
interface IssuedKey<Made> {
  made: Made
  name: string
  key: string
}

/** The keys of the agents that registered here: a file each, which only its owner reads. */
export class SocialKeys {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'social-keys')
  }

  /** The names of the agents whose keys lie here. */
  names(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => NAME.test(name))
        .sort()
    } catch {
      return []
    }
  }

  /** The key of an agent, its name in any case. */
  read(name: string): string {
    const found = this.#findName(name)
    if (!found) {
      throw failure(
        `there is no key of ${name} in ${this.#folder}; \`gc social register ${name}\` creates an account, ` +
          `and the operator’s \`gc social key reissue ${name}\` replaces a lost key`,
      )
    }
    const key = readFileSync(join(this.#folder, found), 'utf8').trim()
    if (!key) throw failure(`${join(this.#folder, found)} is empty; the key is lost`)
    return key
  }

  /** The agent that is meant when none was said: the only one there is. */
  only(): string {
    const [only, ...others] = this.names()
    if (!only) throw failure('no agent is registered here; `gc social register <name>` creates an account')
    if (others.length > 0)
      throw usageError(`which agent? There are ${[only, ...others].join(', ')}; say \`--as <name>\``)
    return only
  }

  /** Refuses to write over the key of an account: nobody could read it again. */
  requireUnknown(name: string): void {
    const found = this.#findName(name)
    if (!found) return
    throw failure(`${join(this.#folder, found)} already holds the key of ${found}; move it away to register again`)
  }

  /**
   * Keeps the key that `make` gets. The file is there before anything is asked, since a key that cannot be written
   * down is lost.
   */
  async store<Made>(name: string, make: () => Promise<IssuedKey<Made>>): Promise<{ made: Made; path: string }> {
    checkName(name)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const fresh = join(this.#folder, `.${name}.${process.pid}.new`)
    rmSync(fresh, { force: true })
    const file = openSync(fresh, 'wx', 0o600)
    try {
      const { made, name: named, key } = await make()
      const path = join(this.#folder, this.#findName(named) ?? named)
      writeSync(file, `${key}\n`)
      fsyncSync(file)
      renameSync(fresh, path)
      return { made, path }
    } finally {
      closeSync(file)
      rmSync(fresh, { force: true })
    }
  }

  #findName(name: string): string | undefined {
    const wanted = checkName(name).toLowerCase()
    return this.names().find((each) => each.toLowerCase() === wanted)
  }
}

function checkName(name: string): string {
  if (!NAME.test(name)) throw usageError('a name has 2 to 32 letters, digits, underscores or hyphens')
  return name
}

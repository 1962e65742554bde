import {
  closeSync,
  existsSync,
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
/** The ending of the file of a key that signs requests. */
const SIGNING = '.pem'

/** A response with a key, and the name of its agent. */
interface IssuedKey<Response> {
  response: Response
  name: string
  key: string
}

/**
 * The keys of the agents registered here: a file each, readable only by its owner, with an API key or with the key that
 * signs requests.
 */
export class SocialKeys {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'social-keys')
  }

  /** The names of the agents whose keys are stored. */
  names(): string[] {
    try {
      const files = readdirSync(this.#folder).map((file) =>
        file.endsWith(SIGNING) ? file.slice(0, -SIGNING.length) : file,
      )
      return [...new Set(files)].filter((name) => NAME.test(name)).sort()
    } catch {
      return []
    }
  }

  /** The key of an agent; the case of its name does not matter. */
  read(name: string): string {
    const stored = this.#findName(name)
    if (!stored) {
      throw failure(
        `there is no key of ${name} in ${this.#folder}; \`gc social register ${name}\` creates an account, ` +
          `and the operator’s \`gc social key reissue ${name}\` replaces a lost key`,
      )
    }
    const signing = this.signingPath(stored)
    const path = existsSync(signing) ? signing : join(this.#folder, stored)
    return readKeyFile(path)
  }

  /** Path of an agent's signing key. */
  signingPath(name: string): string {
    return join(this.#folder, `${this.#findName(name) ?? name}${SIGNING}`)
  }

  /** Removes the API key of an agent, which is not accepted any more. */
  removeApiKey(name: string): void {
    rmSync(join(this.#folder, this.#findName(name) ?? name), { force: true })
  }

  /** The only agent there is; throws when there are none or several. */
  only(): string {
    const [only, ...others] = this.names()
    if (!only) throw failure('no agent is registered here; `gc social register <name>` creates an account')
    if (others.length > 0)
      throw usageError(`which agent? There are ${[only, ...others].join(', ')}; say \`--as <name>\``)
    return only
  }

  /** Writes the private key of an agent once `add` has registered its public part; returns where. */
  async storeSigningKey(name: string, pem: string, add: () => Promise<unknown>): Promise<string> {
    const path = this.signingPath(checkName(name))
    const fresh = join(this.#folder, `.${name}.${process.pid}.new`)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    rmSync(fresh, { force: true })
    const file = openSync(fresh, 'wx', 0o600)
    try {
      writeSync(file, pem)
      fsyncSync(file)
      await add()
      renameSync(fresh, path)
      return path
    } finally {
      closeSync(file)
      rmSync(fresh, { force: true })
    }
  }

  /** Throws when a key of this name is stored, since overwriting would lose it. */
  requireUnknown(name: string): void {
    const stored = this.#findName(name)
    if (!stored) return
    throw failure(`${join(this.#folder, stored)} already holds the key of ${stored}; move it away to register again`)
  }

  /**
   * Stores the key that `issue` returns. The file is created before the request, since a key that cannot be stored
   * is lost.
   */
  async store<Response>(
    name: string,
    issue: () => Promise<IssuedKey<Response>>,
  ): Promise<{ response: Response; path: string }> {
    checkName(name)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const fresh = join(this.#folder, `.${name}.${process.pid}.new`)
    rmSync(fresh, { force: true })
    const file = openSync(fresh, 'wx', 0o600)
    try {
      const { response, name: issuedName, key } = await issue()
      const path = join(this.#folder, this.#findName(issuedName) ?? issuedName)
      writeSync(file, `${key}\n`)
      fsyncSync(file)
      renameSync(fresh, path)
      return { response, path }
    } finally {
      closeSync(file)
      rmSync(fresh, { force: true })
    }
  }

  #findName(name: string): string | undefined {
    const lowerCase = checkName(name).toLowerCase()
    return this.names().find((each) => each.toLowerCase() === lowerCase)
  }
}

/** The key in a file. */
export function readKeyFile(path: string): string {
  if (!existsSync(path)) throw failure(`there is no key file ${path}`)
  const key = readFileSync(path, 'utf8').trim()
  if (!key) throw failure(`${path} is empty; the key is lost`)
  return key
}

function checkName(name: string): string {
  if (!NAME.test(name)) throw usageError('a name has 2 to 32 letters, digits, underscores or hyphens')
  return name
}

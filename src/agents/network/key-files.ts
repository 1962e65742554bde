import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { writePrivateFile } from '../../core/private-file.ts'

/** The private keys with which the agents of a city sign their requests: a file each, which only its owner can read. */
export class KeyFiles {
  constructor(
    /** The city's folder. */
    private readonly city: string,
  ) {}

  /** Where the key of an agent lies. */
  pathOf(agent: string): string {
    return join(this.city, '.gc', 'social', `${encodeURIComponent(agent)}.pem`)
  }

  has(agent: string): boolean {
    return existsSync(this.pathOf(agent))
  }

  /** The public part of an agent's key: `x` of the JWK. The key is made if there is none. */
  async publicKeyOf(agent: string): Promise<string> {
    const path = this.pathOf(agent)
    requireNoLinks(this.city, join('.gc', 'social', `${encodeURIComponent(agent)}.pem`))
    if (!existsSync(path)) {
      createFolder(join(this.city, '.gc', 'social'))
      const { privateKey } = generateKeyPairSync('ed25519')
      await writePrivateFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    }
    return readPublicKey(path)
  }
}

function readPublicKey(path: string): string {
  try {
    const { x } = createPublicKey(createPrivateKey(readFileSync(path, 'utf8'))).export({ format: 'jwk' })
    if (x) return x
  } catch {}
  throw new AppError('conflict-wrong-state', `${path} is not a private Ed25519 key; remove it to get another`)
}

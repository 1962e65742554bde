import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import {
  CITY_CREDENTIALS,
  type CredentialRule,
  GLOBAL_CREDENTIALS,
  normalizeMatch,
  POINTERS,
  readRules,
  renderRules,
  requireSecret,
} from '../packs/index.ts'

/** Scope of a new rule: one city, or every city of this machine. */
export interface CredentialScope {
  readonly city: string | undefined
  readonly home: string
}

export interface NewCredential {
  readonly match: string
  readonly username?: string
  /** Exactly one of these; files with their whole path. */
  readonly pointers: Partial<Record<(typeof POINTERS)[number], string>>
}

export const credentialsPath = ({ city, home }: CredentialScope): string =>
  city === undefined ? join(home, GLOBAL_CREDENTIALS) : join(city, CITY_CREDENTIALS)

export const listCredentials = (scope: CredentialScope): CredentialRule[] => readRules(credentialsPath(scope))

/** Writes a rule, in the place of one for the same host and path; the file that it points to must be there. */
export async function addCredential(
  scope: CredentialScope,
  { match, username, pointers }: NewCredential,
): Promise<string> {
  const [pointer, ...more] = POINTERS.flatMap((kind) => {
    const value = pointers[kind]
    return value ? [{ kind, value }] : []
  })
  if (!pointer || more.length > 0) {
    throw new AppError(
      'invalid-request',
      'say where the secret is by exactly one of --helper, --token-file, --token-env and --ssh-key-file',
    )
  }
  requireSecret(pointer)
  const rule = { match: normalizeMatch(match), pointer, ...(username && { username }) }
  const others = listCredentials(scope).filter((each) => each.match !== rule.match)
  await write(scope, [...others, rule])
  return rule.match
}

export async function removeCredential(scope: CredentialScope, text: string): Promise<string> {
  const match = normalizeMatch(text)
  const rules = listCredentials(scope)
  const others = rules.filter((each) => each.match !== match)
  if (others.length === rules.length) {
    throw new AppError('credential-not-found', `there is no credential for ${match} in ${credentialsPath(scope)}`)
  }
  await write(scope, others)
  return match
}

/** Only its owner can read the file from the moment it exists. */
async function write(scope: CredentialScope, rules: readonly CredentialRule[]): Promise<void> {
  const path = credentialsPath(scope)
  if (scope.city !== undefined) requireNoLinks(scope.city, CITY_CREDENTIALS)
  if (!existsSync(dirname(path))) createFolder(dirname(path))
  await writePrivateFile(path, renderRules(rules))
}

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { isLoopback } from '../../../http/authority.ts'
import type { ProviderSettings } from './provider.ts'

const text = Type.String({ minLength: 1 })
const url = Type.String({ format: 'uri', pattern: '^https?://', examples: ['https://login.example.com'] })

/** A `[[provider]]` of `social.toml`. */
export const ProviderTable = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,30}$', examples: ['my-provider'] }),
    label: Type.Optional(text),
    kind: Type.Optional(Type.Union([Type.Literal('oidc'), Type.Literal('oauth2')])),
    issuer: url,
    client_id: text,
    client_secret_file: Type.Optional(text),
    client_secret_env: Type.Optional(text),
    scope: Type.Optional(text),
    authorization_endpoint: Type.Optional(url),
    token_endpoint: Type.Optional(url),
    user_endpoint: Type.Optional(url),
    subject_field: Type.Optional(text),
    name_field: Type.Optional(text),
  },
  { additionalProperties: false },
)
export type ProviderTable = Static<typeof ProviderTable>

export interface SecretSource {
  /** The file that the table is in; secret files are relative to it. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  errorFor(problem: string): Error
}

/** The settings of a provider; throws what `errorFor` makes of a mistake. */
export function parseProvider(table: ProviderTable, source: SecretSource): ProviderSettings {
  const { id, issuer, client_id: clientId, kind = 'oidc', scope } = table
  const { authorization_endpoint, token_endpoint, user_endpoint } = table
  for (const each of [issuer, authorization_endpoint, token_endpoint, user_endpoint]) {
    if (each !== undefined && !isSecure(each)) throw source.errorFor(`provider ${id}: ${each} is not https`)
  }
  const clientSecret = readSecret(table, source)
  const common = { id, label: table.label ?? id, issuer, clientId, clientSecret, scope }
  if (kind === 'oidc') return { kind, ...common }
  if (authorization_endpoint === undefined || token_endpoint === undefined || user_endpoint === undefined) {
    throw source.errorFor(
      `provider ${id} of kind oauth2 needs authorization_endpoint, token_endpoint and user_endpoint`,
    )
  }
  return {
    ...{ kind, ...common, authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint },
    userEndpoint: user_endpoint,
    subjectField: table.subject_field ?? 'id',
    nameField: table.name_field ?? 'name',
  }
}

/** The secret is never in `social.toml` itself, nor in a command line. */
const readSecret = ({ id, client_secret_file, client_secret_env }: ProviderTable, source: SecretSource): string =>
  readSecretFrom(
    { owner: `provider ${id}`, field: 'client_secret', file: client_secret_file, variable: client_secret_env },
    source,
  )

/** Location of a secret: a file readable only by its owner, or an environment variable. */
interface SecretPlace {
  readonly owner: string
  readonly field: string
  readonly file: string | undefined
  readonly variable: string | undefined
}

/** Reads a secret that `social.toml` says the place of. */
export function readSecretFrom(
  { owner, field, file, variable }: SecretPlace,
  { path, env, errorFor }: SecretSource,
): string {
  if (file !== undefined) {
    const secretPath = resolve(dirname(path), file)
    if (!existsSync(secretPath)) throw errorFor(`${owner}: there is no file ${secretPath}`)
    if (process.platform !== 'win32' && (statSync(secretPath).mode & 0o077) !== 0) {
      throw errorFor(`${owner}: others can read ${secretPath}; restrict it with chmod 600`)
    }
    return readFileSync(secretPath, 'utf8').trim()
  }
  const secret = variable === undefined ? undefined : env[variable]
  if (secret) return secret
  throw errorFor(`${owner} has no secret: set ${field}_file, or ${field}_env and that variable`)
}

function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopback(hostname.replace(/[[\]]/g, ''))
}

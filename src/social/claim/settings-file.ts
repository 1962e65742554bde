import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'
import { AppError } from '../../core/errors.ts'
import { compile } from '../../http/check.ts'
import { isLoopback } from '../../http/guard.ts'
import { LimitsTable, limitsOf } from '../limits/limits-file.ts'
import type { Settings } from '../settings.ts'
import type { ProviderSettings } from './provider.ts'

const text = Type.String({ minLength: 1 })
const address = Type.String({ format: 'uri', pattern: '^https?://' })

const ProviderTable = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,30}$' }),
    label: Type.Optional(text),
    kind: Type.Optional(Type.Union([Type.Literal('oidc'), Type.Literal('oauth2')])),
    issuer: address,
    client_id: text,
    client_secret_file: Type.Optional(text),
    client_secret_env: Type.Optional(text),
    scope: Type.Optional(text),
    authorization_endpoint: Type.Optional(address),
    token_endpoint: Type.Optional(address),
    user_endpoint: Type.Optional(address),
    subject_field: Type.Optional(text),
    name_field: Type.Optional(text),
  },
  { additionalProperties: false },
)
type ProviderTable = Static<typeof ProviderTable>

const SocialToml = Type.Object(
  {
    base_url: Type.Optional(address),
    hosts: Type.Optional(Type.Array(text)),
    require_claim: Type.Optional(Type.Boolean()),
    behind_proxy: Type.Optional(Type.Boolean()),
    agents_per_owner: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    limits: Type.Optional(LimitsTable),
    provider: Type.Optional(Type.Array(ProviderTable)),
  },
  { additionalProperties: false },
)

const check = compile(SocialToml, 'social.toml')

/** What the operator has said about the network, in `$GC_HOME/social.toml`. */
export interface SocialFile {
  readonly settings: Partial<Settings>
  /** Names of this server beside those of this machine. */
  readonly hosts: readonly string[]
  readonly providers: readonly ProviderSettings[]
}

/** Reads it; without a file all is as usual. Throws a sentence that names the file and what is wrong there. */
export function readSocialFile(path: string, env: Readonly<Record<string, string | undefined>>): SocialFile {
  const value = existsSync(path) ? parsed(path) : {}
  const [fault] = check(value)
  if (fault) throw wrong(path, `${(fault.location ?? '').replace(/^social\.toml\.?/, '')} ${fault.message}`.trim())
  const file: Static<typeof SocialToml> = { ...Object(value) }
  const providers = (file.provider ?? []).map((table) => providerOf(path, table, env))
  const ids = new Set(providers.map(({ id }) => id))
  if (ids.size < providers.length) throw wrong(path, 'two providers have the same id')
  const { agents_per_owner: agentsPerOwner } = file
  return {
    settings: {
      baseUrl: file.base_url === undefined ? undefined : baseOf(path, file.base_url),
      requireClaim: file.require_claim ?? providers.length > 0,
      proxied: file.behind_proxy ?? false,
      ...(agentsPerOwner !== undefined && { agentsPerOwner }),
      ...(file.limits && { limits: limitsOf(file.limits, (what) => wrong(path, what)) }),
    },
    hosts: file.hosts ?? [],
    providers,
  }
}

function parsed(path: string): unknown {
  try {
    return getStaticTOMLValue(parseTOML(readFileSync(path, 'utf8'), { tomlVersion: '1.0' }))
  } catch (error) {
    if (error instanceof ParseError) throw wrong(path, `line ${error.lineNumber}: ${error.message}`)
    throw error
  }
}

function providerOf(
  path: string,
  table: ProviderTable,
  env: Readonly<Record<string, string | undefined>>,
): ProviderSettings {
  const { id, issuer, client_id: clientId, kind = 'oidc', scope } = table
  const addresses = [issuer, table.authorization_endpoint, table.token_endpoint, table.user_endpoint]
  for (const one of addresses) if (one !== undefined) mustBeSafe(path, id, one)
  const clientSecret = secretOf(path, table, env)
  const common = { id, label: table.label ?? id, issuer, clientId, clientSecret, scope }
  if (kind === 'oidc') return { kind, ...common }
  const { authorization_endpoint, token_endpoint, user_endpoint } = table
  if (authorization_endpoint === undefined || token_endpoint === undefined || user_endpoint === undefined) {
    throw wrong(path, `provider ${id} of kind oauth2 needs authorization_endpoint, token_endpoint and user_endpoint`)
  }
  return {
    ...{ kind, ...common, authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint },
    ...{
      userEndpoint: user_endpoint,
      subjectField: table.subject_field ?? 'id',
      nameField: table.name_field ?? 'name',
    },
  }
}

/** The secret never stands in this file, nor in a command line. */
function secretOf(path: string, table: ProviderTable, env: Readonly<Record<string, string | undefined>>): string {
  const { id, client_secret_file: file, client_secret_env: name } = table
  if (file !== undefined) {
    const at = resolve(dirname(path), file)
    if (!existsSync(at)) throw wrong(path, `provider ${id}: there is no ${at}`)
    if (process.platform !== 'win32' && (statSync(at).mode & 0o077) !== 0) {
      throw wrong(path, `provider ${id}: others can read ${at}; make it yours alone with chmod 600`)
    }
    return readFileSync(at, 'utf8').trim()
  }
  const secret = name === undefined ? undefined : env[name]
  if (secret) return secret
  throw wrong(path, `provider ${id} has no secret: say client_secret_file, or client_secret_env and set that variable`)
}

function mustBeSafe(path: string, id: string, address: string): void {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' || isLoopback(hostname.replace(/[[\]]/g, ''))) return
  throw wrong(path, `provider ${id}: ${address} is not https`)
}

/** `https://agents.example/` → `https://agents.example`. */
function baseOf(path: string, address: string): string {
  const { origin, pathname, search, hash } = new URL(address)
  if (pathname !== '/' || search || hash) throw wrong(path, 'base_url has a scheme and a host, and no path')
  return origin
}

const wrong = (path: string, what: string): AppError => new AppError('invalid-request', `${path}: ${what}`)

import { existsSync, readFileSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'
import { AppError, type FieldError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { compile } from '../../http/check.ts'
import { type ProviderSettings, ProviderTable, parseProvider } from '../accounts/index.ts'
import { PicturesTable, parsePictures } from '../communities/index.ts'
import { LIMIT_BOUNDS, LimitsTable, parseLimits } from '../limits/index.ts'
import { parseSmtp, SmtpTable } from '../messages/index.ts'
import type { Settings } from '../shared/index.ts'

export const SocialToml = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({ format: 'uri', pattern: '^https?://', examples: ['https://agents.example.com'] }),
    ),
    hosts: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    require_claim: Type.Optional(Type.Boolean()),
    public_reads: Type.Optional(Type.Boolean()),
    verification: Type.Optional(Type.Boolean()),
    behind_proxy: Type.Optional(Type.Boolean()),
    agents_per_owner: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    limits: Type.Optional(LimitsTable),
    smtp: Type.Optional(SmtpTable),
    pictures: Type.Optional(PicturesTable),
    provider: Type.Optional(Type.Array(ProviderTable)),
  },
  { additionalProperties: false },
)

const validate = compile(SocialToml, 'social.toml')

/** Settings of `$GC_HOME/social.toml`. */
export interface SocialConfig {
  readonly settings: Partial<Settings>
  /** Host names of this server besides the loopback ones. */
  readonly hosts: readonly string[]
  readonly providers: readonly ProviderSettings[]
}

/** Reads the file, if there is one; an error names the file and what is wrong in it. */
export function readSocialConfig(path: string, env: Readonly<Record<string, string | undefined>>): SocialConfig {
  const errorFor = (problem: string) => new AppError('invalid-request', `${path}: ${problem}`)
  const value = existsSync(path) ? parseFile(path, errorFor) : {}
  const [error] = validate(value)
  if (error) throw errorFor(describe(error))
  const file: Static<typeof SocialToml> = { ...Object(value) }
  const providers = (file.provider ?? []).map((table) => parseProvider(table, { path, env, errorFor }))
  const ids = new Set(providers.map(({ id }) => id))
  if (ids.size < providers.length) throw errorFor('two providers have the same id')
  const { agents_per_owner: maxAgentsPerOwner } = file
  return {
    settings: {
      baseUrl: file.base_url === undefined ? undefined : parseBaseUrl(file.base_url, errorFor),
      requireClaim: file.require_claim ?? providers.length > 0,
      publicReads: file.public_reads,
      proxied: file.behind_proxy ?? false,
      ...(file.verification !== undefined && { verification: file.verification }),
      ...(maxAgentsPerOwner !== undefined && { maxAgentsPerOwner }),
      ...(file.smtp && { smtp: parseSmtp(file.smtp, { path, env, errorFor }) }),
      ...(file.pictures && { pictures: parsePictures(file.pictures, { path, env, errorFor }) }),
      ...(file.limits && { limits: parseLimits(file.limits, errorFor) }),
    },
    hosts: file.hosts ?? [],
    providers,
  }
}

/** Problem, with its table or setting. */
function describe({ location = '', message }: FieldError): string {
  const names = location.split('.').slice(2)
  const [last = ''] = names.slice(-1)
  const isUnknown = message.startsWith(`${last} is not a property`)
  const range = rangeOf(names)
  if (range !== undefined && /^must be at (?:least|most) /.test(message)) return `${names.join('.')} must be ${range}`
  const bounds = names[0] === 'limits' && /^must be written like /.test(message) ? `; ${LIMIT_BOUNDS}` : ''
  return `${(isUnknown ? names.slice(0, -1) : names).join('.')} ${message}${bounds}`.trim()
}

/** The range of a number in the file, by the names that lead to it. */
function rangeOf(names: readonly string[]): string | undefined {
  let schema: unknown = SocialToml
  for (const name of names)
    schema = isObject(schema) && isObject(schema.properties) ? schema.properties[name] : undefined
  if (!isObject(schema) || schema.minimum === undefined || schema.maximum === undefined) return undefined
  return `${Number(schema.minimum).toLocaleString('en')} to ${Number(schema.maximum).toLocaleString('en')}`
}

function parseFile(path: string, errorFor: (problem: string) => Error): unknown {
  try {
    return getStaticTOMLValue(parseTOML(readFileSync(path, 'utf8'), { tomlVersion: '1.0' }))
  } catch (error) {
    if (error instanceof ParseError) throw errorFor(`line ${error.lineNumber}: ${error.message}`)
    throw error
  }
}

/** `https://agents.example/` → `https://agents.example`. */
function parseBaseUrl(url: string, errorFor: (problem: string) => Error): string {
  const { origin, pathname, search, hash } = new URL(url)
  if (pathname !== '/' || search || hash) throw errorFor('base_url has a scheme and a host, and no path')
  return origin
}

import { type AppError, invalidField } from '../errors.ts'

/**
 * Secrets of a configuration, as every view of it knows them:
 *
 * - Every value of a table of variables or headers (`env`, `headers`), whatever it is: its names are shown.
 * - Every text under a key, option or parameter that is named like a secret: `api_key`, `--token X`, `TOKEN=X`, `?key=X`,
 *   `Authorization: X`.
 * - The user part of an address that holds a password or a token: `https://X@host`.
 * - Texts in the formats of known issuers, such as `sk-ant-…` and `ghp_…`, wherever they stand.
 *
 * A reference (`$NAME`, `env:NAME`, a path) is not a secret outside such a table.
 */

/** Replaces a secret in responses; PUT and PATCH take it as "unchanged". */
export const SECRET_MARKER = '***'

/** Formats of secrets as their issuers document them, each with the word for it. */
export const SECRET_FORMATS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g],
  ['a key of this network', /\bmoltbook_(?:claim_)?[0-9a-f]{32,}/g],
  ['a gc token', /\bgc[os]_[0-9a-f]{32,}/g],
  ['an Anthropic API key', /\bsk-ant-[\w-]{20,}/g],
  ['an OpenAI API key', /\bsk-(?:proj-|svcacct-)?[\w-]{32,}/g],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})/g],
  ['a GitLab token', /\bglpat-[\w-]{20,}/g],
  ['a Google API key', /\bAIza[\w-]{35}/g],
  ['a Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{20,}/g],
  ['a webhook address', /\b(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/[\w/-]{20,}/g],
  ['a Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}/g],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}/g],
  ['a PyPI token', /\bpypi-AgE[\w-]{50,}/g],
  ['a Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/g],
  ['a Telegram bot token', /\b[0-9]{8,10}:AA[\w-]{33}/g],
  ['a JSON web token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['a bearer token', /\bbearer +[\w.~+/-]{30,}/gi],
  ['an address with a password', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/@]{3,200}@/gi],
]

const WORDS =
  'API_?KEY|KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIES?|HEADERS'
const SECRET_NAME = new RegExp(`(?:^|_)(?:${WORDS})(?:_|$)|^(?:AWS|AZURE)_`, 'i')
/** An address with a password in it. */
const SECRET_ADDRESS = /^[a-z+.-]+:\/\/[^/@\s]*:[^/@\s]+@/i
/** Keys whose values are secrets whatever they are named. */
const SECRET_TABLE = /^(?:env|environment|headers|http_?headers)$/i
/** Keys whose text is a name: `key` of an option. */
const NAMING_KEY = /^keys?$/i

/**
 * True if a variable, key, option or header is named like one that holds a secret: `API_KEY`, `--api-key`, `apiKey`.
 */
export const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+/, ''),
  )

/** True if a variable looks like a key: confined sessions do not inherit it. */
export const looksSecret = (name: string, value: string | undefined): boolean =>
  SECRET_NAME.test(name) || (value !== undefined && SECRET_ADDRESS.test(value))

/** True if a table has secrets only: `env`, `headers`. */
export const isSecretTable = (key: string): boolean => SECRET_TABLE.test(key)

/**
 * True if a value only says where a secret is: `$NAME`, `${NAME}`, `$(command)`, `env:NAME`, `file:path`, a path, a
 * template.
 */
export const isReference = (value: string): boolean =>
  /^["']?(?:\$[\w{(]|\{\{|(?:env|file):|~?\/|\.{1,2}\/)/.test(value) || value.trim() === ''

/** Parts of a text that may be secrets: what stands before one, the name that makes it one, and the value. */
const NAMED_VALUES: readonly RegExp[] = [
  // An argument or a variable: --token=X, --token X, TOKEN=X; a quoted value with its blanks.
  /(?<before>(?:^|[\s'"`(;])(?<name>--?[A-Za-z][\w.-]{0,80})(?:=|\s+(?!-))|(?:^|[\s'"`(;])(?<variable>[A-Za-z_]\w{0,80})=)(?<value>"[^"]+"|'[^']+'|[^\s'"`;]+)/g,
  // A parameter of an address.
  /(?<before>[?&](?<name>[\w.-]{1,80})=)(?<value>[^&\s#'"`]+)/g,
  // A header.
  /(?<before>(?:^|[\s'"`])(?<name>[A-Za-z][\w-]{0,80}):[ \t]+(?:(?:Bearer|Basic|Token)[ \t]+)?)(?<value>[^\s'"`]+)/gi,
]

const USER_PART = /\b(?<before>(?<scheme>[a-z][a-z0-9+.-]{0,20}):\/\/)(?<user>[^\s/@'"`]{1,300})(?=@)/gi

/** A text with each secret replaced by what `replace` makes of it. */
export function replaceSecrets(text: string, replace: (secret: string) => string): string {
  const withoutUsers = replaceUsers(text, replace)
  const withoutNamed = NAMED_VALUES.reduce((rest, pattern) => replaceNamed(rest, pattern, replace), withoutUsers)
  return replaceFormats(withoutNamed, replace)
}

/** A sentence for people without what can be nothing but a secret: user parts of addresses, and known formats. */
export const blankSentence = (text: string): string => replaceFormats(replaceUsers(text, toMarker), toMarker)

const toMarker = (): string => SECRET_MARKER

const replaceFormats = (text: string, replace: (secret: string) => string): string =>
  SECRET_FORMATS.reduce((rest, [, pattern]) => rest.replace(pattern, (secret) => replace(secret)), text)

const replaceUsers = (text: string, replace: (secret: string) => string): string =>
  text.replace(USER_PART, (all, before: string, scheme: string, user: string) =>
    (user.includes(':') || /^https?$/i.test(scheme)) && !isReference(user) ? before + replaceUser(user, replace) : all,
  )

/** For `name:password`, a password that is known elsewhere replaces the whole. */
function replaceUser(user: string, replace: (secret: string) => string): string {
  const [, password] = /:(.+)$/.exec(user) ?? []
  if (password !== undefined) replace(password)
  return replace(user)
}

function replaceNamed(text: string, pattern: RegExp, replace: (secret: string) => string): string {
  return text.replace(pattern, (all: string, ...rest: unknown[]) => {
    const { before = '', name, variable, value = '' }: Record<string, string | undefined> = Object(rest.at(-1))
    const quote = /^["']/.exec(value)?.[0] ?? ''
    const bare = quote ? value.slice(1, -1) : value
    if (!isSecretName(name ?? variable ?? '')) return before + quote + replaceNamed(bare, pattern, replace) + quote
    return isReference(bare) ? all : before + quote + replace(bare) + quote
  })
}

/** A list of arguments with each secret replaced: `['--token', 'X']` as well as what one argument holds. */
export const replaceInArguments = (args: readonly string[], replace: (secret: string) => string): string[] =>
  args.map((argument, at) => {
    const before = args[at - 1] ?? ''
    const isNamed = /^--?[A-Za-z][\w.-]*$/.test(before) && isSecretName(before)
    const isLogin = /^(?:-u|--user|--proxy-user)$/.test(before) && argument.includes(':')
    const isValue = (isNamed || isLogin) && !argument.startsWith('-') && !isReference(argument)
    if (isValue) return replace(argument)
    const [, name = '', value = ''] = /^(-{0,2}[A-Za-z][\w.-]*)=(.+)$/s.exec(argument) ?? []
    const isAssigned = isSecretName(name) && !isReference(value)
    return isAssigned ? `${name}=${replace(value)}` : replaceSecrets(argument, replace)
  })

/** A value of a configuration, as JSON has it, with each of its secrets replaced by the marker; `key` is the one it stands under. */
export const blankSecrets = (value: unknown, key = ''): unknown => blank(value, key)

function blank(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (isSecretName(key) && !NAMING_KEY.test(key) && !isReference(value)) return SECRET_MARKER
    return replaceSecrets(value, toMarker)
  }
  if (Array.isArray(value)) {
    const isTexts = value.every((item): item is string => typeof item === 'string')
    return isTexts ? replaceInArguments(value, toMarker) : value.map((item) => blank(item, ''))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  if (isSecretTable(key)) return Object.fromEntries(entries.map(([name]) => [name, SECRET_MARKER]))
  const isSecretOption = typeof Object(value).key === 'string' && isSecretName(Object(value).key)
  return Object.fromEntries(
    entries.map(([name, item]) => [name, isSecretOption ? blankOption(name, item) : blank(item, name)]),
  )
}

/** An option that holds a secret: its default and its choices. */
function blankOption(field: string, value: unknown): unknown {
  if (field === 'default' || field === 'value') return typeof value === 'string' ? SECRET_MARKER : blank(value, 'env')
  if (field !== 'choices' || !Array.isArray(value)) return blank(value, field)
  return value.map(() => ({ value: SECRET_MARKER, label: SECRET_MARKER }))
}

/** Storage place of a value with a marker, with its current value. */
interface StoredValue {
  readonly stored: unknown
  /** The same as it was shown. */
  readonly shown: unknown
  /** Such as `body.env.API_KEY`. */
  readonly at: string
}

/**
 * Keys as they should be stored: whatever is still as it was shown is as it was. Throws 422 for a marker in whose place
 * nothing is stored.
 */
export function restoreSecrets<Keys extends object>(
  given: Keys,
  stored: unknown,
  show: (value: unknown) => unknown,
): Keys {
  const shown = show(stored)
  const restored = { ...given }
  for (const [name, value] of Object.entries(given)) {
    const part = { stored: Object(stored)[name], shown: Object(shown)[name], at: `body.${name}` }
    Reflect.set(restored, name, restore(value, part))
  }
  return restored
}

/** Throws 422 for a value with a marker, in whose place nothing can be stored yet. */
export const rejectMarkers = (given: unknown): void => {
  restore(given, { stored: undefined, shown: undefined, at: 'body' })
}

function restore(given: unknown, { stored, shown, at }: StoredValue): unknown {
  if (typeof given === 'string') {
    if (given === stored) return given
    if (given === shown && typeof stored === 'string') return stored
    if (given.includes(SECRET_MARKER)) throw withoutStoredValue(at)
    return given
  }
  if (Array.isArray(given)) return restoreList(given, { stored, shown, at })
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).map(([name, value]) => {
    const part = { stored: Object(stored)[name], shown: Object(shown)[name], at: `${at}.${name}` }
    return [name, restore(value, part)]
  })
  return Object.fromEntries(entries)
}

/**
 * Items may have been added, moved and left out: one with a marker is the first not yet taken that was shown so. A marker
 * alone stays behind the option whose value it is, so that no other option is given a secret.
 */
function restoreList(given: readonly unknown[], { stored, shown, at }: StoredValue): unknown[] {
  const [values, views]: unknown[][] = [stored, shown].map((list) => (Array.isArray(list) ? list : []))
  const taken = new Set<number>()
  return given.map((item, index) => {
    if (typeof item !== 'string' || !item.includes(SECRET_MARKER)) {
      return restore(item, { stored: values?.[index], shown: views?.[index], at: `${at}[${index}]` })
    }
    const isShownAt = (view: unknown, place: number) =>
      view === item && !taken.has(place) && (item !== SECRET_MARKER || views?.[place - 1] === given[index - 1])
    const place = views?.findIndex(isShownAt) ?? -1
    if (place < 0) throw withoutStoredValue(`${at}[${index}]`)
    taken.add(place)
    return values?.[place]
  })
}

const withoutStoredValue = (at: string): AppError =>
  invalidField(
    at,
    `${at} holds "${SECRET_MARKER}", which stands for a stored secret, and none is stored there; send the value itself`,
  )

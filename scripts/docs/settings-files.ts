import { TONES } from '../../client/views/tones.ts'
import { KEYS } from '../../src/config/accounts/accounts.ts'
import { isObject } from '../../src/core/json.ts'
import { SocialToml } from '../../src/social/network/config.ts'
import { defaultSettings, type Limit } from '../../src/social/shared/index.ts'
import { ICON_SETS } from '../../tui/components/icons.ts'
import { THEMES } from '../../tui/components/theme.ts'
import { SETTINGS } from '../../tui/settings/settings.ts'
import { bindings } from '../../tui/state/keys.ts'
import { NOTIFICATIONS } from '../../tui/terminal/sequences.ts'
import { constantOf } from './constants.ts'
import { SOCIAL_KEYS } from './keys/files.ts'
import { formatDuration } from './keys/key.ts'
import type { RecordedSection } from './recorder.ts'

/** The keys of an account. */
export const accountSections = (): RecordedSection[] => [
  {
    header: '[[account]]',
    keys: new Map([...KEYS].map((key) => [key, key === 'stands_in_for' ? 'list of strings' : 'string'])),
  },
]

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  ...{ theme: THEMES, icons: ICON_SETS, notify: NOTIFICATIONS },
}

/** The settings of the dashboard at the top of its file. */
export const dashboardSections = (): RecordedSection[] => [
  { header: '', keys: new Map(Object.keys(SETTINGS).map((key) => [key, choicesOf(CHOICES[key] ?? [])])) },
]

const choicesOf = (choices: readonly string[]): string => choices.map((each) => `\`"${each}"\``).join(' or ')

/** The tables of the dashboard whose keys are names of colours and of verbs. */
export const dashboardLists = (): string => `### [colours]

Each key is a meaning and each value a colour as in CSS, such as \`good = "#87d787"\`. The meanings are
${TONES.map((tone) => `\`${tone}\``).join(', ')}.

### [keys]

Each key is an action and each value a key or a list of keys, such as \`down = ["down", "j", "ctrl+n"]\`. These are the
actions with their keys:

${bindings.map(({ verb, keys }) => `- \`${verb}\`: ${keys.map((key) => `\`${key}\``).join(', ')}`).join('\n')}`

/** The sections of the network's settings, from the schema that checks them. */
export function socialSections(): string {
  const used = new Set<string>()
  const text = sectionOf('', SocialToml, used).join('\n\n')
  const unused = Object.entries(SOCIAL_KEYS).flatMap(([header, keys]) =>
    Object.keys(keys).flatMap((key) => (used.has(`${header} ${key}`) ? [] : [`${header} ${key}`])),
  )
  if (unused.length > 0) throw new Error(`social.toml has no such keys: ${unused.join(', ')}`)
  return text
}

const LIMITS = 'src/social/limits/config.ts'
const MAX_COUNT = constantOf(LIMITS, 'MAX.count')
const MAX_WINDOW = constantOf(LIMITS, 'MAX.window')

const HINTS: Readonly<Record<string, string>> = {
  '[limits]': `A limit is a number and a period, such as \`"50/1h"\`. The count is 1 to ${MAX_COUNT.toLocaleString('en-US')}, and the period \`1s\` to \`${formatDuration(MAX_WINDOW)}\`.`,
}

function sectionOf(header: string, schema: unknown, used: Set<string>): string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : []
  const items: string[] = []
  const inner: string[] = []
  for (const [key, value] of Object.entries(properties)) {
    const of = isObject(value) ? value : {}
    if (isObject(of.properties)) inner.push(...sectionOf(`[${key}]`, of, used))
    else if (isObject(of.items) && isObject(of.items.properties)) inner.push(...sectionOf(`[[${key}]]`, of.items, used))
    else items.push(socialItem(header, key, of, required.includes(key), used))
  }
  const title = header === '' ? '### Top of the file' : `### ${header}`
  return [[title, ...[HINTS[header] ?? []].flat(), items.join('\n')].join('\n\n'), ...inner]
}

function socialItem(header: string, key: string, schema: object, isRequired: boolean, used: Set<string>): string {
  const described = SOCIAL_KEYS[header]?.[key]
  if (!described) throw new Error(`social.toml: ${header} ${key} has no description: add one to scripts/docs/keys`)
  used.add(`${header} ${key}`)
  const type = described.type ?? typeOf(schema)
  const usual = isRequired ? undefined : (described.usual ?? usualLimit(key))
  if (usual === undefined && !isRequired) throw new Error(`social.toml: ${header} ${key} has no default`)
  const end = isRequired ? ', required' : `; default: ${usual}`
  return `- \`${key}\` (${type}${end}): ${described.about} Example: \`${key} = ${described.example}\``
}

function typeOf(schema: unknown): string {
  const { type, minimum, maximum, anyOf, items } = isObject(schema) ? schema : {}
  if (Array.isArray(anyOf)) return anyOf.map((each) => `\`"${isObject(each) ? each.const : each}"\``).join(' or ')
  if (type === 'array') return `list of ${typeOf(items)}s`
  return type === 'integer' ? `integer, ${minimum} to ${maximum}` : String(type)
}

/** The default of a limit of the network. */
function usualLimit(key: string): string | undefined {
  const { newcomer, repeats, ...limits } = defaultSettings.limits
  if (key === 'newcomer') return newcomer && `\`age = "${formatPeriod(newcomer.age)}"\``
  if (key === 'repeats') return repeats && `\`"${formatPeriod(repeats.window)}"\``
  const limit: unknown = Reflect.get(limits, key)
  return isLimit(limit) ? `\`"${limit.count}/${formatPeriod(limit.window)}"\`` : undefined
}

const isLimit = (value: unknown): value is Limit => isObject(value) && typeof value.count === 'number'

function formatPeriod(ms: number): string {
  const hours = ms / 3_600_000
  if (hours >= 24 && hours % 24 === 0) return `${hours / 24}d`
  return hours >= 1 && Number.isInteger(hours) ? `${hours}h` : `${ms / 60_000}m`
}

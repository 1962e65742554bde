import { declareCity } from '../../src/config/compose/layers/city-file.ts'
import { declarePack } from '../../src/config/compose/layers/pack-file.ts'
import { declareFields } from '../../src/config/declare/declaration.ts'
import type { FieldSet } from '../../src/config/declare/fields.ts'
import { LAND } from '../../src/config/land/fields.ts'
import { LAND_DEFAULTS } from '../../src/config/land/resolve.ts'
import { ORDER } from '../../src/config/orders/fields.ts'
import { RIG_BINDING, SITE } from '../../src/config/rigs/site.ts'
import { DAEMON, resolveDaemon } from '../../src/config/settings/daemon.ts'
import { EVENT_ROTATION, MAIL, resolveEventArchives, resolveMail } from '../../src/config/settings/retention.ts'
import { resolveSession, SESSION } from '../../src/config/settings/session.ts'
import { CHAT_SESSIONS, resolveChatSessions } from '../../src/config/settings/sleep.ts'
import { resolveUsage, USAGE } from '../../src/config/settings/usage.ts'
import { parseFormula, readFormula } from '../../src/orchestration/formulas/parse.ts'
import { Problems } from '../../src/orchestration/formulas/reader.ts'
import { environmentSection } from './environment.ts'
import { CITY_KEYS } from './keys/city.ts'
import { ACCOUNT_KEYS, FORMULA_KEYS, PACK_FILES, SUPERVISOR_KEYS, TUI_KEYS } from './keys/files.ts'
import { formatDuration, type Key, type Keys } from './keys/key.ts'
import { SHARED_KEYS } from './keys/shared.ts'
import { contents } from './markdown.ts'
import { type RecordedSection, recordFormula, recordSections } from './recorder.ts'
import { accountSections, dashboardLists, dashboardSections, socialSections } from './settings-files.ts'

type Described = Readonly<Record<string, Keys>>

/** The page of all keys of all files. It throws when the code reads a key that has no description, or the reverse. */
export function configurationPage(): string {
  const reference = new Reference({ ...SHARED_KEYS, ...CITY_KEYS })
  const city = reference.sections(recordSections(readCity))
  const pack = reference.sections(recordSections((top) => declarePack(top, PACK, true)))
  const orders = reference.sections(recordSections((top) => declareFields(top.child('order'), ORDER)))
  const site = reference.sections(recordSections(readSite))
  reference.finish()
  const chapters = [
    chapter(
      'city.toml',
      'It declares a city: its rigs, agents and providers. gc reads it again whenever you save it.',
      city,
    ),
    chapter(
      'agent.toml',
      'It is in `agents/<name>` and declares one agent, whose name is that of the folder. It takes the keys of `[[agent]]` without a header.',
      '',
    ),
    chapter(
      'pack.toml',
      'It declares a [pack](packs.md). Sections that `city.toml` has as well take the same keys.',
      pack,
    ),
    chapter('Order files', 'A file `orders/<name>.toml` declares one [order](orders.md).', orders),
    chapter(
      'Formula files',
      'A file `formulas/<name>.toml` declares one [formula](formulas.md). JSON with the same keys works as well.',
      alone(FORMULA_KEYS, formulaSections()),
    ),
    ...PACK_FILES.map(([title, about, described]) => chapter(title, about, keyItems(described))),
    chapter(
      'site.toml',
      'It is in `.gc` of the city. It holds what a city is called and where its rigs are on this machine.',
      site,
    ),
    chapter(
      'supervisor.toml',
      'It is in `$GC_HOME` and holds settings of the supervisor for all cities.',
      alone(SUPERVISOR_KEYS),
    ),
    chapter(
      'accounts.toml',
      'It is in `$GC_HOME`, with mode 0600, and holds [accounts](usage.md). `gc account` edits it.',
      alone(ACCOUNT_KEYS, accountSections()),
    ),
    chapter(
      'tui.toml',
      'It is in `$GC_HOME` and holds settings of the [dashboard](dashboard.md).',
      `${alone(TUI_KEYS, dashboardSections())}\n\n${dashboardLists()}`,
    ),
    chapter(
      'social.toml',
      'It is in `$GC_HOME` and holds settings of the [network of agents](network.md).',
      socialSections(),
    ),
    environmentSection(),
  ].join('\n\n')
  if (problems.length > 0) throw new Error(`scripts/docs/keys differs from the code:\n${problems.join('\n')}`)
  return [INTRODUCTION, contents(chapters), chapters].join('\n\n')
}

/** What is missing in the descriptions of keys, or left over. */
const problems: string[] = []

const INTRODUCTION = `# Configuration

You want to look up a key of a configuration file. Each entry has the type, the default, the effect and an example.
\`gc config explain\` shows which line sets a value of your city, and \`gc lint\` finds unknown keys.

- Files are TOML. \`<name>\` stands for a name that you choose.
- A duration is a text such as \`"90s"\`, \`"5m"\`, \`"1h30m"\` or \`"7d"\`.
- gc alone writes \`packs.lock\` and \`$GC_HOME/forges.toml\`.
- [Budgets](usage.md) and [rules](permissions.md) have no file to edit: \`gc budget\` and \`gc rule\` change them.

This page is generated from the code that reads the files.`

const PACK = { name: '', version: undefined, folder: '' }

function readCity(top: Parameters<typeof declareCity>[0]): void {
  top.strings('include')
  declareCity(top)
}

function readSite(top: Parameters<typeof declareCity>[0]): void {
  declareFields(top.child('site'), SITE)
  for (const block of top.blocks('rig')) declareFields(block, RIG_BINDING)
}

function formulaSections(): RecordedSection[] {
  const source = { file: '', layer: '', text: '' }
  // The versions that a formula requires are keys of a table that is read by its entries.
  const axes = ['formula_compiler', 'gc_extensions']
  const known = axes.filter((axis) => {
    const parsed = parseFormula({ ...source, file: 'a.toml', text: `formula = "a"\n[requires]\n${axis} = ">=1.0.0"\n` })
    return 'formula' in parsed
  })
  const requires = { header: '[requires]', keys: new Map(known.map((axis) => [axis, 'version range'])) }
  const [top, ...others] = recordFormula((table) => readFormula(table, source, new Problems()))
  return [...(top ? [top] : []), requires, ...others.map(withExtras)]
}

/** Keys that are read only with another: of steps with extensions, and the value of a variable. */
function withExtras({ header, keys }: RecordedSection): RecordedSection {
  if (header === '[[steps]]') keys.set('block_on_failure', 'boolean')
  if (header === '[vars.<name>]') keys.set('default', 'string')
  return { header, keys }
}

const chapter = (file: string, about: string, text: string): string =>
  [`## ${file}`, about, text].filter((part) => part !== '').join('\n\n')

/** The headers of sections that take the keys of another. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/^\[\[(?:rigs\.overrides|rigs\.patches|patches\.agent)\]\]$/, '[[agent]]'],
  [/^\[(?:rigs\.patches|patches\.agent)\.pool\]$/, '[rigs.overrides.pool]'],
  [/^\[.+\.confine\]$/, '[rigs.confine]'],
  [/^\[.+\.confine\.share\]$/, '[rigs.confine.share]'],
  [/^(\[+)patches\.(rigs(?:\.land.*)?\]+)$/, '$1$2'],
  [/^\[\[patches\.providers\]\]$/, '[providers.<name>]'],
  [/^(\[+)patches\.providers(\..+)$/, '$1providers.<name>$2'],
  [/^\[\[patches\.named_session\]\]$/, '[[named_session]]'],
  [/^\[\[patches\.github_pr_monitor\]\]$/, '[[github.pr_monitor]]'],
  [/^\[(?:defaults\.rig|rigs)\.imports\.<name>\]$/, '[imports.<name>]'],
  [/^(\[+)services(.*)$/, '$1service$2'],
  [/^\[\[orders\.overrides\]\]$/, '[order]'],
  [/^\[\[rigs\.patches\]\]$/, '[[rigs.overrides]]'],
]

/** What a header may take the keys of, the closest first. */
const sourcesOf = (header: string): string[] => [
  ...(/^\[\[(?:rigs\.patches|patches\.agent)\]\]$/.test(header) ? ['[[rigs.overrides]]'] : []),
  ...(/^\[(?:rigs\.overrides|rigs\.patches|patches\.agent)\.confine\]$/.test(header) ? ['[agent.confine]'] : []),
  ...SAME.flatMap(([pattern, target]) => (pattern.test(header) ? [header.replace(pattern, target)] : [])),
]

/** Writes the sections of files that share keys, each key once. */
class Reference {
  readonly #written = new Set<string>()
  readonly #used = new Set<string>()

  constructor(private readonly described: Described) {}

  sections(recorded: readonly RecordedSection[]): string {
    return recorded
      .map((section) => this.#section(section))
      .filter((text) => text !== '')
      .join('\n\n')
  }

  /** Notes the descriptions of keys that the code does not read. */
  finish(): void {
    const all = Object.entries(this.described).flatMap(([header, keys]) =>
      Object.keys(keys).map((key) => `${header} ${key}`),
    )
    const unused = all.filter((each) => !this.#used.has(each))
    problems.push(...unused.map((each) => `${each} is read by no code`))
  }

  #section({ header: given, keys }: RecordedSection): string {
    // What a table is called where it has no header of its own.
    const header = given === '' && keys.has('workspace_name') ? '[site]' : given
    if (this.#written.has(header)) return ''
    this.#written.add(header)
    const own: [string, string, Key][] = []
    const others = new Set<string>()
    for (const [key, type] of keys) {
      const place = [header, ...sourcesOf(header)].find((each) => this.described[each]?.[key])
      const described = place === undefined ? undefined : this.described[place]?.[key]
      if (place === undefined || described === undefined) {
        problems.push(`${header} ${key} has no description`)
        continue
      }
      this.#used.add(`${place} ${key}`)
      if (place === header) own.push([key, type, described])
      else others.add(place)
    }
    const same =
      others.size === 0 ? '' : `${own.length > 0 ? 'It also takes' : 'It takes'} the keys of ${joined([...others])}.`
    const items = own.map(([key, type, described]) => keyItem(header, key, type, described)).join('\n')
    return [title(header), items, same].filter((part) => part !== '').join('\n\n')
  }
}

const joined = (headers: readonly string[]): string => headers.map((each) => `\`${each}\``).join(' and ')

const title = (header: string): string =>
  header === '' || header === '[site]'
    ? '### Top of the file'
    : `### ${header.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`

/** The sections of a file that shares no keys; without a recording, its types are those of the descriptions. */
function alone(described: Described, recorded?: readonly RecordedSection[]): string {
  const sections = recorded ?? Object.entries(described).map(([header, keys]) => ({ header, keys: typesOf(keys) }))
  const reference = new Reference(described)
  const text = reference.sections(sections)
  reference.finish()
  return text
}

const typesOf = (keys: Keys): Map<string, string> =>
  new Map(Object.entries(keys).map(([key, { type = 'string' }]) => [key, type]))

const keyItems = (described: Keys): string =>
  Object.entries(described)
    .map(([key, each]) => keyItem('', key, 'string', each))
    .join('\n')

function keyItem(header: string, key: string, recorded: string, described: Key): string {
  const { about, example, usual = DEFAULTS.get(header)?.get(key), type = recorded } = described
  const isRequired = /\brequired\b/i.test(`${type} ${about}`)
  if (usual === undefined && !isRequired) problems.push(`${header} ${key} has no default`)
  const usually = usual === undefined ? '' : `; default: ${usual}`
  return `- \`${key}\` (${type}${usually}): ${about} Example: \`${key} = ${example}\``
}

function defaultsOf(fields: FieldSet, values: object): ReadonlyMap<string, string> {
  const durations = new Map(recordSections((top) => declareFields(top, fields)).flatMap(({ keys }) => [...keys]))
  return new Map(
    Object.entries(fields).flatMap(([name, { key }]): [string, string][] => {
      const value: unknown = Reflect.get(values, name)
      const isDuration = durations.get(key) === 'duration' || key.endsWith('_timeout')
      if (typeof value === 'number' && isDuration) return [[key, `\`"${formatDuration(value)}"\``]]
      if (typeof value === 'string' && value !== '') return [[key, `\`"${value}"\``]]
      return typeof value === 'number' || typeof value === 'boolean' ? [[key, `\`${value}\``]] : []
    }),
  )
}

/** The defaults that the code fills in, by header and key. */
const DEFAULTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['[daemon]', defaultsOf(DAEMON, resolveDaemon(undefined))],
  ['[session]', defaultsOf(SESSION, resolveSession(undefined))],
  ['[chat_sessions]', defaultsOf(CHAT_SESSIONS, resolveChatSessions(undefined))],
  ['[mail]', defaultsOf(MAIL, resolveMail(undefined))],
  ['[events.rotation]', defaultsOf(EVENT_ROTATION, resolveEventArchives(undefined))],
  ['[usage]', defaultsOf(USAGE, resolveUsage(undefined))],
  ['[rigs.land]', defaultsOf(LAND, LAND_DEFAULTS)],
])

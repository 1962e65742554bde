import { join } from 'node:path'
import { contains } from '../../config/confinement/obstacle.ts'
import { readText } from '../../core/files.ts'
import { addBlock, renderPairs, type TomlPairs } from '../../core/toml/edit.ts'
import { parseToml, TomlSyntaxError, toPlainValue } from '../../core/toml/parse.ts'
import type { PrivateFile } from '../../host/protocol/session.ts'
import { asObject, isObject, type JsonRecord, parseJson } from '../../programs/entries/json.ts'
import type { AcceptedDialogs } from './accepted-dialogs.ts'

/** Whose programs run, and where. */
interface Place {
  /** The variables of the program, which lead it to its own home when nothing confines it. */
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly workDir: string
  /** What a person accepted of earlier sessions. */
  readonly accepted?: AcceptedDialogs
}

/**
 * What the private home of a program begins with, so that it asks on its first screen nothing that it would not ask
 * unconfined: what a person has seen, accepted and trusted. Nothing else of their settings, and no log-in, is in it.
 */
export function firstRunFiles(provider: string | undefined, place: Place): PrivateFile[] {
  const files = FILES[provider ?? '']?.(place) ?? []
  return files.flatMap(({ path, text }) => (text === '' || text === '{}' ? [] : [{ path, text }]))
}

const FILES: Readonly<Record<string, (place: Place) => PrivateFile[]>> = {
  claude: (place) => [
    { path: 'claude/.claude.json', text: JSON.stringify(seenByClaude(place)) },
    { path: 'claude/settings.json', text: JSON.stringify(acceptedByClaude(place)) },
  ],
  codex: (place) => [{ path: 'codex/config.toml', text: seenByCodex(place) }],
  gemini: (place) => [
    { path: 'gemini/.gemini/settings.json', text: JSON.stringify(seenByGemini(place)) },
    {
      path: 'gemini/.gemini/trustedFolders.json',
      text: JSON.stringify({
        ...around(geminiFile(place, 'trustedFolders.json'), place),
        ...trustedNow(place, 'TRUST_FOLDER'),
      }),
    },
  ],
}

const CLAUDE_SEEN = ['hasCompletedOnboarding', 'lastOnboardingVersion', 'theme', 'bypassPermissionsModeAccepted']
const CLAUDE_ACCEPTED = ['skipDangerousModePermissionPrompt']

function seenByClaude(place: Place): JsonRecord {
  const { env, home } = place
  const seen = readJson(join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'))
  const trusted = Object.entries(around(asObject(seen.projects), place)).map(([path, project]) => [
    path,
    pick(asObject(project), ['hasTrustDialogAccepted', 'hasCompletedProjectOnboarding']),
  ])
  const all = { ...Object.fromEntries(trusted), ...trustedNow(place, { hasTrustDialogAccepted: true }) }
  return { ...pick(seen, CLAUDE_SEEN), ...(Object.keys(all).length > 0 && { projects: all }) }
}

const acceptedByClaude = (place: Place): JsonRecord => ({
  ...pick(claudeSettings(place), CLAUDE_ACCEPTED),
  ...(place.accepted?.permissions && { skipDangerousModePermissionPrompt: true }),
})

/** What is said of the folder of a session that a person trusted when another one asked it. */
const trustedNow = ({ workDir, accepted }: Place, said: unknown): JsonRecord =>
  accepted?.trust ? { [workDir]: said } : {}

const claudeSettings = ({ env, home }: Place): JsonRecord =>
  readJson(join(env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'settings.json'))

const geminiFile = ({ env, home }: Place, name: string): JsonRecord =>
  readJson(join(env.GEMINI_CLI_HOME ?? home, '.gemini', name))

const GEMINI_SEEN: Readonly<Record<string, readonly string[]>> = {
  general: ['enableAutoUpdate', 'enableAutoUpdateNotification'],
  ide: ['hasSeenNudge'],
  privacy: ['usageStatisticsEnabled'],
  ui: ['theme'],
}

function seenByGemini(place: Place): JsonRecord {
  const settings = geminiFile(place, 'settings.json')
  const security = asObject(settings.security)
  const sections = Object.entries(GEMINI_SEEN).map(
    ([name, keys]) => [name, pick(asObject(settings[name]), keys)] as const,
  )
  const secured = {
    auth: pick(asObject(security.auth), ['selectedType']),
    folderTrust: pick(asObject(security.folderTrust), ['enabled']),
  }
  return withoutEmpty({ ...Object.fromEntries(sections), security: withoutEmpty(secured) })
}

function seenByCodex(place: Place): string {
  const { env, home } = place
  const config = readToml(join(env.CODEX_HOME ?? join(home, '.codex'), 'config.toml'))
  const top = renderPairs(pairsOf(pick(config, ['model', 'check_for_update_on_startup'])))
  const notice = asObject(config.notice)
  const projects = { ...around(asObject(config.projects), place), ...trustedNow(place, { trust_level: 'trusted' }) }
  const trusted = Object.entries(projects).map(
    ([path, project]) =>
      [`[projects.${JSON.stringify(path)}]`, pairsOf(pick(asObject(project), ['trust_level']))] as const,
  )
  const blocks = [
    ['[notice]', pairsOf(notice)] as const,
    ['[notice.model_migrations]', pairsOf(asObject(notice.model_migrations))] as const,
    ...trusted,
  ].filter(([, pairs]) => pairs.length > 0)
  return blocks.reduce(
    (text, [header, pairs]) => addBlock(text, header, pairs),
    top.map((line) => `${line}\n`).join(''),
  )
}

/** What is said of a folder itself, or of one that it is in. */
const around = (byPath: JsonRecord, { workDir }: Place): JsonRecord =>
  Object.fromEntries(Object.entries(byPath).filter(([path]) => contains(path, workDir)))

const pick = (record: JsonRecord, keys: readonly string[]): JsonRecord =>
  Object.fromEntries(keys.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]])))

const withoutEmpty = (record: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0))

const pairsOf = (record: JsonRecord): TomlPairs =>
  Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? [[key, value] as const] : [],
  )

const readJson = (path: string): JsonRecord => asObject(parseJson(readText(path) ?? ''))

function readToml(path: string): JsonRecord {
  try {
    return asObject(toPlainValue(parseToml(readText(path) ?? '')))
  } catch (error) {
    if (error instanceof TomlSyntaxError) return {}
    throw error
  }
}

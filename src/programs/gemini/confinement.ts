import { join } from 'node:path'
import { asObject, type JsonRecord } from '../entries/index.ts'
import type { FirstRun } from '../parts/index.ts'
import { around, googleKey, type KeyedApi, pick, readJson, trustedNow, withoutEmpty } from '../parts/index.ts'
import type { ProgramConfinement } from '../program.ts'

const file = ({ env, home }: FirstRun, name: string): JsonRecord =>
  readJson(join(env.GEMINI_CLI_HOME ?? home, '.gemini', name))

const SEEN: Readonly<Record<string, readonly string[]>> = {
  general: ['enableAutoUpdate', 'enableAutoUpdateNotification'],
  ide: ['hasSeenNudge'],
  privacy: ['usageStatisticsEnabled'],
  ui: ['theme'],
}

function seen(place: FirstRun): JsonRecord {
  const settings = file(place, 'settings.json')
  const security = asObject(settings.security)
  const sections = Object.entries(SEEN).map(([name, keys]) => [name, pick(asObject(settings[name]), keys)] as const)
  const secured = {
    auth: pick(asObject(security.auth), ['selectedType']),
    folderTrust: pick(asObject(security.folderTrust), ['enabled']),
  }
  return withoutEmpty({ ...Object.fromEntries(sections), security: withoutEmpty(secured) })
}

const GEMINI: KeyedApi = {
  name: 'gemini',
  keys: [googleKey('GEMINI_API_KEY'), googleKey('GOOGLE_API_KEY')],
  address: 'GOOGLE_GEMINI_BASE_URL',
  usual: 'https://generativelanguage.googleapis.com',
  env: { GEMINI_API_KEY: '{key}', GOOGLE_GEMINI_BASE_URL: '{url:gemini}' },
}

export const geminiConfinement: ProgramConfinement = {
  firstRun: (place) => [
    { path: 'gemini/.gemini/settings.json', text: JSON.stringify(seen(place)) },
    {
      path: 'gemini/.gemini/trustedFolders.json',
      text: JSON.stringify({
        ...around(file(place, 'trustedFolders.json'), place),
        ...trustedNow(place, 'TRUST_FOLDER'),
      }),
    },
  ],
  isTrusted: (place) => file(place, 'trustedFolders.json')[place.workDir] === 'TRUST_FOLDER',
  keys: () => [GEMINI],
}

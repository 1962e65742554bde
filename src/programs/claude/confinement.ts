import { join } from 'node:path'
import { asObject, type JsonRecord } from '../entries/index.ts'
import {
  anthropicKey,
  around,
  bearer,
  type FirstRun,
  type KeyedApi,
  pick,
  readJson,
  trustedNow,
} from '../parts/index.ts'
import type { ProgramConfinement } from '../program.ts'

const SEEN = ['hasCompletedOnboarding', 'lastOnboardingVersion', 'theme', 'bypassPermissionsModeAccepted']
const ACCEPTED = ['skipDangerousModePermissionPrompt']

const stateOf = ({ env, home }: FirstRun): JsonRecord => readJson(join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'))

function seen(place: FirstRun): JsonRecord {
  const state = stateOf(place)
  const trusted = Object.entries(around(asObject(state.projects), place)).map(([path, project]) => [
    path,
    pick(asObject(project), ['hasTrustDialogAccepted', 'hasCompletedProjectOnboarding']),
  ])
  const all = { ...Object.fromEntries(trusted), ...trustedNow(place, { hasTrustDialogAccepted: true }) }
  return { ...pick(state, SEEN), ...(Object.keys(all).length > 0 && { projects: all }) }
}

const accepted = (place: FirstRun): JsonRecord => ({
  ...pick(settings(place), ACCEPTED),
  ...(place.accepted?.permissions && { skipDangerousModePermissionPrompt: true }),
})

const settings = ({ env, home }: FirstRun): JsonRecord =>
  readJson(join(env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'settings.json'))

const ANTHROPIC: KeyedApi = {
  name: 'anthropic',
  keys: [anthropicKey('ANTHROPIC_API_KEY'), bearer('ANTHROPIC_AUTH_TOKEN')],
  address: 'ANTHROPIC_BASE_URL',
  usual: 'https://api.anthropic.com',
  // With an API key the program asks a person whether to use it.
  env: { ANTHROPIC_BASE_URL: '{url:anthropic}', ANTHROPIC_AUTH_TOKEN: '{key}' },
}

export const claudeConfinement: ProgramConfinement = {
  firstRun: (place) => [
    { path: 'claude/.claude.json', text: JSON.stringify(seen(place)) },
    { path: 'claude/settings.json', text: JSON.stringify(accepted(place)) },
  ],
  isTrusted: (place) =>
    Object.values(around(asObject(stateOf(place).projects), place)).some(
      (project) => asObject(project).hasTrustDialogAccepted === true,
    ),
  keys: () => [ANTHROPIC],
}

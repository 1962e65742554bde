import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PrivateLink } from '../../host/protocol/session.ts'

/** Whose programs run. */
export interface LoginPlace {
  /** The variables of the program, which lead it to its own home when nothing confines it. */
  readonly env: Readonly<Record<string, string>>
  readonly home: string
}

/** Where the program of a provider keeps its log-in when nothing confines it, and where in its private home. */
export const LOGINS: Readonly<Record<string, (place: LoginPlace) => PrivateLink>> = {
  claude: ({ env, home }) => ({
    path: 'claude/.credentials.json',
    to: join(env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), '.credentials.json'),
  }),
  codex: ({ env, home }) => ({
    path: 'codex/auth.json',
    to: join(env.CODEX_HOME ?? join(home, '.codex'), 'auth.json'),
  }),
  gemini: ({ env, home }) => ({
    path: 'gemini/.gemini/oauth_creds.json',
    to: join(env.GEMINI_CLI_HOME ?? home, '.gemini', 'oauth_creds.json'),
  }),
  opencode: ({ env, home }) => ({
    path: 'data/opencode/auth.json',
    to: join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'opencode', 'auth.json'),
  }),
}

/** The one file with a log-in that the program of a provider may read; undefined where there is none. */
export function loginFile(provider: string | undefined, place: LoginPlace): PrivateLink | undefined {
  const link = LOGINS[provider ?? '']?.(place)
  return link && existsSync(link.to) ? link : undefined
}

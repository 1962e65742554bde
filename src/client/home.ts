import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isRecord, parseJson } from './problem.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Where the supervisor is and who speaks to it. */
export interface Access {
  url: string
  token: string | undefined
}

const DEFAULT_URL = 'http://127.0.0.1:8372'

/** The folder of the supervisor's own files: `GC_HOME`, else `~/.gc`. */
export const resolveHome = (env: Env): string => resolve(env.GC_HOME || join(env.HOME || homedir(), '.gc'))

/**
 * The address is `GC_URL`, else what a running supervisor wrote down, else the default; in a session what was written
 * down goes first, since its supervisor may have come back at another address. The token is `GC_TOKEN`, else the
 * operator's file. A session speaks as itself or not at all: it never falls back on the operator's token.
 */
export function resolveAccess(env: Env): Access {
  const home = resolveHome(env)
  const told = env.GC_SESSION_ID ? announcedUrl(home) || env.GC_URL : env.GC_URL || announcedUrl(home)
  const url = (told || DEFAULT_URL).replace(/\/+$/, '')
  if (env.GC_TOKEN) return { url, token: env.GC_TOKEN }
  if (env.GC_SESSION_ID) {
    throw new Error(
      `this is session ${env.GC_SESSION_ID}, but its GC_TOKEN is missing: run gc with the environment of the session`,
    )
  }
  return { url, token: isLoopback(url) || url === announcedUrl(home) ? readOperatorToken(home) : undefined }
}

/** What a running supervisor wrote about itself. */
export function readSupervisorFile(home: string): { url: string; pid: number; social?: string } | undefined {
  const said = parseJson(read(join(home, 'supervisor.json')) ?? '')
  if (!isRecord(said) || typeof said.url !== 'string' || typeof said.pid !== 'number') return undefined
  const { url, pid, social } = said
  return { url, pid, ...(typeof social === 'string' && { social }) }
}

const announcedUrl = (home: string): string | undefined => readSupervisorFile(home)?.url.replace(/\/+$/, '')

/** Where a running supervisor serves the agents' network. */
export function announcedSocialUrl(home: string): string | undefined {
  const said = readSupervisorFile(home)
  return (said?.social ?? said?.url)?.replace(/\/+$/, '')
}

/** The operator's token, as the supervisor keeps it. */
export const readOperatorToken = (home: string): string | undefined => read(join(home, 'token'))?.trim() || undefined

/** The operator's token is not shown to strangers: only this machine gets it unasked. */
export const isLoopback = (url: string): boolean =>
  /^https?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(url)

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

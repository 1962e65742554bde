import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isRecord, parseJson } from './json.ts'
import { isAlive } from './process.ts'
import type { RequestSigner } from './request-signer.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** The address of the supervisor, and the token that requests carry. */
export interface Access {
  url: string
  token: string | undefined
  /** The home in which no supervisor runs, when no one named an address: what answers there is another's. */
  strangeTo?: string
  /** Signs requests, instead of a token. */
  signer?: RequestSigner | undefined
}

export const DEFAULT_PORT = 8372
const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`

/** The folder of the supervisor's own files: `GC_HOME`, else `~/.gc`. */
export const resolveHome = (env: Env): string => resolve(env.GC_HOME || join(env.HOME || homedir(), '.gc'))

/**
 * The address is `GC_URL`, else the one in the file of a running supervisor, else one at which only others can answer;
 * inside a session the file goes first, since its supervisor may have restarted at another address. The token is
 * `GC_TOKEN`, else the operator's file, but never the operator's inside a session, and none for others.
 */
export function resolveAccess(env: Env): Access {
  const home = resolveHome(env)
  const file = readSupervisorFile(home)
  const configured = env.GC_SESSION_ID ? file?.url || env.GC_URL : env.GC_URL || announcedUrl(home)
  const url = (configured || file?.url || defaultUrl(env)).replace(/\/+$/, '')
  if (!isAddress(url)) {
    throw new Error(`GC_URL is "${url}", which is not an address such as ${DEFAULT_URL}; set it to one, or unset it`)
  }
  if (env.GC_SESSION_ID && !env.GC_TOKEN) {
    throw new Error(
      `this is session ${env.GC_SESSION_ID}, but its GC_TOKEN is missing: run gc with the environment of the session`,
    )
  }
  if (!configured) return { url, token: undefined, strangeTo: home }
  if (env.GC_TOKEN) return { url, token: env.GC_TOKEN }
  return { url, token: isLoopback(url) || url === announcedUrl(home) ? readOperatorToken(home) : undefined }
}

/** Default address of a started supervisor. */
export function defaultUrl({ GC_PORT }: Env): string {
  return /^[1-9]\d*$/.test(GC_PORT ?? '') ? `http://127.0.0.1:${GC_PORT}` : DEFAULT_URL
}

/** The address and process of a running supervisor, from the file it writes. */
export function readSupervisorFile(home: string): { url: string; pid: number; social?: string } | undefined {
  const file = parseJson(read(join(home, 'supervisor.json')) ?? '')
  if (!isRecord(file) || typeof file.url !== 'string' || typeof file.pid !== 'number') return undefined
  const { url, pid, social } = file
  return { url, pid, ...(typeof social === 'string' && { social }) }
}

/** The file of a supervisor that was killed stays; another may have its port by now. */
function readRunning(home: string): ReturnType<typeof readSupervisorFile> {
  const file = readSupervisorFile(home)
  return file && isAlive(file.pid) ? file : undefined
}

const announcedUrl = (home: string): string | undefined => readRunning(home)?.url.replace(/\/+$/, '')

/** The address at which a running supervisor serves the agents' network. */
export function announcedSocialUrl(home: string): string | undefined {
  const file = readRunning(home)
  return (file?.social ?? file?.url)?.replace(/\/+$/, '')
}

/** The operator's token, from the file that the supervisor keeps. */
export const readOperatorToken = (home: string): string | undefined => read(join(home, 'token'))?.trim() || undefined

/** True if an address is this machine's: only there is the operator's token sent without being configured. */
export const isLoopback = (url: string): boolean =>
  /^https?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(url)

const isAddress = (url: string): boolean => /^https?:\/\/[^/]/.test(url) && URL.canParse(url)

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/index.ts'
import { PROGRAMS } from '../../programs/list.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import { privateFolder, privateFolders } from './confinement.ts'

const DAY_MS = 24 * 3_600_000
/** Time what was said in a session is kept after it was closed. */
const RETENTION_MS = 30 * DAY_MS

/** The entries of a folder that are kept: each whole, or a part of it. */
interface Kept {
  readonly [name: string]: true | Kept
}

/** The logs that programs keep of their conversations. */
const LOGS = PROGRAMS.flatMap(({ home }) => (home?.logs ?? []).map((path) => join('state', home?.folder ?? '', path)))
  .map((path) => path.split('/'))
  .reduce<Kept>(withPath, {})

/** The entries to keep, with a path added. */
function withPath(kept: Kept, [name = '', ...rest]: readonly string[]): Kept {
  const below = kept[name]
  return { ...kept, [name]: rest.length === 0 ? true : withPath(below === true ? {} : (below ?? {}), rest) }
}

/** Removes the private folders of confined sessions when these are closed, but for what was said in them. */
export class PrivateFolders {
  #next: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's folder. */
      readonly city: string
      readonly reactions: Reactions
      readonly beads: { find(id: string): { readonly status: string } | undefined }
      readonly sessions: Pick<SessionRepository, 'find'>
    },
  ) {
    options.reactions.on('confinement.sessions', ['bead.closed'], (tx, { subject }) => {
      if (subject !== undefined && this.#has(subject)) tx.after(() => void this.#remove(subject))
    })
  }

  /** Removes what a stop or a crash left behind, and every day the conversations that were closed long ago. */
  start(): void {
    const { clock, deadlines } = this.context
    this.#next = deadlines.interval(DAY_MS, () => this.start())
    for (const session of this.#list()) {
      const at = this.#closedAt(session)
      if (at !== undefined) void this.#remove(session, { whole: at < clock.now() - RETENTION_MS })
    }
  }

  /** Close time of a session: 0 for an unknown one; undefined for an open one. */
  #closedAt(session: string): number | undefined {
    const { beads, sessions } = this.options
    const status = beads.find(session)?.status ?? 'closed'
    return status === 'closed' ? (sessions.find(session)?.closedAt ?? 0) : undefined
  }

  stop(): void {
    this.#next?.cancel()
  }

  /** True if a session has a folder; a name that is none of a session may lead elsewhere. */
  #has(session: string): boolean {
    return existsSync(privateFolder(this.options.city, session)) && this.#list().includes(session)
  }

  #list(): string[] {
    try {
      return readdirSync(privateFolders(this.options.city))
    } catch {
      return []
    }
  }

  async #remove(session: string, { whole = false } = {}): Promise<void> {
    const folder = privateFolder(this.options.city, session)
    await (whole ? removeAll(folder) : prune(folder, LOGS)).catch((error) =>
      this.context.report(`the private folder ${folder} was not removed: ${errorMessage(error)}`),
    )
  }
}

const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 1000 })

/** Removes all that is in a folder but what is kept, and the folder where nothing is left; links are removed, never followed. */
async function prune(folder: string, kept: Kept): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const rest = Object.hasOwn(kept, name) ? kept[name] : undefined
    const stats = await lstat(path).catch(() => undefined)
    if (rest === undefined || stats?.isSymbolicLink()) await removeAll(path)
    else if (rest !== true) await (stats?.isDirectory() ? prune(path, rest) : removeAll(path))
  }
  // Only an empty folder can be removed so.
  await rmdir(folder).catch(() => {})
}

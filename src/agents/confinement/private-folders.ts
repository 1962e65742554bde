import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { privateFolder, privateFolders } from './confinement.ts'

export interface PrivateFoldersOptions {
  /** The city's folder. */
  readonly city: string
  readonly reactions: Reactions
  /** Whether a session is closed, or does not exist. */
  isOver(session: string): boolean
  report(message: string): void
}

/** Removes the private folders of confined sessions when these are closed. */
export class PrivateFolders {
  constructor(private readonly options: PrivateFoldersOptions) {
    options.reactions.on('confinement.sessions', ['bead.closed'], (tx, { subject }) => {
      if (subject !== undefined && this.#list().includes(subject)) tx.after(() => void this.#remove(subject))
    })
  }

  /** Removes what a stop or a crash left behind. */
  start(): void {
    for (const session of this.#list()) if (this.options.isOver(session)) void this.#remove(session)
  }

  #list(): string[] {
    try {
      return readdirSync(privateFolders(this.options.city))
    } catch {
      return []
    }
  }

  async #remove(session: string): Promise<void> {
    const folder = privateFolder(this.options.city, session)
    await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 1000 }).catch((error) =>
      this.options.report(`the private folder ${folder} was not removed: ${errorMessage(error)}`),
    )
  }
}

import type { Clock } from '../../core/clock.ts'
import { realPath } from '../../core/folders.ts'

/** A command that a hook named, and the folder that it runs in. */
interface NamedCommand {
  /** Undefined stands for every command: more were named than are kept. */
  readonly line: string | undefined
  readonly folder: string
  readonly at: number
}

/** A hook names a command, and its dialog comes up, within so long of each other. */
const DIALOG_MS = 60_000
const MAX_NAMED = 100

/** Folders of commands that hooks of programs named recently; their dialogs do not show them. */
export class CommandFolders {
  readonly #named = new Map<string, readonly NamedCommand[]>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Remembers where a command of one run of a session runs, for the dialog about it. */
  name(hostKey: string, line: string, folder: string): void {
    const at = this.clock.now()
    for (const [key, named] of this.#named) {
      const recent = named.filter((each) => at - each.at <= DIALOG_MS)
      if (recent.length === 0) this.#named.delete(key)
      else this.#named.set(key, recent)
    }
    const command = { line: line.trim(), folder, at }
    const isOther = (each: NamedCommand) => each.line !== command.line || each.folder !== folder
    const named = [...(this.#named.get(hostKey) ?? []).filter(isOther), command]
    this.#named.set(hostKey, named.length > MAX_NAMED ? [{ line: undefined, folder: '', at }] : named)
  }

  /** The folders that were named for a command around the time of its dialog; '' for one that is not kept. */
  around(hostKey: string, line: string, since: string): readonly string[] {
    const near = (this.#named.get(hostKey) ?? []).filter(
      (each) =>
        (each.line === undefined || each.line === line.trim()) && Math.abs(each.at - Date.parse(since)) <= DIALOG_MS,
    )
    return [...new Set(near.map(({ folder }) => folder))]
  }
}

/** Whether a folder is the one of a session, also by the path without links. */
export const isOfSession = (folder: string, sessionFolder: string): boolean =>
  folder === sessionFolder || folder === realPath(sessionFolder)

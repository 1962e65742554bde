import type { NamedTable, ProjectPart, Settings } from '../../programs/parts/index.ts'

/** File that gc puts at one place of a project. */
export type WantedFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  /** A link to a folder of a pack. */
  | { readonly kind: 'link'; readonly target: string }
  /** Settings that are put into a file which others write as well; the later ones win. */
  | { readonly kind: 'settings'; readonly parts: readonly SettingsPart[]; readonly isSecret: boolean }
  /** Tables that are put at the end of a TOML file, unless it has them. */
  | { readonly kind: 'tables'; readonly tables: readonly NamedTable[]; readonly isSecret: boolean }

export interface SettingsPart {
  readonly settings: Settings
  /** Origin of the part, for messages. */
  readonly from: string
}

/** Files that gc puts into a project, by relative path, and sources that could not be read. */
export interface WantedFiles {
  readonly files: ReadonlyMap<string, WantedFile>
  readonly problems: readonly string[]
}

/** Collects what several packs bring to one folder. */
export class WantedBuilder {
  readonly files = new Map<string, WantedFile>()
  readonly problems: string[] = []

  file(path: string, bytes: Uint8Array, mode: number): void {
    this.files.set(path, { kind: 'file', bytes, mode })
  }

  /** Adds what a program takes at one place. */
  part(part: ProjectPart, from: string): void {
    if ('text' in part) this.file(part.path, Buffer.from(part.text), 0o644)
    else if ('tables' in part) this.tables(part.path, part.tables, part.isSecret)
    else this.settings(part.path, part.settings, from, part.isSecret)
  }

  /** The first of a name stays. */
  link(path: string, target: string): void {
    if (!this.files.has(path)) this.files.set(path, { kind: 'link', target })
  }

  settings(path: string, settings: Settings, from: string, isSecret = false): void {
    const before = this.files.get(path)
    const parts = before?.kind === 'settings' ? before.parts : []
    const wasSecret = before?.kind === 'settings' && before.isSecret
    this.files.set(path, {
      ...{ kind: 'settings', parts: [...parts, { settings, from }], isSecret: isSecret || wasSecret },
    })
  }

  tables(path: string, tables: readonly NamedTable[], isSecret: boolean): void {
    this.files.set(path, { kind: 'tables', tables, isSecret })
  }
}

import { join } from 'node:path'
import type { PackConfig, SkillFolder } from './config.ts'

/** The packs around an agent, and the folders of what they bring. */
export interface PackSurroundings {
  readonly folders: readonly string[]
  readonly overlays: readonly string[]
  readonly mcp: readonly string[]
  readonly skills: readonly SkillFolder[]
}

type PackFolderNames = Readonly<Record<'overlay' | 'mcp' | 'skills', string>>

/** The packs of the city, the city itself, and the packs of a rig, in this order; worked out once for each rig. */
export class PackContext {
  readonly #ofRigs = new Map<string | undefined, PackSurroundings>()
  readonly #folders = new Map<string, PackFolderNames>()

  constructor(
    private readonly packs: readonly PackConfig[],
    private readonly city: string,
  ) {}

  rig(rig: string | undefined): PackSurroundings {
    const surroundings = this.#ofRigs.get(rig) ?? this.#surround(rig)
    this.#ofRigs.set(rig, surroundings)
    return surroundings
  }

  #surround(rig: string | undefined): PackSurroundings {
    const imported = this.packs.filter((pack) => pack.rig === undefined && pack.folder !== this.city)
    const ofRig = rig === undefined ? [] : this.packs.filter((pack) => pack.rig === rig)
    const all: Pick<PackConfig, 'folder' | 'binding'>[] = [...imported, { folder: this.city }, ...ofRig]
    const last = new Map(all.map(({ folder }, index) => [folder, index]))
    const packs = all.filter(({ folder }, index) => last.get(folder) === index)
    const folders = packs.map(({ folder }) => folder)
    return {
      folders,
      overlays: folders.map((folder) => this.#in(folder).overlay),
      mcp: folders.map((folder) => this.#in(folder).mcp),
      skills: this.#skillsOf(packs),
    }
  }

  /** The folders of a pack, which many rigs share. */
  #in(folder: string): PackFolderNames {
    const named = this.#folders.get(folder) ?? {
      ...{ overlay: join(folder, 'overlay'), mcp: join(folder, 'mcp'), skills: join(folder, 'skills') },
    }
    this.#folders.set(folder, named)
    return named
  }

  /** The city's own skills come first, and those of imported packs are known by the binding. */
  #skillsOf(packs: readonly Pick<PackConfig, 'folder' | 'binding'>[]): SkillFolder[] {
    const ordered = [
      ...packs.filter(({ folder }) => folder === this.city),
      ...packs.filter(({ folder }) => folder !== this.city),
    ]
    return ordered.map(({ folder, binding }) => ({
      folder: this.#in(folder).skills,
      prefix: binding === undefined ? '' : `${binding}.`,
    }))
  }
}

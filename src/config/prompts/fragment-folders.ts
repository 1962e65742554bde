import { dirname, join, resolve } from 'node:path'
import type { FileSnapshot } from '../files/index.ts'
import type { TextFile } from './prompt-template.ts'

/** Folders of fragments, in a pack and in the city. */
const SHARED = ['prompts/shared', 'template-fragments']
/** Folders of fragments beside a prompt. */
const BESIDE = ['shared', 'template-fragments']
const ENDINGS = ['.md.tmpl', '.template.md']

/** The folders of fragments that prompts use; each is read once, and agents with the same ones share their list. */
export class FragmentFolders {
  readonly #folders = new Map<string, readonly TextFile[]>()
  readonly #lists = new Map<string, readonly TextFile[]>()
  readonly #shared = new WeakMap<readonly string[], readonly string[]>()
  readonly #sharedIns = new Map<string, readonly string[]>()

  constructor(private readonly files: FileSnapshot) {}

  /**
   * The fragments of a prompt, the later definition of a name winning: those of packs, of the prompt's own pack, of the city,
   * and those beside the prompt.
   */
  around(promptFile: string, packs: readonly string[]): readonly TextFile[] {
    const { path } = this.files.city
    const beside = dirname(resolve(path, promptFile))
    const shared = this.#sharedOf(packs, path)
    const own = BESIDE.map((folder) => join(beside, folder)).filter((folder) => this.#read(folder).length > 0)
    return this.#listOf([...new Set([...shared, ...own])])
  }

  /** The folders of packs that hold fragments; agents with the same packs share the list. */
  #sharedOf(packs: readonly string[], city: string): readonly string[] {
    const cached = this.#shared.get(packs)
    if (cached) return cached
    const filled = [...packs.filter((folder) => folder !== city), city].flatMap((root) => this.#sharedIn(root))
    this.#shared.set(packs, filled)
    return filled
  }

  #sharedIn(root: string): readonly string[] {
    const cached = this.#sharedIns.get(root)
    if (cached) return cached
    const filled = SHARED.map((folder) => join(root, folder)).filter((folder) => this.#read(folder).length > 0)
    this.#sharedIns.set(root, filled)
    return filled
  }

  #listOf(folders: readonly string[]): readonly TextFile[] {
    const key = folders.join('\0')
    const list = this.#lists.get(key) ?? folders.flatMap((folder) => this.#read(folder))
    this.#lists.set(key, list)
    return list
  }

  #read(folder: string): readonly TextFile[] {
    const read = this.#folders.get(folder) ?? this.#fragmentsIn(folder)
    this.#folders.set(folder, read)
    return read
  }

  #fragmentsIn(folder: string): readonly TextFile[] {
    const { city } = this.files
    const names = city.fileNames(folder)
    return ENDINGS.flatMap((ending) => names.filter((name) => name.endsWith(ending))).flatMap((name) => {
      const file = join(folder, name)
      const text = city.text(file)
      return text === undefined ? [] : [{ file, text }]
    })
  }
}

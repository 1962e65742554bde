import { AppError } from '../../core/errors.ts'
import {
  type ChangedPath,
  ChangedPathReader,
  type ChangedPaths,
  comparing,
  mayHaveCopies,
  NO_MODE,
  type Origins,
  SUBMODULE,
} from './changed-paths.ts'
import type { DiffGit } from './diff-git.ts'
import { isLockFile } from './folding.ts'
import { PatchReader, type PatchSection } from './patch-reader.ts'
import type { DiffHunk, DiffLine } from './schema.ts'

/** Maximum files of a page that need a command each, such as renames and copies with edits. */
const MAX_SINGLE = 16
const PATCH = ['--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '--submodule=short']

/** The lines of one changed file. */
export interface FilePatch extends Pick<PatchSection, 'isBinary' | 'hunks' | 'bytes'> {
  /** Number of lines read so far, if there are more. */
  readonly rest?: number | undefined
}

/** Whole patches, by their objects: equal objects differ in the same lines. */
export type Sections = ReadonlyMap<string, PatchSection>

interface FirstBounds {
  readonly maxFiles: number
  readonly maxBytes: number
}

interface Trees {
  readonly from: string
  readonly to: string
}

interface PatchBounds {
  /** Lines of the first file that are left out. */
  readonly skip: number
  readonly maxBytes: number
  /** Unchanged lines around each change. */
  readonly context?: number
}

/** Reads the lines of changed files. */
export class PatchSource {
  constructor(private readonly git: DiffGit) {}

  /** The changed paths, and the sections of the first of them. */
  async first(
    { from, to }: Trees,
    { maxFiles, maxBytes }: FirstBounds,
    origins: Origins = 'renames',
  ): Promise<{ list: ChangedPaths; sections: Sections }> {
    let locked: Set<string> | undefined
    const isWanted = (objects: string) => {
      locked ??= new Set(paths.list.items.filter(({ path }) => isLockFile(path)).map(objectsOf))
      return !locked.has(objects)
    }
    const patches = new PatchReader({ maxBytes: 2 * maxBytes, maxSections: maxFiles, isWanted })
    const paths = new ChangedPathReader(origins, (bytes) => !mayHaveCopies(paths.list) && patches.take(bytes))
    await this.git.stream(['diff-tree', ...comparing(origins), '--raw', '-p', ...PATCH, from, to], paths.take)
    if (mayHaveCopies(paths.list)) return this.first({ from, to }, { maxFiles, maxBytes }, 'copies')
    const sections = patches.end().complete.filter(({ objects }) => !locked?.has(objects))
    return { list: paths.list, sections: new Map(sections.map((section) => [section.objects, section])) }
  }

  /** The sections of files that git can be given by name, as many as fit. */
  async sections({ from, to }: Trees, paths: readonly ChangedPath[], maxBytes: number): Promise<Sections> {
    const named = paths.flatMap((path) => (canBeNamed(path) && !withoutContent(path) ? (path.argument ?? []) : []))
    if (named.length === 0) return new Map()
    const { complete } = await this.#run(named, { from, to }, { skip: 0, maxBytes: 2 * maxBytes })
    return new Map(complete.map((section) => [section.objects, section]))
  }

  /** The patches of the first of these files, as many as fit; the last may have a rest. */
  async read(
    trees: Trees,
    paths: readonly ChangedPath[],
    { sections, skip, maxBytes }: PatchBounds & { sections: Sections },
  ): Promise<ReadonlyMap<ChangedPath, FilePatch>> {
    const patches = new Map<ChangedPath, FilePatch>()
    let single = 0
    let left = maxBytes
    for (const path of paths) {
      const isFirst = patches.size === 0
      let patch: FilePatch | undefined =
        isFirst && skip > 0 ? undefined : (withoutContent(path) ?? sections.get(objectsOf(path)))
      if (!patch || (isFirst && patch.bytes > left)) {
        if (single++ === MAX_SINGLE || left <= 0) break
        patch = await this.one(trees, path, { skip: isFirst ? skip : 0, maxBytes: left })
      }
      if (patch.bytes > left && !isFirst) break
      patches.set(path, patch)
      left -= patch.bytes
      if (patch.rest !== undefined) break
    }
    return patches
  }

  /** The hunks of all files without the lines around them; undefined when they exceed the bound. */
  async changes(from: string, to: string, maxBytes: number): Promise<DiffHunk[] | undefined> {
    const reader = new PatchReader({ maxBytes })
    await this.git.stream(['diff-tree', '-r', '-p', '-U0', '--no-renames', ...PATCH, from, to], reader.take)
    const { complete, rest } = reader.end()
    return rest ? undefined : complete.flatMap(({ hunks }) => hunks)
  }

  /** The patch of one file, from a line on. */
  async one(trees: Trees, path: ChangedPath, bounds: PatchBounds): Promise<FilePatch> {
    const { argument } = path
    const { complete, rest } =
      argument !== undefined && canBeNamed(path)
        ? await this.#run([argument], trees, bounds)
        : await this.#runOnObjects(path, bounds)
    const section = complete[0] ?? rest
    if (!section) throw new AppError('service-unavailable', `git printed no differences of ${path.path}`)
    return { ...section, rest: section === rest ? section.lines : undefined }
  }

  async #run(names: readonly string[], { from, to }: Trees, bounds: PatchBounds) {
    const reader = new PatchReader(bounds)
    const options = ['-r', '-p', '--no-renames', contextOf(bounds), ...PATCH]
    await this.git.stream(['diff-tree', ...options, from, to, '--', ...names], reader.take)
    return reader.end()
  }

  async #runOnObjects({ oldMode, mode, oldObject, object }: ChangedPath, bounds: PatchBounds) {
    const reader = new PatchReader(bounds)
    const isOneSided = oldMode === NO_MODE || mode === NO_MODE
    // An object that is compared must be stored, even the empty one.
    const empty = isOneSided ? await this.git.line(['hash-object', '-w', '--stdin'], Buffer.alloc(0)) : ''
    const sides = [oldMode === NO_MODE ? empty : oldObject, mode === NO_MODE ? empty : object]
    await this.git.stream(['diff', contextOf(bounds), ...PATCH, ...sides], reader.take)
    return reader.end()
  }
}

const contextOf = ({ context = 3 }: PatchBounds): string => `-U${context}`

/** The objects of both sides, as a patch names them. */
export const objectsOf = ({ oldObject, object }: ChangedPath): string => `${oldObject}..${object}`

/** True if git prints the differences of a file as one section when given its name. */
const canBeNamed = ({ argument, status }: ChangedPath): boolean => argument !== undefined && !/^[RCT]/.test(status)

/** The patch of a file without differences in its content, and of a submodule, which has none. */
function withoutContent({ oldMode, mode, oldObject, object }: ChangedPath): FilePatch | undefined {
  const empty = { isBinary: false, bytes: 0 }
  if (oldObject === object) return { ...empty, hunks: [] }
  if (oldMode !== SUBMODULE && mode !== SUBMODULE) return undefined
  const lines: DiffLine[] = [
    ...(oldMode === SUBMODULE ? [{ kind: '-' as const, old: 1, text: `Subproject commit ${oldObject}` }] : []),
    ...(mode === SUBMODULE ? [{ kind: '+' as const, new: 1, text: `Subproject commit ${object}` }] : []),
  ]
  return { ...empty, hunks: [{ old_start: 1, new_start: 1, lines }] }
}

import { GeneratedAttributes } from './attributes.ts'
import { type ChangedPath, isCopy, NO_MODE, SUBMODULE } from './changed-paths.ts'
import { type DiffGit, LARGE_BYTES } from './diff-git.ts'
import { type FoldingFacts, foldingOf, isMarkedGenerated } from './folding.ts'
import { type ObjectStart, readObjects } from './object-reader.ts'
import type { FileChange, FileKind } from './schema.ts'

const MAX_ATTRIBUTES_BYTES = 64 * 1024
/** The start of a file in which a marker is looked for. */
const MAX_START_BYTES = 4096

type Facts = Pick<FileChange, 'old_size' | 'size'> & Omit<FoldingFacts, 'path' | 'isBinary'>

/** Reads sizes of changed files, and whether tools generated them. */
export class FileFacts {
  constructor(
    private readonly git: DiffGit,
    /** The commit whose attributes count. A change cannot declare its own files generated. */
    private readonly base: string,
  ) {}

  /** Reads the facts of files that are still being listed; `isBinary` names those whose lines git does not compare. */
  async read(
    listed: Promise<{ paths: readonly ChangedPath[]; isBinary(path: ChangedPath): boolean }>,
  ): Promise<ReadonlyMap<ChangedPath, Facts>> {
    const wanted = listed.then(({ paths, isBinary }) => {
      const objects = [...new Set(paths.flatMap(objectsOf))]
      const folders = [...foldersOf(paths)]
      const marked = [...new Set(paths.flatMap((path) => (isBinary(path) ? [] : markedObject(path))))]
      return { paths, objects, folders, marked }
    })
    const requests = wanted.then(({ objects, folders, marked }) => [
      ...objects.map((name) => ({ name, maxBytes: 0 })),
      ...folders.map((folder) => ({ name: `${this.base}:${folder}.gitattributes`, maxBytes: MAX_ATTRIBUTES_BYTES })),
      ...marked.map((name) => ({ name, maxBytes: MAX_START_BYTES })),
    ])
    const [read, { paths, objects, folders, marked }] = await Promise.all([readObjects(this.git, requests), wanted])
    const sizes = new Map(objects.map((object, at) => [object, read[at]?.size]))
    const texts = folders.map((folder, at) => [folder, textOf(read[objects.length + at])] as const)
    const attributes = new GeneratedAttributes(new Map(texts))
    const starts = read.slice(objects.length + folders.length)
    const generated = new Set(marked.filter((_, at) => isMarkedGenerated(textOf(starts[at]))))
    return new Map(paths.map((path) => [path, toFacts(path, { sizes, attributes, generated })]))
  }
}

interface Read {
  readonly sizes: ReadonlyMap<string, number | undefined>
  readonly attributes: GeneratedAttributes
  readonly generated: ReadonlySet<string>
}

function toFacts(path: ChangedPath, { sizes, attributes, generated }: Read): Facts {
  const oldSize = isFile(path.oldMode) && !isCopy(path) ? sizes.get(path.oldObject) : undefined
  const size = isFile(path.mode) ? sizes.get(path.object) : undefined
  return {
    ...(oldSize !== undefined && { old_size: oldSize }),
    ...(size !== undefined && { size }),
    isLarge: Math.max(oldSize ?? 0, size ?? 0) > LARGE_BYTES,
    isMarked: markedObject(path).some((object) => generated.has(object)),
    declared: attributes.declares(path.oldPath ?? path.path),
  }
}

const isFile = (mode: string): boolean => mode !== NO_MODE && mode !== SUBMODULE

const objectsOf = ({ oldMode, mode, oldObject, object }: ChangedPath): string[] => [
  ...(isFile(oldMode) ? [oldObject] : []),
  ...(isFile(mode) ? [object] : []),
]

/** The side of a file whose marker counts: the one before the change, or a new file. */
const markedObject = ({ oldMode, mode, oldObject, object }: ChangedPath): string[] =>
  oldMode.startsWith('100') ? [oldObject] : oldMode === NO_MODE && mode.startsWith('100') ? [object] : []

/** The folders of paths, up to the root: `''`, `'src/'`. */
function foldersOf(paths: readonly ChangedPath[]): Set<string> {
  const folders = new Set<string>([''])
  for (const { path, oldPath, argument } of paths) {
    const name = oldPath ?? path
    // Objects are named on lines.
    if (argument === undefined || name.includes('\n')) continue
    for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) folders.add(name.slice(0, end + 1))
  }
  return folders
}

const textOf = (object: ObjectStart | undefined): string =>
  object?.type === 'blob' ? object.start.toString('utf8') : ''

/** A changed file without its lines. */
export function toFile(
  path: ChangedPath,
  facts: Facts | undefined,
  isBinary: boolean,
): Omit<FileChange, 'added' | 'removed'> {
  const { isLarge = false, isMarked = false, declared, ...sizes } = facts ?? {}
  const folded = foldingOf({ path: path.path, isBinary, isLarge, isMarked, declared })
  return {
    path: path.path,
    ...(path.oldPath !== undefined && { old_path: path.oldPath }),
    kind: kindOf(path, isBinary || isLarge),
    ...(path.oldMode !== NO_MODE && !isCopy(path) && { old_mode: path.oldMode }),
    ...(path.mode !== NO_MODE && { mode: path.mode }),
    ...sizes,
    ...(folded !== undefined && { folded }),
  }
}

const isLink = (mode: string): boolean => mode === '120000'

function kindOf(changed: ChangedPath, isBinary: boolean): FileKind {
  const { oldMode, mode, oldObject, object, status } = changed
  if (oldMode === SUBMODULE || mode === SUBMODULE) return 'submodule'
  if (isLink(oldMode) || isLink(mode)) return 'symlink'
  if (oldMode === NO_MODE) return 'added'
  if (mode === NO_MODE) return 'deleted'
  if (status.startsWith('R')) return 'renamed'
  if (isCopy(changed)) return 'copied'
  if (oldObject === object) return 'mode'
  return isBinary ? 'binary' : 'modified'
}

import { GeneratedAttributes } from './attributes.ts'
import { type ChangedPath, NO_MODE, SUBMODULE } from './changed-paths.ts'
import { type DiffGit, LARGE_BYTES } from './diff-git.ts'
import { type FoldingFacts, foldingOf, GENERATED_MARKER, MARKER_LINES } from './folding.ts'
import type { FileChange, FileKind } from './schema.ts'

/** Maximum folders that are searched for attributes one by one. */
const MAX_FOLDERS = 200
const MAX_ATTRIBUTES_BYTES = 64 * 1024
const MAX_ALL_ATTRIBUTES_BYTES = 1024 * 1024
/** Paths given to one command. */
const MAX_ARGUMENTS = 400

type Facts = Pick<FileChange, 'old_size' | 'size'> & Omit<FoldingFacts, 'path' | 'isBinary'>

/** Sizes of changed files, and whether tools generated them. */
export class FileFacts {
  constructor(
    private readonly git: DiffGit,
    /** The commit whose attributes and markers count. A change cannot declare its own files generated. */
    private readonly base: string,
    private readonly head: string,
  ) {}

  async read(paths: readonly ChangedPath[]): Promise<ReadonlyMap<ChangedPath, Facts>> {
    const [sizes, attributes] = await Promise.all([this.#sizes(paths), this.#attributes(paths)])
    const isLarge = (path: ChangedPath) =>
      (sizes.get(path.object) ?? 0) > LARGE_BYTES || (sizes.get(path.oldObject) ?? 0) > LARGE_BYTES
    const marked = await this.#marked(paths.filter((path) => !isLarge(path)))
    return new Map(
      paths.map((path) => {
        const oldSize = path.oldMode === NO_MODE ? undefined : sizes.get(path.oldObject)
        const size = path.mode === NO_MODE ? undefined : sizes.get(path.object)
        const facts = {
          ...(oldSize !== undefined && { old_size: oldSize }),
          ...(size !== undefined && { size }),
          isLarge: isLarge(path),
          isMarked: marked.has(path),
          declared: attributes.declares(path.oldPath ?? path.path),
        }
        return [path, facts]
      }),
    )
  }

  async #sizes(paths: readonly ChangedPath[]): Promise<ReadonlyMap<string, number>> {
    const objects = new Set<string>()
    for (const { oldMode, mode, oldObject, object } of paths) {
      if (oldMode !== NO_MODE && oldMode !== SUBMODULE) objects.add(oldObject)
      if (mode !== NO_MODE && mode !== SUBMODULE) objects.add(object)
    }
    const text = await this.#batch('--batch-check', [...objects])
    const lines = text.toString('latin1').split('\n')
    return new Map(
      lines.flatMap((line) => {
        const [object = '', type, size] = line.split(' ')
        return type === 'blob' ? [[object, Number(size)] as const] : []
      }),
    )
  }

  #batch(option: string, objects: readonly string[], maxBytes = Number.MAX_SAFE_INTEGER): Promise<Buffer> {
    if (objects.length === 0) return Promise.resolve(Buffer.alloc(0))
    const input = Buffer.from(objects.map((object) => `${object}\n`).join(''))
    return this.git.output(['cat-file', option], maxBytes, { input })
  }

  async #attributes(paths: readonly ChangedPath[]): Promise<GeneratedAttributes> {
    const folders = new Set<string>([''])
    for (const { path, oldPath, argument } of paths) {
      if (argument === undefined) continue
      const names = (oldPath ?? path).split('/')
      for (let depth = 1; depth < names.length; depth++) folders.add(`${names.slice(0, depth).join('/')}/`)
    }
    const all = folders.size > MAX_FOLDERS
    const wanted = all ? [] : [...folders].map((folder) => `${folder}.gitattributes`)
    const files = new Map<string, string>()
    await this.git.fields(['ls-tree', ...(all ? ['-r'] : []), '-z', this.base, '--', ...wanted], (entry) => {
      const [, object, path] = /^100\d+ blob ([0-9a-f]+)\t(.*\.gitattributes)$/s.exec(entry) ?? []
      const folder =
        path === undefined ? undefined : Buffer.from(path, 'latin1').toString().slice(0, -'.gitattributes'.length)
      if (object !== undefined && folder !== undefined && folders.has(folder)) files.set(folder, object)
      return true
    })
    const texts = readBatch(await this.#batch('--batch', [...new Set(files.values())], MAX_ALL_ATTRIBUTES_BYTES))
    return new GeneratedAttributes(new Map([...files].map(([folder, object]) => [folder, texts.get(object) ?? ''])))
  }

  /** The files with a marker of a generator near their start: before the change, or in a new file. */
  async #marked(paths: readonly ChangedPath[]): Promise<ReadonlySet<ChangedPath>> {
    const marked = new Set<ChangedPath>()
    const isText = ({ mode, oldMode }: ChangedPath) => mode.startsWith('100') || oldMode.startsWith('100')
    const chosen = paths.filter((path) => path.argument !== undefined && isText(path))
    const groups = [
      { tree: this.base, paths: chosen.filter(({ oldMode }) => oldMode !== NO_MODE) },
      { tree: this.head, paths: chosen.filter(({ oldMode }) => oldMode === NO_MODE) },
    ]
    await Promise.all(
      groups.map(async ({ tree, paths: of }) => {
        for (let at = 0; at < of.length; at += MAX_ARGUMENTS) {
          const part = new Map(of.slice(at, at + MAX_ARGUMENTS).map((path) => [path.oldPath ?? path.path, path]))
          for (const name of await this.#grep(tree, [...part.keys()])) {
            const path = part.get(name)
            if (path) marked.add(path)
          }
        }
      }),
    )
    return marked
  }

  async #grep(tree: string, names: readonly string[]): Promise<string[]> {
    const found: string[] = []
    let name = ''
    let fields = 0
    const options = ['-z', '-n', '-o', '-m1', '-I', '-E', '-e', GENERATED_MARKER]
    await this.git.fields(
      ['grep', ...options, tree, '--', ...names],
      (field) => {
        // Fields are a name, a number, and a match, whose line ends before the next name.
        if (fields++ % 2 === 0) name = field.slice(fields === 1 ? 0 : field.indexOf('\n') + 1).slice(tree.length + 1)
        else if (Number(field) <= MARKER_LINES) found.push(Buffer.from(name, 'latin1').toString())
        return true
      },
      { allow: [1] },
    )
    return found
  }
}

/** The texts of objects, as `cat-file --batch` prints them. */
function readBatch(bytes: Buffer): Map<string, string> {
  const texts = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at)
    if (end === -1) break
    const [object = '', type, length] = bytes.toString('latin1', at, end).split(' ')
    const size = type === 'blob' ? Number(length) : -1
    if (size >= 0 && size <= MAX_ATTRIBUTES_BYTES) texts.set(object, bytes.toString('utf8', end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return texts
}

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
    ...(path.oldMode !== NO_MODE && { old_mode: path.oldMode }),
    ...(path.mode !== NO_MODE && { mode: path.mode }),
    ...sizes,
    ...(folded !== undefined && { folded }),
  }
}

const isLink = (mode: string): boolean => mode === '120000'

function kindOf({ oldMode, mode, oldObject, object, status }: ChangedPath, isBinary: boolean): FileKind {
  if (oldMode === SUBMODULE || mode === SUBMODULE) return 'submodule'
  if (isLink(oldMode) || isLink(mode)) return 'symlink'
  if (oldMode === NO_MODE) return 'added'
  if (mode === NO_MODE) return 'deleted'
  if (status.startsWith('R')) return 'renamed'
  if (oldObject === object) return 'mode'
  return isBinary ? 'binary' : 'modified'
}

import { nextTick } from '../../core/event-loop.ts'
import type { DiffFile, DiffLine, DiffPage, Diffs, FileChange } from '../diffs/index.ts'
import { type Block, reasonsOfBlock } from './block-rules.ts'
import { reasonsOfDependencies } from './dependency-rules.ts'
import { type FileKinds, kindsOf } from './file-kinds.ts'
import { type Reason, reasonsOfAdded, toRead } from './line-rules.ts'

/** A file, how much attention it deserves, and why. */
export interface RankedFile {
  readonly path: string
  /** From 0 to 100. */
  readonly score: number
  /** The most important first. */
  readonly reasons: readonly string[]
}

const MAX_REASONS = 5
/** Share of the weight of each further reason. */
const FURTHER = 0.1
const LARGE_DELETION = 60
/** Pages are small, so that no other work waits long while one is read. */
const PAGE_BYTES = 32 * 1024
/** Lines of a diff beyond this are not read. */
const MAX_READ_BYTES = 8 * 1024 * 1024

/** Ranks the files that differ between two commits. */
export async function rankChanges(diffs: Diffs, base: string, head: string): Promise<RankedFile[]> {
  const { items } = await diffs.files(base, head)
  const reader = new RiskReader(items)
  let bytes = 0
  for await (const page of diffs.pages(base, head, { maxBytes: PAGE_BYTES, unfold: true })) {
    for (const file of page.files) {
      reader.readFile(file)
      await nextTick()
    }
    bytes += PAGE_BYTES
    if (bytes >= MAX_READ_BYTES) break
  }
  return reader.ranked()
}

/** Ranks files by what deserves attention in their pages, then by size. */
export function order(files: readonly FileChange[], pages: Iterable<DiffPage>): RankedFile[] {
  const reader = new RiskReader(files)
  for (const page of pages) for (const file of page.files) reader.readFile(file)
  return reader.ranked()
}

class RiskReader {
  readonly #reasons = new Map<string, Map<string, number>>()

  constructor(private readonly files: readonly FileChange[]) {
    for (const file of files) this.#add(file.path, reasonsOfFile(file, files))
  }

  readFile(file: DiffFile): void {
    const kinds = kindsOf(file)
    // Lines that a tool wrote are read for their secrets and hosts, and the rest of them follows from their source.
    const isSource = file.folded === undefined || file.folded === 'lock'
    for (const { lines } of file.hunks) {
      for (const { kind, text, moved } of lines) {
        if (kind === '+' && !moved) this.#add(file.path, reasonsOfAdded(text, kinds))
      }
      if (!isSource) continue
      for (const block of blocksOf(lines)) {
        this.#add(file.path, reasonsOfDependencies(block, kinds))
        if (file.kind !== 'deleted') this.#add(file.path, reasonsOfBlock(block, kinds))
      }
    }
    if (file.kind === 'symlink') this.#add(file.path, linkReasons(file))
  }

  ranked(): RankedFile[] {
    const ranked = this.files.map((file) => ({ file, ...this.#scored(file.path) }))
    const size = ({ added = 0, removed = 0 }: FileChange) => added + removed
    ranked.sort((a, b) => b.score - a.score || size(b.file) - size(a.file))
    return ranked.map(({ file, score, reasons }) => ({ path: file.path, score, reasons }))
  }

  #scored(path: string): { score: number; reasons: string[] } {
    const found = [...(this.#reasons.get(path) ?? [])].sort(([, a], [, b]) => b - a)
    const [first, ...others] = found.map(([, weight]) => weight)
    const score = Math.min(100, (first ?? 0) + FURTHER * others.reduce((sum, weight) => sum + weight, 0))
    return { score: Math.round(score), reasons: found.slice(0, MAX_REASONS).map(([words]) => words) }
  }

  #add(path: string, reasons: readonly Reason[]): void {
    const known = this.#reasons.get(path) ?? new Map<string, number>()
    for (const { words, weight } of reasons) known.set(words, Math.max(weight, known.get(words) ?? 0))
    this.#reasons.set(path, known)
  }
}

/** Lines that are removed and added in one place. Those that moved are left out. */
function blocksOf(lines: readonly DiffLine[]): Block[] {
  const blocks: { removed: string[]; added: string[] }[] = []
  let isOpen = false
  for (const { kind, text, moved } of lines) {
    if (kind === ' ') {
      isOpen = false
      continue
    }
    if (!isOpen) blocks.push({ removed: [], added: [] })
    isOpen = true
    if (!moved) blocks.at(-1)?.[kind === '+' ? 'added' : 'removed'].push(toRead(text))
  }
  return blocks
}

const isExecutable = (mode: string | undefined): boolean => mode === '100755'

/** The reasons that a file gives without a look at its lines. */
function reasonsOfFile(file: FileChange, files: readonly FileChange[]): Reason[] {
  const kinds = kindsOf(file)
  const { path, kind, added = 0, removed = 0, folded } = file
  const isDeleted = kind === 'deleted'
  const reasons: (Reason | false)[] = [
    isDeleted && kinds.isTest && { words: 'deletes a test file', weight: 100 },
    isDeleted && !kinds.isTest && { words: 'deletes a file', weight: 20 },
    isExecutable(file.mode) && !isExecutable(file.old_mode) && { words: 'makes the file executable', weight: 70 },
    kind === 'submodule' && { words: 'moves a submodule to another commit', weight: 65 },
    kind === 'symlink' && { words: 'changes a link', weight: 50 },
    folded === 'binary' && {
      words: isDeleted ? 'deletes a binary file' : 'has content that cannot be read here',
      weight: 30,
    },
    folded === 'large' && { words: 'is too large to be read here', weight: 50 },
    !isDeleted && removed >= LARGE_DELETION && removed > 3 * added && { words: `deletes ${removed} lines`, weight: 35 },
    ...pathReasons(file, kinds),
    kinds.isLock &&
      !hasManifest(path, files) && { words: 'changes locked versions without their manifest', weight: 60 },
  ]
  return reasons.filter((reason) => reason !== false)
}

function pathReasons({ kind, old_mode: oldMode }: FileChange, kinds: FileKinds): (Reason | false)[] {
  const isNew = oldMode === undefined
  return [
    kinds.isMigration &&
      (isNew
        ? { words: 'adds a migration', weight: 60 }
        : { words: 'changes a migration that may have run', weight: 80 }),
    kinds.isOwners && { words: 'changes who must review', weight: 80 },
    kinds.isPipeline && { words: 'changes the pipeline', weight: 40 },
    kinds.isChecks && { words: 'changes the configuration of checks', weight: 50 },
    kinds.isDeployment && { words: 'changes the deployment', weight: 35 },
    kinds.isSettings && { words: 'changes settings of tools', weight: 50 },
    kinds.isSecurity && kind !== 'mode' && { words: 'concerns access or credentials', weight: 35 },
    kinds.isSnapshot && !isNew && { words: 'changes recorded results of tests', weight: 35 },
    kinds.isManifest && { words: 'changes the manifest of a package', weight: 15 },
  ]
}

/** True if the manifest of a lock file changed with it. */
function hasManifest(path: string, files: readonly FileChange[]): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return files.some((file) => file.path.startsWith(folder) && kindsOf(file).isManifest)
}

function linkReasons({ hunks }: DiffFile): Reason[] {
  const targets = hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === '+' ? [text] : [])))
  const leaves = targets.some((target) => /^(?:\/|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)/.test(target))
  return leaves ? [{ words: 'links to a place outside its folder', weight: 95 }] : []
}

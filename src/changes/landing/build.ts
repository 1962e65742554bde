import type { LandConfig } from '../../config/land/index.ts'
import { errorMessage } from '../../core/errors.ts'
import {
  type AddedLines,
  broughtBack,
  type ConflictedFile,
  changesBetween,
  changesDigest,
  type LfsPointer,
  lfsPointers,
  linesBetween,
  makeCandidate,
  merge,
  movedSubmodules,
  type PathChange,
  type Replaced,
  readAddedLines,
  renamesBetween,
  type UserGit,
  type Yard,
} from '../yard/index.ts'
import type { Generation } from './generation.ts'
import type { LandingRow } from './table.ts'

/** The base of a branch, and its known history. */
export interface BuildRequest {
  readonly yard: Yard
  readonly land: LandConfig
  readonly row: LandingRow
  /** The target as it was seen, and the last candidate ahead of this one. */
  readonly base: string
  readonly tip: string
  /** Heads of landings that this one continues, which landed or are ahead of it. */
  readonly landed: readonly string[]
  /** Whether the target has the head. */
  readonly isContained: boolean
  /** The contents that the target and what is ahead replaced. */
  replaced(): Promise<Replaced>
  /** Unix time in seconds. */
  readonly committedAt: number
  /** True if a person approved this head. */
  readonly isApproved: boolean
  /** Names the landing in the commit, also among those of other cities. */
  readonly name: string
  readonly user: UserGit
  /** Makes generated files that are in conflict. */
  readonly generation: Generation
  /** The pointers of Git LFS whose files are not where the target is. */
  missingLfs(pointers: readonly LfsPointer[]): Promise<LfsPointer[]>
}

export interface Candidate {
  readonly parent: string
  readonly candidate: string
  readonly tree: string
  readonly expected: string
}

export type BuildResult =
  | { readonly is: 'candidate'; readonly candidate: Candidate; readonly changes: readonly PathChange[] }
  /** The target has all of it. */
  | { readonly is: 'already' }
  /** It cannot be merged with what is ahead of it, or has nothing beyond that. */
  | { readonly is: 'later' }
  /** Its generated files are being made again. */
  | { readonly is: 'generating' }
  | {
      readonly is: 'conflict'
      readonly files: readonly ConflictedFile[]
      readonly ours: string
      readonly failed?: Failed | undefined
    }
  | { readonly is: 'held'; readonly for: string; readonly reason: string }

/** The command that was to make the files in conflict again, and how it failed. */
export interface Failed {
  readonly reason: string
  readonly output: string
}

/** Merges a branch onto what is ahead of it, and looks for what a person must see first. */
export async function build(request: BuildRequest): Promise<BuildResult> {
  const { yard, row, base, tip, isContained } = request
  if (isContained) return { is: 'already' }
  const starts = await startsOf(request)
  if (starts.length === 0) return held('unrelated', `its branch has no history in common with ${row.target}`)
  await yard.attributesFrom(base)
  const merged = await mergeOf(request)
  if ('is' in merged) return merged
  const changes = await changesBetween(yard, tip, merged.tree)
  if (changes.length === 0) return { is: tip === base ? 'already' : 'later' }
  let added: Promise<AddedLines> | undefined
  const readAdded = () => (added ??= readAddedLines(yard, tip, merged.tree))
  const problem = await examine(request, { ...merged, changes, starts, added: readAdded })
  if (problem) return problem
  const candidate = await candidateOf(request, merged.tree)
  const expected = changesDigest(changes)
  return { is: 'candidate', candidate: { parent: tip, candidate, tree: merged.tree, expected }, changes }
}

/** The merge with what is ahead; conflicts in generated files are resolved by making these again. */
async function mergeOf(request: BuildRequest): Promise<BuildResult | Pick<Merged, 'tree' | 'generated'>> {
  const { yard, row, base, tip, landed, generation, land } = request
  const merged = await merge(yard, { tip, head: row.head, landed })
  if (!('conflicts' in merged)) return { tree: merged.tree, generated: [] }
  const generated = await generation.resolve(merged, tip, land)
  if (generated.is === 'running') return { is: 'generating' }
  if (generated.is === 'made') return { tree: generated.tree, generated: generated.globs }
  const failed = generated.is === 'failed' ? generated : undefined
  if (tip === base) return { is: 'conflict', files: merged.conflicts, ours: merged.ours, failed }
  const alone = await merge(yard, { tip: base, head: row.head, landed })
  if (!('conflicts' in alone) || generation.covers(alone.conflicts, land)) return { is: 'later' }
  return { is: 'conflict', files: alone.conflicts, ours: alone.ours }
}

const held = (reason: string, sentence: string): BuildResult => ({ is: 'held', for: reason, reason: sentence })

/** The commits at which a branch left its target. */
async function startsOf({ yard, row, tip, landed }: BuildRequest): Promise<string[]> {
  const found = await yard.own.try('merge-base', '--all', row.head, tip, ...landed)
  return found.split('\n').filter(Boolean)
}

function candidateOf({ yard, land, row, tip, landed, committedAt, name, user }: BuildRequest, tree: string) {
  const { head, bead, session, agent, submittedAt } = row
  const parts = {
    ...{ tip, head, tree, landed, strategy: land.strategy, landing: name, committedAt },
    ...{ bead: bead ?? undefined, session: session ?? undefined, agent: agent ?? undefined },
    submittedAt: Math.floor(submittedAt / 1000),
  }
  return makeCandidate(yard, parts, land.sign ? user : undefined)
}

interface Merged {
  readonly tree: string
  /** The files that were made again. */
  readonly generated: readonly string[]
  readonly changes: readonly PathChange[]
  readonly starts: readonly string[]
  added(): Promise<AddedLines>
}

const LISTED = 5
const listed = (paths: readonly string[]): string =>
  paths.slice(0, LISTED).join(', ') + (paths.length > LISTED ? ` and ${paths.length - LISTED} more` : '')

/** The first guard that holds a merge for a person. Guards that a person let pass are skipped. */
async function examine(request: BuildRequest, merged: Merged): Promise<BuildResult | undefined> {
  for (const [name, find] of Object.entries(GUARDS)) {
    if (request.row.allowed.includes(name)) continue
    const reason = await find(request, merged)
    if (reason !== undefined) return held(name, reason)
  }
  return undefined
}

type Guard = (request: BuildRequest, merged: Merged) => Promise<string | undefined>

const GUARDS: Readonly<Record<string, Guard>> = {
  approval: (request, merged) => (request.isApproved ? Promise.resolve(undefined) : notAutomatic(request, merged)),
  async submodule(_, { changes }) {
    const moved = movedSubmodules(changes)
    return moved.length > 0 ? `it moves submodules, which gc does not land: ${listed(moved)}` : undefined
  },
  async lfs({ yard, missingLfs }, { changes, added }) {
    const { pointers: seen, isCut } = await added()
    const isKnown = !isCut && !seen.some((path) => path.startsWith('"'))
    const pointers = await lfsPointers(yard, isKnown ? changes.filter(({ path }) => seen.includes(path)) : changes)
    if (pointers.length === 0) return undefined
    const paths = listed(pointers.map(({ path }) => path))
    try {
      const missing = await missingLfs(pointers)
      if (missing.length === 0) return undefined
      const what = listed(missing.map(({ path }) => path))
      return `the remote lacks files of Git LFS, which git lfs push brings there: ${what}`
    } catch (error) {
      return `it is not known whether the remote has its files of Git LFS (${errorMessage(error)}): ${paths}`
    }
  },
  async paths(request, merged) {
    const foreign = await foreignPaths(request, merged)
    return foreign.length > 0 ? `the merge changes files that its branch does not: ${listed(foreign)}` : undefined
  },
  async protected({ land }, { changes }) {
    const globs = [...land.protectedPaths, ...checkFiles(land)].map((pattern) => new Bun.Glob(pattern))
    const found = changes.map(({ path }) => path).filter((path) => globs.some((glob) => glob.match(path)))
    return found.length > 0 ? `it changes protected files: ${listed(found)}` : undefined
  },
  async 'brought-back'({ row, replaced }, { changes }) {
    const paths = broughtBack(changes, await replaced())
    if (paths.length < 2) return undefined
    return `it brings contents back that ${row.target} replaced, as a branch does that was not up to date: ${listed(paths)}`
  },
  async large({ yard, tip, land }, { tree }) {
    const { large } = land.hold
    if (large === undefined) return undefined
    const lines = await linesBetween(yard, tip, tree)
    return lines > large ? `it changes ${lines} lines, and the rig holds what changes more than ${large}` : undefined
  },
  async secrets(_, { added }) {
    const { findings, isCut } = await added()
    if (findings.length > 0) return `it adds ${listed(findings.map(({ path, what }) => `${what} in ${path}`))}`
    return isCut ? 'it is too large to be looked through for secrets' : undefined
  },
}

/** The reason for a change that no rule lets land. */
export const NOT_APPROVED = 'it is not approved; approve its change, or release it'

/** The reason why a change needs approval; undefined if the rules of the rig let it land. */
async function notAutomatic({ yard, tip, land }: BuildRequest, { tree, changes }: Merged): Promise<string | undefined> {
  const { auto } = land
  if (!auto) return NOT_APPROVED
  const globs = auto.paths?.map((pattern) => new Bun.Glob(pattern))
  const others = globs && changes.filter(({ path }) => !globs.some((glob) => glob.match(path))).map(({ path }) => path)
  if (others && others.length > 0) return `it changes files that wait for approval: ${listed(others)}`
  if (auto.maxLines === undefined) return undefined
  const lines = await linesBetween(yard, tip, tree)
  return lines > auto.maxLines
    ? `it changes ${lines} lines, and more than ${auto.maxLines} wait for approval`
    : undefined
}

/** Paths that a merge changes and the branch does not, under no name that they have now. */
async function foreignPaths(
  { yard, row, tip }: BuildRequest,
  { changes, starts, generated }: Merged,
): Promise<string[]> {
  const isGenerated = generated.map((pattern) => new Bun.Glob(pattern))
  const own = new Set<string>()
  for (const start of starts) for (const { path } of await changesBetween(yard, start, row.head)) own.add(path)
  const foreign = changes
    .map(({ path }) => path)
    .filter((path) => !own.has(path) && !isGenerated.some((glob) => glob.match(path)))
  if (foreign.length === 0) return []
  const renamed = new Set<string>()
  for (const start of starts) {
    for (const [before, after] of await renamesBetween(yard, start, tip)) if (own.has(before)) renamed.add(after)
  }
  return foreign.filter((path) => !renamed.has(path))
}

/** The files of the repository that the check names: a branch does not change what judges it. */
const checkFiles = ({ check = [] }: LandConfig): string[] =>
  check
    .flatMap((word) => word.split(/\s+/))
    .map((word) => word.replace(/^\.\//, ''))
    .filter((word) => /^[\w@.-]+(?:\/[\w@.-]+)+$|^[\w@-]+\.\w+$/.test(word) && !word.startsWith('-'))

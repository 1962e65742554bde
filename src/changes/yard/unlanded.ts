import type { Repository } from '../../agents/worktrees/index.ts'
import type { Yard } from './yard.ts'

const SUBMITTED = 'refs/gc/land'
const TARGETS = 'refs/gc/base'
/** Branches of pull requests, which are seen like targets. */
const PROPOSED = `${TARGETS}/gc/land/`
const MAX_OUTPUT = 64 * 1024 * 1024

/**
 * The refs of submitted commits that no target is known to have: neither in its history, nor by a commit that names the
 * landing, nor by its contents.
 */
export async function unlandedRefs(yard: Yard): Promise<string[]> {
  const submitted = await yard.refs(SUBMITTED)
  if (submitted.size === 0) return []
  const targets = [...(await yard.refs(TARGETS))].flatMap(([ref, commit]) => (ref.startsWith(PROPOSED) ? [] : [commit]))
  const named = await landingsNamedBy(yard, targets)
  const unlanded: string[] = []
  for (const [ref, commit] of submitted) {
    const [id = ''] = ref.slice(SUBMITTED.length + 1).split('/')
    if (!named.has(id) && !(await isIn(yard.own, targets, commit))) unlanded.push(ref)
  }
  return unlanded
}

/** Landings with commits of their own among these. Commits that a branch merged count as text of an agent. */
async function landingsNamedBy(yard: Yard, targets: readonly string[]): Promise<Set<string>> {
  if (targets.length === 0) return new Set()
  const format = '--format=%(trailers:key=Gc-Landing,valueonly)'
  const log = ['log', '--first-parent', '--grep=^Gc-Landing: ', format, ...targets]
  const lines = (await yard.own.read(log, { maxOutput: MAX_OUTPUT })).split('\n')
  return new Set(lines.map((line) => line.split('/').at(-1) ?? ''))
}

async function isIn(git: Repository, targets: readonly string[], commit: string): Promise<boolean> {
  for (const target of targets) if ((await git.compare(target, [commit])).merged) return true
  return false
}

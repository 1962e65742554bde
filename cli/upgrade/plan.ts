import { countOf, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Step, StoredDatabase } from '../../src/supervisor/databases.ts'
import { commit, version } from '../context/version.ts'
import type { Candidate } from './candidate.ts'
import { changes as ownChanges } from './changelog.ts'

/** Steps of an upgrade. */
export interface Plan {
  readonly candidate: Candidate
  /** Entries of the changelog that only the other gc has, and those that only this one has. */
  readonly gained: readonly string[]
  readonly given: readonly string[]
  /** The databases that the other gc changes. */
  readonly changed: readonly StoredDatabase[]
  /** Those that it cannot open, and what takes their place. */
  readonly back: readonly Step[]
  /** Reason it cannot be done. */
  readonly impossible: readonly string[]
}

const MAX_CHANGES = 20
const CHANGE_LENGTH = 160

export async function planFor(home: string, candidate: Candidate): Promise<Plan> {
  const { databasesIn, stepsBack } = await import('../../src/supervisor/databases.ts')
  const databases = databasesIn(home)
  const steps = stepsBack(databases, candidate.databases)
  return {
    candidate,
    gained: candidate.changes.filter((change) => !ownChanges.includes(change)),
    given: ownChanges.filter((change) => !candidate.changes.includes(change)),
    changed: databases.filter(({ kind, version }) => version < candidate.databases[kind]),
    back: steps.flatMap(({ database, copy }) => (copy ? [{ database, copy }] : [])),
    impossible: steps.flatMap(({ database: { path, version, kind }, copy }) =>
      copy
        ? []
        : [
            `${path} is of version ${version}, that gc reads ${candidate.databases[kind]} at most, and no copy was kept`,
          ],
    ),
  }
}

/** The plan in sentences. */
export const describePlan = ({ candidate, gained, given, changed, back }: Plan): string[] => [
  `From gc ${version} (${commit}) to gc ${sanitizeLine(candidate.version)} (${sanitizeLine(candidate.commit)}).`,
  ...list('It brings', gained),
  ...list('It is without', given),
  ...(changed.length > 0 ? [`It changes ${countOf(changed.length, 'database')}, and keeps a copy beside each:`] : []),
  ...changed.map(({ path, version: now }) => `  ${path}.v${now}`),
  ...back.map(
    ({ database: { path, version: now }, copy }) =>
      `${path} goes back to ${new Date(copy.at).toLocaleString('sv-SE')}: what was recorded in it since then is lost to that gc, and stays in ${path}.v${now}.`,
  ),
]

function list(title: string, changes: readonly string[]): string[] {
  if (changes.length === 0) return []
  const shown = changes.slice(0, MAX_CHANGES).map((change) => `  - ${truncate(sanitizeLine(change), CHANGE_LENGTH)}`)
  const rest = changes.length - shown.length
  return [`${title}:`, ...shown, ...(rest > 0 ? [`  and ${rest} more; \`gc version --long\` lists all`] : [])]
}

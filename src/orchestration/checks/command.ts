import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve, sep } from 'node:path'
import type { Bead } from '../../work/beads/schema.ts'
import { WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from '../runs/node.ts'

/** Where the script of a check may lie, and where it runs. */
export interface CheckPlaces {
  /** The city's folder. */
  city: string
  /** The folder of the run's rig, else the city's. */
  store: string
  /** Where the attempt was worked on, when that is known. */
  workDir: string | undefined
  /** Folders of formulas and packs. */
  packs: readonly string[]
}

/** The folder in packs in which scripts lie that are named as if the city had them. */
const SHIPPED = '.gc/scripts/checks/'

/** The script that a check names; throws a sentence when it is not there, or lies where no script of it may lie. */
export function resolveScript(path: string, { city, store, workDir, packs }: CheckPlaces): string {
  const candidates = isAbsolute(path)
    ? [path]
    : [
        ...[workDir, store, city].flatMap((base) => (base === undefined ? [] : [resolve(base, path)])),
        ...shipped(path, packs),
      ]
  const script = candidates.find((candidate) => existsSync(candidate))
  if (script === undefined) throw new Error(`the script of the check is not there: ${path}`)
  const real = realpathSync(script)
  const roots = [city, store, ...(workDir === undefined ? [] : [workDir]), ...packs].flatMap((root) =>
    existsSync(root) ? [realpathSync(root)] : [],
  )
  if (roots.some((root) => real.startsWith(`${root}${sep}`))) return real
  throw new Error(`the script of the check lies outside of the city, its rigs and packs: ${real}`)
}

const shipped = (path: string, packs: readonly string[]): string[] =>
  path.startsWith(SHIPPED) ? packs.map((pack) => join(pack, 'assets/scripts/checks', path.slice(SHIPPED.length))) : []

/** The folder of a run, and that of an attempt for what it hands on. */
export interface RunFolders {
  molecule: string
  artifacts: string
}

/** The folders of a check, which are made where they are not there. */
export function makeRunFolders(control: Bead, attempt: Bead, city: string): RunFolders {
  const molecule = join(city, '.gc', 'molecules', metadataValue(control, WorkflowKey.rootBeadId))
  const artifacts = join(molecule, 'artifacts', attempt.id)
  mkdirSync(artifacts, { recursive: true, mode: 0o700 })
  return { molecule, artifacts }
}

/** The environment of a check: only this, nothing is inherited. */
export function checkEnvironment(
  control: Bead,
  attempt: Bead,
  { city, store, workDir }: CheckPlaces,
  { molecule, artifacts }: RunFolders,
  command: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...command,
    HOME: city,
    BEADS_DIR: join(store, '.beads'),
    GC_BEAD_ID: attempt.id,
    GC_ITERATION: metadataValue(attempt, WorkflowKey.attempt) || '1',
    GC_MAX_ITERATIONS: metadataValue(control, WorkflowKey.maxAttempts) || '1',
    GC_WISP_ID: metadataValue(control, WorkflowKey.rootBeadId),
    GC_WORK_DIR: workDir ?? store,
    GC_STORE_PATH: store,
    GC_MOLECULE_DIR: molecule,
    GC_ARTIFACT_DIR: artifacts,
  }
}

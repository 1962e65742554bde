import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'

/** A commit to bring into a repository: its ref there, and its name where it comes from. */
export interface Wanted {
  readonly ref: string
  readonly commit: string
  readonly source: string
}

/** Writes commits of the repository that they come from into a bundle, without the history of those that are known. */
export type Bundle = (sources: readonly string[], file: string, known: readonly string[]) => Promise<void>

/**
 * Brings commits into a repository under refs of gc's own. They travel as a bundle, so that neither repository runs a program
 * of the other; branches, index and files stay as they are.
 */
export async function bring(
  into: Repository,
  { wanted, bundle, incoming, branch }: { wanted: readonly Wanted[]; bundle: Bundle; incoming: string; branch: string },
): Promise<void> {
  const missing: Wanted[] = []
  for (const each of wanted) if (!(await into.commitOf(each.commit))) missing.push(each)
  if (missing.length > 0) {
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { mode: 0o700 })
    try {
      const file = join(incoming, 'commits.bundle')
      const tip = await into.commitOf(`refs/heads/${branch}`)
      const sources = missing.map(({ source }) => source)
      await bundle(sources, file, tip === '' ? [] : [tip])
      await into.run('bundle', 'unbundle', file)
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }
  const lines = wanted.map(({ ref, commit }) => `update ${ref} ${commit}\n`)
  await into.read(['update-ref', '--stdin'], { input: Buffer.from(lines.join('')) })
}

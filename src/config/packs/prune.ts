import { readLock } from '../compose/packs/lock.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import type { PackCheckouts } from './checkouts.ts'

/** Names the checkouts that no lock of these cities has and that were fetched before a time; removes them if asked to. */
export async function pruneCheckouts(
  checkouts: PackCheckouts,
  cities: readonly string[],
  { before, apply }: { before: number; apply: boolean },
): Promise<string[]> {
  const used = new Set(
    cities.flatMap((city) => [...readLock(new FileSnapshot(city)).values()].map(({ commit }) => commit)),
  )
  const unused = checkouts.records().filter(({ commit, fetched }) => !used.has(commit) && Date.parse(fetched) < before)
  if (apply) for (const record of unused) await checkouts.remove(record)
  return unused.map(({ url, commit }) => `${url} ${commit}`)
}

import { lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { TarSource } from '../../core/tar/write-tar.ts'
import { ArchiveJudge } from './archive-judge.ts'
import { BACKUP_DB, isCityFolder, isDerived, MANIFEST } from './contents.ts'

/** The files of a city that go into its backup, and the names of those that do not. */
export interface CityFiles {
  readonly files: TarSource[]
  readonly leftOut: string[]
}

const MAX_FILES = 150_000

/** Lists the files of a city. Links are not followed: a session may have put them there. */
export async function listCityFiles(city: string): Promise<CityFiles> {
  const files: TarSource[] = []
  const leftOut: string[] = []
  const judge = new ArchiveJudge({ maxBytes: Number.MAX_SAFE_INTEGER, skipUnknown: true })
  for (const name of [BACKUP_DB, MANIFEST]) judge.accepts({ name, type: '0', size: 0, mode: 0 })
  const isRestorable = (name: string) => judge.accepts({ name, type: '0', size: 0, mode: 0 })
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of (await readdir(join(city, folder))).sort()) {
      const name = folder ? `${folder}/${entry}` : entry
      const path = join(city, name)
      const kind = kindOf(lstatSync(path, { throwIfNoEntry: false }))
      if (kind === 'folder' && isCityFolder(name)) waiting.push(name)
      else if (kind === 'file' && isRestorable(name)) files.push({ name, path })
      else if (kind !== 'gone' && !isDerived(name)) leftOut.push(name)
    }
    if (files.length > MAX_FILES) throw tooMany()
  }
  return { files, leftOut }
}

function kindOf(stats: Stats | undefined): 'file' | 'folder' | 'other' | 'gone' {
  if (!stats) return 'gone'
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'folder' : 'other'
}

const tooMany = (): AppError =>
  new AppError(
    'conflict-wrong-state',
    `the city has more than ${MAX_FILES} files; move what its agents do not need out of its folder`,
  )

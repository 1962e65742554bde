import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const STAGING = /^\.fetching-(\d+)-/

/** A new name for a folder that this process fetches into. */
export const fetchFolderName = (): string => `.fetching-${process.pid}-${randomBytes(6).toString('hex')}`

/** Removes what killed processes left behind in the folder of all checkouts. */
export async function removeAbandonedFetches(checkouts: string): Promise<void> {
  if (!existsSync(checkouts)) return
  for (const name of readdirSync(checkouts)) {
    const pid = Number(STAGING.exec(name)?.[1] ?? 0)
    if (pid > 0 && pid !== process.pid && !isRunning(pid)) {
      await rm(join(checkouts, name), { recursive: true, force: true })
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes a folder only its owner can read, with its parents, and sees to it that they are on disk. */
export function createFolder(path: string): void {
  const whole = resolve(path)
  const first = mkdirSync(whole, { recursive: true, mode: 0o700 })
  if (!first) return
  for (let at = whole; ; at = dirname(at)) {
    syncFolder(at)
    if (at === dirname(first) || at === dirname(at)) return
  }
}

/** Puts the names in a folder on disk. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the folders beside this file when gc is built: their files by path, in order. */
export function embedPacks(): [path: string, text: string][] {
  const files = readdirSync(import.meta.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map((entry) => join(entry.parentPath, entry.name).slice(import.meta.dir.length + 1))
    .filter((path) => path.includes('/'))
    .sort()
    .map((path) => [path, readFileSync(join(import.meta.dir, path), 'utf8')])
}

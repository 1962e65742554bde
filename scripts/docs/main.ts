import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generatePages } from './pages.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** Writes the generated pages that changed: `npm run docs`. */
for (const [path, text] of await generatePages()) {
  if (readFileSync(join(ROOT, path), 'utf8') === text) continue
  writeFileSync(join(ROOT, path), text)
  process.stdout.write(`${path}\n`)
}

import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generatePages } from './pages.ts'

/** Writes the generated pages: `npm run docs`. */
for (const [name, text] of await generatePages()) {
  writeFileSync(join(resolve(import.meta.dir, '../../docs'), name), text)
  process.stdout.write(`docs/${name}\n`)
}

import { resolve } from 'node:path'
import { Glob } from 'bun'

/**
 * Runs every bench of this folder, one after the other, each in a process of its own; words choose some of them. The
 * program is built first, unless `GC_BINARY` names one: the histories that benches write have the sources' tables.
 */
if (!process.env.GC_BINARY) {
  const build = Bun.spawn([process.execPath, resolve(import.meta.dir, '../../scripts/build.ts')], { stderr: 'inherit' })
  if ((await build.exited) !== 0) process.exit(1)
}
const words = process.argv.slice(2)
for (const file of [...new Glob('*.bench.ts').scanSync(import.meta.dir)].sort()) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) continue
  process.stdout.write(`\n# ${file}\n`)
  const bench = Bun.spawn([process.execPath, resolve(import.meta.dir, file)], { stdout: 'inherit', stderr: 'inherit' })
  if ((await bench.exited) !== 0) process.exitCode = 1
}

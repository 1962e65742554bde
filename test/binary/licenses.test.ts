import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'

const ROOT = resolve(import.meta.dir, '../..')
const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** The folders of the packages that a bundle of the program and its workers has code of. */
async function bundledFolders(): Promise<string[]> {
  const workers = [...new Glob('src/**/*.worker.ts').scanSync(ROOT)]
  const built = await Bun.build({
    entrypoints: ['cli/main.ts', ...workers].map((path) => join(ROOT, path)),
    root: ROOT,
    target: 'bun',
    external: ['react-devtools-core'],
    metafile: true,
  })
  expect(built.success).toBe(true)
  const files = Object.values(built.metafile?.outputs ?? {}).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [resolve(ROOT, path)] : [])),
  )
  return [...new Set(files.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))].sort()
}

test('the binary holds its license and that of every package in it', async () => {
  const { stdout, exitCode } = Bun.spawnSync([binary, 'version', '--licenses'])
  const text = stdout.toString()
  expect(exitCode).toBe(0)
  expect(text).toStartWith(readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim())
  const sections = new Map(
    text
      .split(`${'='.repeat(80)}\n`)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0] ?? '', section]),
  )
  const packages = await bundledFolders()
  expect(packages.length).toBeGreaterThan(50)
  for (const folder of packages) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect([name, (sections.get(`${name} ${version}`) ?? '').length > 500]).toEqual([name, true])
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/bun/package.json'), 'utf8'))
  expect(sections.get(`bun ${version}`)).toContain('LGPL')
  expect(sections.get('drizzle-orm 0.45.4')).toContain('Apache License')
}, 60_000)

import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Glob } from 'bun'
import { behindFaces, importsOf, readHouse } from '../support/house.ts'

/** Tests that `npm test` leaves out. */
const SLOW = /^test\/(slow|bench|api|cli|host|agents\/programs|binary)\//

/** Tests that hold the files of a folder, or one file, to their contract although they do not mirror the folder. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'src/changes/landing/': [
    'landing',
    'landing-bad-input',
    'landing-pull-requests',
    'landing-tidying',
    'landing-yard',
  ].map((name) => `test/slow/${name}.test.ts`),
  'src/social/network/api/guard.ts': [
    'test/social/wire.test.ts',
    'test/social/accounts/identity.test.ts',
    'test/social/limits/limits.test.ts',
    'test/social/accounts/ownership.test.ts',
    'test/social/accounts/signatures.test.ts',
  ],
}

/**
 * Finds the unit tests of a source file by the graph of imports: those in the folder that mirrors its own which reach it. If
 * there are none, those that import it.
 */
export async function testFinder(): Promise<(source: string) => string[]> {
  const { imports } = await readHouse()
  const helpers = [...new Glob('test/**/*.{ts,tsx}').scanSync('.')].filter((path) => !SLOW.test(path)).sort()
  const ours = helpers.flatMap((path) => importsOf(path, readFileSync(path, 'utf8')))
  const edges = new Map<string, string[]>()
  for (const { from, to, typeOnly } of behindFaces([...imports, ...ours])) {
    if (!typeOnly) edges.set(from, [...(edges.get(from) ?? []), to])
  }
  const reached = (from: string, isPassed: (path: string) => boolean): Set<string> => {
    const seen = new Set([from])
    for (const path of seen) if (isPassed(path)) for (const to of edges.get(path) ?? []) seen.add(to)
    return seen
  }
  const tests = helpers.filter((path) => /\.test\.tsx?$/.test(path))
  const direct = new Map(tests.map((path) => [path, reached(path, (each) => each === path)]))
  const all = new Map(tests.map((path) => [path, reached(path, () => true)]))
  return (source) => {
    const elsewhere = Object.entries(ELSEWHERE).flatMap(([path, those]) => (source.startsWith(path) ? those : []))
    const mirror = mirrorOf(source)
    const mirrored = tests.filter((path) => dirname(path) === mirror && all.get(path)?.has(source))
    const importers = new Set(tests.filter((path) => direct.get(path)?.has(source)))
    if (mirrored.length === 0) return [...elsewhere, ...importers]
    const others = mirrored.filter((path) => !importers.has(path))
    return [...elsewhere, ...mirrored.filter((path) => importers.has(path)), ...others]
  }
}

/** The folder of `test` that mirrors the folder of a source file, or the nearest above it. */
function mirrorOf(source: string): string {
  let folder = dirname(source).replace(/^src\//, 'test/')
  while (!existsSync(folder)) folder = dirname(folder)
  return folder
}

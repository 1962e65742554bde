import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'

interface Manifest {
  scripts?: Record<string, string>
  bin?: string | Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const IMPORT = /\b(?:from|import|import\(|require\(|resolve\()\s*'((?:@[\w.-]+\/)?[a-z][\w.-]*)[/']/g

/** The names of packages that these files import, also by the path of a file in `node_modules`. */
function imported(pattern: string): Set<string> {
  const names = new Set<string>()
  for (const file of new Glob(pattern).scanSync('.')) {
    if (file.includes('node_modules')) continue
    const text = readFileSync(file, 'utf8')
    for (const [, name = ''] of text.matchAll(IMPORT)) names.add(name)
    for (const [, name = ''] of text.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)) names.add(name)
    // The compiler writes the imports of JSX.
    if (file.endsWith('.tsx')) names.add('react')
  }
  return names
}

/** The packages whose programs the scripts run, and the types that the compiler loads. */
function usedByTools(names: readonly string[]): string[] {
  const scripts = Object.values(manifest.scripts ?? {}).join('\n')
  const config = readFileSync('tsconfig.json', 'utf8')
  return names.filter((name) => {
    const { bin = {} }: Manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
    const programs = typeof bin === 'string' ? [name] : Object.keys(bin)
    const typed = /^@types\/(.+)$/.exec(name)?.[1]
    const isTyped = typed !== undefined && Object.hasOwn(manifest.dependencies, typed)
    return isTyped || config.includes(`"${name}"`) || programs.some((each) => new RegExp(`\\b${each}\\b`).test(scripts))
  })
}

test('every dependency is imported by the program, and every other package by its tests and scripts', () => {
  const program = imported('{src,client,cli,tui}/**/*.{ts,tsx}')
  expect(Object.keys(manifest.dependencies).filter((name) => !program.has(name))).toEqual([])
  const others = Object.keys(manifest.devDependencies)
  const used = new Set([...imported('{test,scripts}/**/*.{ts,tsx}'), ...usedByTools(others)])
  expect(others.filter((name) => !used.has(name))).toEqual([])
})

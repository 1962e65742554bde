import { resolve } from 'node:path'
import { type Declaration, locationOf, prefixOf, RIG_NAME } from '../declare/index.ts'
import type { Diagnostics } from '../files/index.ts'
import { resolveLand } from '../land/index.ts'
import { resolveSessionSleep, toLimit } from '../settings/index.ts'
import type { RigConfig } from './config.ts'
import type { RigFields } from './fields.ts'
import { bindRig, type RigDeclarations } from './site.ts'

interface RigScope {
  /** The city's folder. */
  readonly path: string
  /** The city's own prefix. */
  readonly prefix: string
  readonly diagnostics: Diagnostics
}

/** The rigs of a city. An id must tell whose it is, so every prefix of a city differs from the others in any case. */
export function resolveRigs(declarations: RigDeclarations, scope: RigScope): RigConfig[] {
  const { diagnostics } = scope
  const rigs: RigConfig[] = []
  const holders = new Map([[scope.prefix.toLowerCase(), 'the city']])
  for (const declared of declarations.rigs) {
    const declaration = bindRig(declared, declarations.rigBindings)
    const rig = resolveRig(declaration, scope)
    if (!rig) continue
    const holder = holders.get(rig.prefix.toLowerCase())
    if (rigs.some(({ name }) => name === rig.name)) {
      diagnostics.error(locationOf(declaration, 'name'), `"${rig.name}" is the name of an earlier rig`)
    } else if (holder) {
      const free = freePrefix(rig.name, holders)
      const message = `"${rig.prefix}" is the prefix of ${holder} already; set another, such as "${free}"`
      diagnostics.error(locationOf(declaration, 'prefix'), message)
    }
    rigs.push(rig)
    holders.set(rig.prefix.toLowerCase(), `rig "${rig.name}"`)
  }
  return rigs
}

function resolveRig(declaration: Declaration<RigFields>, { path: city, diagnostics }: RigScope): RigConfig | undefined {
  const { values, block, origins } = declaration
  const { name, path, prefix, defaultBranch, formulasDir, formulaVars, sleep, confine, land } = values
  if (name === undefined) return undefined
  checkName(declaration, name, diagnostics)
  if (path === undefined) {
    const message = `is missing, so that nothing runs in rig "${name}"; \`gc rig add <folder> --name ${name}\` says where it is on this machine`
    diagnostics.warning(locationOf(declaration, 'path'), message)
  }
  return {
    ...{ name, defaultBranch, block, origins },
    path: path === undefined ? undefined : resolve(city, path),
    ...(formulaVars !== undefined && { formulaVars }),
    ...(formulasDir !== undefined && { formulasDir: resolve(city, formulasDir) }),
    prefix: prefix ?? prefixOf(name),
    declaredPrefix: prefix,
    defaultSlingTargets: values.defaultSlingTargets ?? [values.defaultSlingTarget ?? []].flat(),
    suspendedOnStart: values.suspendedOnStart ?? values.suspended ?? false,
    maxActive: toLimit(values.maxActive),
    sleep: resolveSessionSleep(sleep),
    ...(confine && { confine }),
    ...(land && { land: resolveLand(land, diagnostics), landTable: land }),
  }
}

function checkName(declaration: Declaration<RigFields>, name: string, diagnostics: Diagnostics): void {
  const location = locationOf(declaration, 'name')
  if (name === '*') diagnostics.error(location, '"*" stands for every rig; choose another name')
  else if (!RIG_NAME.test(name)) {
    diagnostics.error(
      location,
      `"${name}" must start with a letter or digit and contain only letters, digits, ".", "-" or "_"`,
    )
  }
}

/**
 * A prefix for a rig that nothing else has: longer by letters of its name, or by a number. `taken` is in lower case.
 */
export function freePrefix(name: string, taken: { has(prefix: string): boolean }): string {
  const prefix = prefixOf(name)
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  for (let length = prefix.length + 1; length <= letters.length; length++) {
    const candidate = letters.slice(0, length)
    if (!taken.has(candidate)) return candidate
  }
  for (let number = 2; ; number++) if (!taken.has(`${prefix}${number}`)) return `${prefix}${number}`
}

import { isAbsolute, resolve } from 'node:path'
import type { RigConfig } from '../city-config.ts'
import { PREFIX, prefixOf, RIG_NAME } from '../names.ts'
import type { Reader } from './section-reader.ts'
import { readSleep } from './sleep.ts'
import { capOf } from './workspace.ts'

/** Where the rigs of a city lie on this machine: `[[rig]]` of `.gc/site.toml`. */
export function readBindings(site: Reader): Map<string, string> {
  const paths = new Map<string, string>()
  for (const rig of site.each('rig')) {
    const name = rig.required('name')
    const path = rig.required('path')
    rig.end()
    if (name !== undefined && path !== undefined) paths.set(name, path)
  }
  return paths
}

/** The city that rigs are read for: its folder, its own prefix, and where its rigs lie on this machine. */
export interface Ground {
  readonly path: string
  readonly prefix: string
  readonly bindings: ReadonlyMap<string, string>
}

/** `[[rigs]]`. Ids must tell whose they are, so every prefix of a city is unlike the others, whatever its case. */
export function readRigs(city: Reader, ground: Ground): RigConfig[] {
  const rigs: RigConfig[] = []
  const taken = new Map([[ground.prefix.toLowerCase(), 'the city']])
  for (const at of city.each('rigs')) {
    const rig = readRig(at, ground)
    if (!rig) continue
    const holder = taken.get(rig.prefix.toLowerCase())
    if (rigs.some(({ name }) => name === rig.name)) at.wrong('name', `"${rig.name}" is the name of an earlier rig`)
    else if (holder) {
      at.wrong(
        'prefix',
        `"${rig.prefix}" is the prefix of ${holder} already; set another, such as "${freePrefix(rig.name, taken)}"`,
      )
    }
    rigs.push(rig)
    taken.set(rig.prefix.toLowerCase(), `rig "${rig.name}"`)
  }
  return rigs
}

function readRig(at: Reader, { path: city, bindings }: Ground): RigConfig | undefined {
  at.keep('imports', 'overrides', 'patches', 'dolt_host', 'dolt_port')
  const name = at.required('name')
  if (name !== undefined) checkName(at, name)
  const declaredPath = at.text('path')
  const path = bindings.get(name ?? '') ?? declaredPath
  if (name !== undefined && path === undefined) {
    at.wrong('path', `is required: the folder of rig "${name}" on this machine; \`gc rig add\` writes it for you`)
  }
  const target = at.text('default_sling_target')
  const targets = at.texts('default_sling_targets')
  const declaredPrefix = prefix(at)
  const maxActive = capOf(at.whole('max_active_sessions', -1))
  const more = {
    defaultBranch: at.text('default_branch'),
    suspendedOnStart: at.flag('suspended_on_start') ?? at.flag('suspended') ?? false,
    sleep: readSleep(at.within('session_sleep')),
    formulasDir: at.text('formulas_dir'),
    formulaVars: at.map('formula_vars') ?? {},
  }
  at.keep('suspended')
  at.end()
  if (name === undefined || path === undefined) return undefined
  return {
    name,
    path: isAbsolute(path) ? path : resolve(city, path),
    prefix: declaredPrefix ?? prefixOf(name),
    declaredPrefix,
    maxActive,
    slingTargets: targets ?? (target ? [target] : []),
    raw: at.table,
    ...more,
  }
}

function checkName(at: Reader, name: string): void {
  if (name === '*') at.wrong('name', '"*" stands for every rig; choose another name')
  else if (!RIG_NAME.test(name)) {
    at.wrong('name', `"${name}" must begin with a letter or digit and go on with those, ".", "-" or "_"`)
  }
}

function prefix(at: Reader): string | undefined {
  const declared = at.text('prefix')
  if (declared !== undefined && !PREFIX.test(declared)) {
    at.wrong('prefix', `"${declared}" must begin with a letter or digit and go on with those, "-" or "_"`)
  }
  return declared
}

/** A prefix for a rig that nobody has: longer by letters of its name, or by a number. `taken` is in small letters. */
export function freePrefix(name: string, taken: { has(prefix: string): boolean }): string {
  const prefix = prefixOf(name)
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  for (let length = prefix.length + 1; length <= letters.length; length++) {
    const candidate = letters.slice(0, length)
    if (!taken.has(candidate)) return candidate
  }
  for (let number = 2; ; number++) if (!taken.has(`${prefix}${number}`)) return `${prefix}${number}`
}

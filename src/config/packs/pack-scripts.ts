import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorMessage } from '../../core/errors.ts'
import { parseToml, type TomlTable } from '../../core/toml/index.ts'
import type { PackConfig } from './config.ts'
import { isInside } from './links.ts'

/** A command that a pack ships: `gc <binding> <words…>`. */
export interface PackCommand {
  readonly binding: string
  readonly words: readonly string[]
  readonly description: string
  /** The long help, if the pack has one. */
  readonly help: string | undefined
  readonly script: string
  readonly pack: Pick<PackConfig, 'name' | 'folder'>
}

/** A check of `gc doctor` that a pack ships. */
export interface PackCheck {
  /** `<pack>:<name>`. */
  readonly name: string
  readonly description: string
  readonly script: string
  /** The script that fixes a bad result. */
  readonly fix: string | undefined
  readonly warmup: boolean
  readonly pack: PackConfig
}

/** Results, and rejected entries with the reason. */
export interface Found<Script> {
  readonly scripts: readonly Script[]
  readonly warnings: readonly string[]
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const MAX_DEPTH = 4
const MAX_FOLDERS = 500
const MAX_TEXT_BYTES = 64 * 1024

/** The name by which a pack's commands are called. */
export const commandBinding = ({ binding, name }: PackConfig): string => binding ?? name

/** The commands of packs; `reserved` are the names of gc's own. The first of several with the same words wins. */
export function findPackCommands(packs: readonly PackConfig[], reserved: ReadonlySet<string>): Found<PackCommand> {
  const warnings: string[] = []
  const commands = new Map<string, PackCommand>()
  for (const pack of packs) {
    const binding = commandBinding(pack)
    const declared = commandsOf(pack, binding, warnings)
    if (declared.length > 0 && reserved.has(binding)) {
      warnings.push(
        `the commands of ${pack.folder} are left out: \`gc ${binding}\` is a command of gc; import it by another name`,
      )
      continue
    }
    for (const command of declared) {
      const key = [binding, ...command.words].join(' ')
      if (!commands.has(key)) commands.set(key, command)
    }
  }
  return { scripts: [...commands.values()], warnings: [...new Set(warnings)] }
}

function commandsOf(pack: PackConfig, binding: string, warnings: string[]): PackCommand[] {
  const root = join(pack.folder, 'commands')
  const commands: PackCommand[] = []
  let left = MAX_FOLDERS
  const visit = (folder: string, words: readonly string[]): void => {
    if (left-- <= 0 || words.length > MAX_DEPTH) return
    const declared = words.length === 0 ? undefined : readScript(pack, folder, 'command.toml', warnings)
    if (declared) {
      const own = wordsOf(declared.table, words)
      const help = readText(join(folder, 'help.md'))
      commands.push({ binding, words: own, description: declared.description, help, script: declared.run, pack })
      return
    }
    for (const name of foldersIn(folder, warnings)) visit(join(folder, name), [...words, name])
  }
  visit(root, [])
  return [...commands, ...inlineCommandsOf(pack, binding, warnings)]
}

/** The commands that pack.toml names. */
function inlineCommandsOf(pack: PackConfig, binding: string, warnings: string[]): PackCommand[] {
  return pack.scripts.commands.flatMap(({ name = '', description = '', help, script: path = '' }) => {
    if (!NAME.test(name)) {
      warnings.push(`a command of ${pack.folder} is left out: ${JSON.stringify(name)} cannot be a word of a command`)
      return []
    }
    const script = namedScript(pack, path, warnings)
    const text = help === undefined ? undefined : scriptIn(pack, pack.folder, help, warnings)
    return script ? [{ binding, words: [name], description, help: text && readText(text), script, pack }] : []
  })
}

/** A script that pack.toml names, from its folder. */
function namedScript(pack: PackConfig, path: string, warnings: string[]): string | undefined {
  const script = scriptIn(pack, pack.folder, path.replace(/^\{\{\s*\.ConfigDir\s*\}\}\//, ''), warnings)
  if (script === undefined) warnings.push(`${join(pack.folder, 'pack.toml')} names a script that is not there: ${path}`)
  return script
}

/** The words of a command: those of its path, unless its file says others. */
function wordsOf(table: TomlTable | undefined, path: readonly string[]): readonly string[] {
  const node = table?.entries.get('command')
  const words =
    node?.kind === 'string'
      ? node.value.split(/\s+/)
      : node?.kind === 'array'
        ? node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
        : []
  return words.length > 0 && words.every((word) => NAME.test(word)) ? words : path
}

/** The doctor checks of packs, each once. */
export function findPackChecks(packs: readonly PackConfig[]): Found<PackCheck> {
  const warnings: string[] = []
  const checks = new Map<string, PackCheck>()
  for (const pack of packs) {
    const root = join(pack.folder, 'doctor')
    for (const name of foldersIn(root, warnings)) {
      const declared = readScript(pack, join(root, name), 'doctor.toml', warnings)
      if (!declared || checks.has(declared.run)) continue
      const warmup = declared.table?.entries.get('warmup')
      checks.set(declared.run, {
        name: `${pack.name}:${name}`,
        description: declared.description,
        script: declared.run,
        fix: declared.fix,
        warmup: warmup?.kind === 'boolean' && warmup.value,
        pack,
      })
    }
    for (const check of inlineChecksOf(pack, warnings)) {
      if (!checks.has(check.script)) checks.set(check.script, check)
    }
  }
  return { scripts: [...checks.values()], warnings }
}

/** The checks that pack.toml names. */
function inlineChecksOf(pack: PackConfig, warnings: string[]): PackCheck[] {
  return pack.scripts.checks.flatMap(
    ({ name = '', description = '', script: path = '', fix: mending, warmup = false }) => {
      const script = namedScript(pack, path, warnings)
      const fix = mending === undefined ? undefined : namedScript(pack, mending, warnings)
      return script ? [{ name: `${pack.name}:${name}`, description, script, fix, warmup, pack }] : []
    },
  )
}

/** A skill that a pack brings to every agent. */
export interface PackSkill {
  /** With the binding of its pack, unless it is the city's own. */
  readonly name: string
  readonly pack: string
  readonly path: string
}

/** The skills of packs; the first of several with one name wins. */
export function findPackSkills(packs: readonly PackConfig[]): PackSkill[] {
  return firstOfName(
    packs.flatMap((pack) =>
      skillsIn(join(pack.folder, 'skills'), pack.binding === undefined ? '' : `${pack.binding}.`, pack.name),
    ),
  )
}

/** The skills in the folders that an agent is given; the first of several with one name wins. */
export function findAgentSkills(
  folders: readonly { readonly folder: string; readonly prefix: string }[],
  packs: readonly PackConfig[],
): PackSkill[] {
  const packOf = (folder: string) => packs.find((pack) => folder.startsWith(`${pack.folder}/`))?.name ?? ''
  return firstOfName(folders.flatMap(({ folder, prefix }) => skillsIn(folder, prefix, packOf(folder))))
}

const skillsIn = (root: string, prefix: string, pack: string): PackSkill[] =>
  foldersIn(root, [])
    .filter((name) => readText(join(root, name, 'SKILL.md')) !== undefined)
    .map((name) => ({ name: prefix + name, pack, path: join(root, name) }))

const firstOfName = (skills: PackSkill[]): PackSkill[] =>
  [...new Map(skills.reverse().map((skill) => [skill.name, skill])).values()].reverse()

interface DeclaredScript {
  readonly table: TomlTable | undefined
  readonly description: string
  readonly run: string
  readonly fix: string | undefined
}

/** The script of a folder: what its file names, else `run.sh`; undefined when there is none. */
function readScript(pack: PackConfig, folder: string, file: string, warnings: string[]): DeclaredScript | undefined {
  const path = join(folder, file)
  const text = readText(path)
  let table: TomlTable | undefined
  try {
    table = text === undefined ? undefined : parseToml(text)
  } catch (error) {
    warnings.push(`${path} is left out: ${errorMessage(error)}`)
    return undefined
  }
  const run = scriptIn(pack, folder, stringOf(table, 'run') ?? 'run.sh', warnings)
  if (run === undefined) return undefined
  const fix = scriptIn(pack, folder, stringOf(table, 'fix') ?? 'fix.sh', warnings)
  return { table, description: stringOf(table, 'description') ?? '', run, fix }
}

/** The absolute path of a script, which has to lie inside its pack. */
function scriptIn(pack: PackConfig, folder: string, name: string, warnings: string[]): string | undefined {
  const path = resolve(folder, name)
  try {
    if (!statSync(path).isFile()) return undefined
    if (isInside(realpathSync(pack.folder), realpathSync(path))) return path
    warnings.push(`${path} is left out: it lies outside of its pack`)
  } catch {
    return undefined
  }
  return undefined
}

function stringOf(table: TomlTable | undefined, key: string): string | undefined {
  const node = table?.entries.get(key)
  return node?.kind === 'string' && node.value !== '' ? node.value : undefined
}

/** The names of the folders in a folder, in order; links are not followed. */
function foldersIn(folder: string, warnings: string[]): string[] {
  let names: string[]
  try {
    if (!lstatSync(folder).isDirectory()) return []
    names = readdirSync(folder).slice(0, MAX_FOLDERS)
  } catch {
    return []
  }
  const folders = names.filter((name) => !/^[._]/.test(name) && lstatSync(join(folder, name)).isDirectory())
  for (const name of folders.filter((each) => !NAME.test(each))) {
    warnings.push(`a folder of ${folder} is left out: ${JSON.stringify(name)} cannot be a word of a command`)
  }
  return folders.filter((name) => NAME.test(name)).sort()
}

function readText(path: string): string | undefined {
  try {
    const { size } = statSync(path)
    if (size > MAX_TEXT_BYTES) return undefined
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The environment of a script of a pack, beside what it inherits. */
export function packScriptEnvironment(
  { name, folder }: Pick<PackConfig, 'name' | 'folder'>,
  city: { readonly path: string; readonly name: string },
  bin: string,
): Record<string, string> {
  const runtime = join(city.path, '.gc', 'runtime')
  return {
    GC_CITY: city.path,
    GC_CITY_PATH: city.path,
    GC_CITY_NAME: city.name,
    GC_CITY_RUNTIME_DIR: runtime,
    GC_PACK_DIR: folder,
    GC_PACK_NAME: name,
    GC_PACK_STATE_DIR: join(runtime, 'packs', name),
    GC_BIN: bin,
  }
}

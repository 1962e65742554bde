import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { FULL_LIMITS, TemplateError, TemplateSet } from '../../core/template/index.ts'
import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import { type Composition, compose } from '../compose/index.ts'
import { CITY_FILE, type Diagnostic, FileSnapshot, formatDiagnostic } from '../files/index.ts'
import { findPackChecks, findPackCommands, LOCK_FILE, openPackFolders, PACK_FILE } from '../packs/index.ts'
import { FUNCTION_NAMES, renderPrompt } from '../prompts/index.ts'
import { composeFolder } from './city-composition.ts'

/** Problems in the folder of a pack or city. */
export interface LintedFolder {
  readonly path: string
  readonly name: string
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

const MAX_DEPTH = 8
const MAX_FOLDERS = 500
const SKIPPED = new Set(['node_modules', 'assets'])

/** Checks what else lies in the folder of a city, or of a pack that the city imports. */
export type FolderLinter = (folder: string, config: CityConfig) => Pick<LintedFolder, 'errors' | 'warnings'>

/** Checks the city in a folder, if it is one, and every pack in it and below; `others` adds to each. */
export function lintFolder(path: string, home: string, others: FolderLinter): LintedFolder[] {
  const isCity = existsSync(join(path, CITY_FILE))
  const packs = findPacks(path)
    .filter((folder) => !isCity || folder !== path)
    .map((folder) => lintPack(folder, home, others))
  return isCity ? [withoutOthers(lintCity(path, home, others), packs), ...packs] : packs
}

/** A city without what is reported of the packs in its folder on their own. */
function withoutOthers(city: LintedFolder, packs: readonly LintedFolder[]): LintedFolder {
  const rest = (kind: 'errors' | 'warnings') => {
    const reported = new Set(
      packs.flatMap((pack) => pack[kind].map((each) => `${relative(city.path, pack.path)}/${each}`)),
    )
    return city[kind].filter((each) => !reported.has(each))
  }
  return { ...city, errors: rest('errors'), warnings: rest('warnings') }
}

/** The folders with a pack.toml, in order; links and hidden folders are left out. */
function findPacks(path: string): string[] {
  const found: string[] = []
  const visit = (folder: string, depth: number): void => {
    if (found.length >= MAX_FOLDERS || depth > MAX_DEPTH) return
    if (existsSync(join(folder, PACK_FILE))) found.push(folder)
    for (const name of readdirSync(folder).sort()) {
      const below = join(folder, name)
      if (!name.startsWith('.') && !SKIPPED.has(name) && lstatSync(below).isDirectory()) visit(below, depth + 1)
    }
  }
  visit(path, 0)
  return found
}

function lintCity(path: string, home: string, others: FolderLinter): LintedFolder {
  const composition = composeFolder(path, home)
  return withOthers(report(path, composition, composition.config.name), others(path, composition.config))
}

/** Composes a city that imports nothing but the pack, and has a rig. */
function lintPack(path: string, home: string, others: FolderLinter): LintedFolder {
  const name = basename(path)
  const probe = '[[agent]]\nname = "probe"\nstart_command = "true"\nprompt_template = "probe.template.md"\n'
  const lock = lockAround(path)
  const drafts = new Map([
    [
      CITY_FILE,
      `[workspace]\nprovider = "claude"\n[imports.pack]\nsource = ${JSON.stringify(path)}\n[[rigs]]\nname = "rig"\npath = "."\n${probe}`,
    ],
    ['probe.template.md', ''],
    ...(lock === undefined ? [] : [[LOCK_FILE, lock] as const]),
  ])
  const city = join(path, '.gc-lint')
  const composition = compose(new FileSnapshot(city, drafts), { folders: openPackFolders(home) })
  const own = composition.config.packs.find(({ folder }) => folder === path)
  return withOthers(report(path, composition, own?.name || name), others(path, composition.config))
}

const withOthers = (folder: LintedFolder, { errors, warnings }: ReturnType<FolderLinter>): LintedFolder => ({
  ...folder,
  errors: [...folder.errors, ...errors],
  warnings: [...folder.warnings, ...warnings],
})

/** The lock of the city that a pack lies in, if it lies in one. */
function lockAround(folder: string): string | undefined {
  if (existsSync(join(folder, LOCK_FILE))) return new FileSnapshot(folder).city.text(LOCK_FILE)
  return dirname(folder) === folder ? undefined : lockAround(dirname(folder))
}

function report(path: string, { config, errors, broken: parts, allWarnings }: Composition, name: string): LintedFolder {
  const broken = config.agents.flatMap((agent) => agent.broken ?? [])
  const missing = errors.filter(isMissing)
  const own = [...errors.filter((error) => !isMissing(error) && !isRequirement(error)), ...parts].map(formatDiagnostic)
  const isBroken = (sentence: string) => broken.some((each) => sentence.startsWith(each))
  const scripts = [findPackCommands(config.packs, new Set()), findPackChecks(config.packs)]
  const warnings = [
    ...allWarnings.map(formatDiagnostic).filter((sentence) => !isBroken(sentence)),
    ...missing.map((error) => `${formatDiagnostic(error)}; what it brings is not checked`),
    ...scripts.flatMap(({ warnings: ofScripts }) => ofScripts),
  ]
  const templates = config.agents
    .flatMap(templateErrors)
    .filter((sentence) => missing.length === 0 || !sentence.includes('there is no fragment'))
  const inPath = (sentences: readonly string[]) => [
    ...new Set(sentences.map((sentence) => sentence.replaceAll(`${path}/`, ''))),
  ]
  return { path, name, errors: inPath([...own, ...broken, ...templates]), warnings: inPath(warnings) }
}

/** A pack that was not fetched: the machine's matter, not that of the files. */
const isMissing = ({ message }: Diagnostic): boolean => message.includes('run `gc import')

/** True for requirements of a pack, which its importer must meet. */
const isRequirement = ({ key }: Diagnostic): boolean => key.startsWith('[[pack.requires]]')

/** Errors in the templates of an agent: its prompt, called fragments, and its commands. */
function templateErrors(agent: AgentConfig): string[] {
  const { prompt, qualified, preStart, sessionSetup, sessionLive, workDir } = agent
  const commands = { pre_start: preStart, session_setup: sessionSetup, session_live: sessionLive, work_dir: workDir }
  return [
    ...(prompt ? renderPrompt({ ...prompt, data: {} }, FULL_LIMITS).warnings : []),
    ...Object.entries(commands).flatMap(([key, texts = []]) =>
      [texts].flat().flatMap((text) => {
        const problem = parseProblem(text)
        return problem === undefined ? [] : [`agent "${qualified}" ${key}: ${problem}`]
      }),
    ),
  ]
}

function parseProblem(text: string): string | undefined {
  try {
    new TemplateSet(FUNCTION_NAMES).add('', text)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}

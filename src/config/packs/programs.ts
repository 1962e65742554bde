import { parseToml, type TomlNode, TomlSyntaxError } from '../../core/toml/index.ts'
import { CITY_FILE, type FileSnapshot, type RootSnapshot } from '../files/index.ts'
import { flatten, readImportTree } from './import-states.ts'
import { type LocateContext, PACK_FILE } from './locate.ts'

/** A program that runs without anybody asking for it, and what brings it. */
export interface StartingProgram {
  /** The pack's name; `city` for the city's own files. */
  readonly pack: string
  readonly kind: 'order' | 'service' | 'session' | 'hook' | 'check' | 'tools'
  readonly name: string
  /** Command, with its trigger. */
  readonly runs: string
}

type Table = Extract<TomlNode, { kind: 'table' }>

/** The keys of an agent that hold commands, and when each runs. */
const AGENT_COMMANDS: Readonly<Record<string, string>> = {
  scale_check: 'to see how many sessions are needed',
  on_boot: 'when a session starts',
  on_death: 'when a session ends',
  pre_start: 'before a session starts',
  session_setup: 'when a session starts',
  session_setup_script: 'when a session starts',
  session_live: 'when a session starts',
}
const MAX_TEXT = 200

/** The programs that a city and the packs that it imports run on their own, as far as their files can be read. */
export function listPrograms(context: LocateContext): StartingProgram[] {
  const { files } = context
  const located = flatten(readImportTree(context)).flatMap(({ location }) =>
    location.kind === 'missing' ? [] : [location.folder],
  )
  const packs = [...new Set(located)].flatMap((folder) => packPrograms(files, folder))
  const city = parse(files.city, CITY_FILE)
  return [...packs, ...folderPrograms(files.city, 'city'), ...(city ? tablePrograms(city, 'city') : [])]
}

function packPrograms(files: FileSnapshot, folder: string): StartingProgram[] {
  const root = files.root(folder)
  return folderPrograms(root, stringOf(tableOf(parse(root, PACK_FILE), 'pack'), 'name') || folder)
}

/** Programs that a pack's own folder runs. */
function folderPrograms(root: RootSnapshot, pack: string): StartingProgram[] {
  const file = parse(root, PACK_FILE)
  return [
    ...(file ? tablePrograms(file, pack) : []),
    ...tomlFiles(root, 'orders').flatMap((name) => orderProgram(parse(root, `orders/${name}`), name, pack)),
    ...tomlFiles(root, 'mcp').flatMap((name) => toolsProgram(parse(root, `mcp/${name}`), name, pack)),
    ...root.folders('agents').flatMap((name) => agentPrograms(parse(root, `agents/${name}/agent.toml`), name, pack)),
    ...root.folders('doctor').flatMap((name) => checkProgram(parse(root, `doctor/${name}/doctor.toml`), name, pack)),
  ]
}

function tablePrograms(root: Table, pack: string): StartingProgram[] {
  return [
    ...['service', 'services']
      .flatMap((key) => blocksOf(root, key))
      .flatMap((service) => {
        const command = textOf(tableOf(service, 'process')?.entries.get('command'))
        if (!command) return []
        return [{ pack, kind: 'service' as const, name: nameOf(service), runs: `all the time: ${command}` }]
      }),
    ...blocksOf(root, 'named_session').flatMap((session) => {
      if (stringOf(session, 'mode') !== 'always') return []
      const name = stringOf(session, 'name') || stringOf(session, 'template')
      return [
        { pack, kind: 'session' as const, name, runs: `all the time: the agent ${stringOf(session, 'template')}` },
      ]
    }),
    ...blocksOf(root, 'agent').flatMap((agent) => agentPrograms(agent, nameOf(agent), pack)),
    ...commandsOf(tableOf(root, 'global')?.entries.get('session_live')).map((command) => ({
      ...{ pack, kind: 'hook' as const, name: 'session_live', runs: `when any session starts: ${command}` },
    })),
  ]
}

function orderProgram(root: Table | undefined, file: string, pack: string): StartingProgram[] {
  const order = tableOf(root, 'order') ?? root
  if (!order) return []
  const exec = stringOf(order, 'exec')
  const what = exec || (stringOf(order, 'formula') && `the formula ${stringOf(order, 'formula')}`)
  if (!what || stringOf(order, 'trigger') === 'manual' || isFalse(order, 'enabled')) return []
  const trigger = stringOf(order, 'trigger') || stringOf(order, 'gate')
  const when = ['interval', 'schedule', 'on', 'check'].map((key) => stringOf(order, key)).find((text) => text !== '')
  const name = file.replace(/\.(order\.)?toml$/, '')
  return [{ pack, kind: 'order', name, runs: `${[trigger, when].filter(Boolean).join(' ')}: ${cut(what)}` }]
}

function agentPrograms(agent: Table | undefined, name: string, pack: string): StartingProgram[] {
  if (!agent) return []
  return Object.entries(AGENT_COMMANDS).flatMap(([key, when]) =>
    commandsOf(agent.entries.get(key)).map((command) => ({
      ...{ pack, kind: 'hook' as const, name: `${name} ${key}`, runs: `${when}: ${command}` },
    })),
  )
}

function toolsProgram(server: Table | undefined, file: string, pack: string): StartingProgram[] {
  const command = server ? [stringOf(server, 'command'), textOf(server.entries.get('args'))].join(' ').trim() : ''
  if (!command) return []
  return [
    { pack, kind: 'tools', name: file.replace(/\.(template\.)?toml$/, ''), runs: `with each session: ${cut(command)}` },
  ]
}

function checkProgram(check: Table | undefined, name: string, pack: string): StartingProgram[] {
  const warmup = check?.entries.get('warmup')
  if (warmup?.kind !== 'boolean' || !warmup.value) return []
  return [{ pack, kind: 'check', name, runs: 'when the city starts' }]
}

const tomlFiles = (root: RootSnapshot, folder: string): string[] =>
  root.fileNames(folder).filter((name) => name.endsWith('.toml'))

function parse(root: RootSnapshot, file: string): Table | undefined {
  try {
    return parseToml(root.text(file) ?? '')
  } catch (error) {
    if (error instanceof TomlSyntaxError) return undefined
    throw error
  }
}

function tableOf(parent: Table | undefined, key: string): Table | undefined {
  const node = parent?.entries.get(key)
  return node?.kind === 'table' ? node : undefined
}

const blocksOf = (root: Table, key: string): Table[] => {
  const node = root.entries.get(key)
  return node?.kind === 'array' ? node.items.filter((item) => item.kind === 'table') : []
}

function stringOf(table: Table | undefined, key: string): string {
  const node = table?.entries.get(key)
  return node?.kind === 'string' ? node.value : ''
}

const nameOf = (table: Table): string => stringOf(table, 'name')

function isFalse(table: Table, key: string): boolean {
  const node = table.entries.get(key)
  return node?.kind === 'boolean' && !node.value
}

/** A command, or a list of words, as one text. */
const textOf = (node: TomlNode | undefined): string => cut(stringsOf(node).join(' '))

/** One command or several. */
const commandsOf = (node: TomlNode | undefined): string[] => stringsOf(node).map(cut)

function stringsOf(node: TomlNode | undefined): string[] {
  if (node?.kind === 'string') return node.value === '' ? [] : [node.value]
  return node?.kind === 'array' ? node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) : []
}

function cut(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line
}

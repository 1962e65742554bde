import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Contents of a folder after a power cut, by the system calls that `strace` recorded. On disk are the bytes of a file
 * when it was last synced, and the names in a folder when that was last synced. Of what came later a cut may keep any
 * part.
 */
export const STRACE = [
  ...['strace', '-f', '-qq', '-xx', '-s', '4000000', '-e', 'signal=none', '-e'],
  'trace=open,openat,close,dup,dup2,dup3,fcntl,write,writev,pwrite64,ftruncate,lseek,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat,link,linkat,clone,clone3,fork,vfork',
]

/** A write at an offset, or a cut to a length. */
type Change = { offset: number; bytes: Buffer } | { length: number }

interface TracedFile {
  kind: 'file'
  mode: number
  synced: Buffer
  /** Number of changes that are in it. */
  kept: number
  pending: Change[]
  size: number
}

interface TracedFolder {
  kind: 'folder'
  synced: ReadonlyMap<string, Traced>
  /** The number of the sync that kept these names. */
  kept: number
  names: Map<string, Traced>
}

type Traced = TracedFile | TracedFolder | { kind: 'link'; target: string }

interface Descriptor {
  node: Traced
  offset: number
  appends: boolean
}

/** A system call with its arguments and its result. */
interface Call {
  name: string
  args: string
  result: number
}

const LINE = /^(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))$/
const UNFINISHED = / <unfinished \.\.\.>$/
const RESULT = /^(.*)\) += (-?\d+)/s
const STRING = /"((?:\\x[0-9a-f]{2})*)"/g

const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex')
const stringsOf = (args: string): Buffer[] => [...args.matchAll(STRING)].map(([, hex = '']) => bytesOf(hex))
const lastNumber = (args: string): number => Number(args.slice(args.lastIndexOf(', ') + 2))

/** The open files of a process, which its threads share. */
type Descriptors = Map<number, Descriptor>

/** The state of a folder while processes change it. */
export class TracedDisk {
  readonly #top: TracedFolder
  /** By thread. */
  readonly #tables = new Map<string, Descriptors>()
  /** Those of the process that was traced first. */
  readonly #first: Descriptors = new Map()
  /** Threads and processes that are being made, by the thread that makes them. */
  readonly #births = new Map<string, Descriptors>()
  #syncs = 0
  readonly #unfinished = new Map<string, { name: string; args: string; sync: (() => void) | undefined }>()

  constructor(private readonly path: string) {
    this.#top = readFolder(path)
  }

  /** Applies the calls of a trace, in the order in which they ended. */
  apply(trace: string): void {
    for (const line of trace.split('\n')) this.#line(line)
  }

  /** Replaces the folder with what a cut leaves of it now. */
  cut(chance: () => number): void {
    rmSync(this.path, { recursive: true, force: true })
    const survival = [0, 0.5, 1][Math.floor(chance() * 3)] ?? 0
    writeFolder(this.path, this.#top, survival, chance)
  }

  #line(line: string): void {
    const [, thread = '', name, args = '', resumed, rest = ''] = LINE.exec(line) ?? []
    if (thread === '') return
    if (name !== undefined && UNFINISHED.test(args)) {
      const begun = args.replace(UNFINISHED, '')
      // Its number is free at once: another thread may have it before this call has ended.
      const descriptors = this.#tableOf(thread)
      this.#unfinished.set(thread, { name, args: begun, sync: this.#syncOf(descriptors, name, begun) })
      if (name === 'close') descriptors.delete(Number(begun))
      if (isBirth(name)) this.#births.set(thread, childTable(descriptors, begun))
      return
    }
    const before = resumed === undefined ? undefined : this.#unfinished.get(thread)
    const [, all = '', result] = RESULT.exec(before ? before.args + rest : args) ?? []
    if (result === undefined || Number(result) < 0) return
    const call = { name: before?.name ?? name ?? '', args: all, result: Number(result) }
    if (before && call.name === 'close') return
    const descriptors = this.#tableOf(thread)
    if (isBirth(call.name)) {
      this.#born(thread, descriptors, call)
      return
    }
    const sync = before?.sync ?? this.#syncOf(descriptors, call.name, call.args)
    if (sync) sync()
    else this.#apply(descriptors, call)
  }

  /** The open files of a thread; one that is not known yet is what some thread is making. */
  #tableOf(thread: string): Descriptors {
    const known = this.#tables.get(thread)
    if (known) return known
    const [birth] = this.#births
    if (birth) this.#births.delete(birth[0])
    const descriptors = birth?.[1] ?? this.#first
    this.#tables.set(thread, descriptors)
    return descriptors
  }

  /** The child may have done something before its birth was listed; then its files are known. */
  #born(thread: string, descriptors: Descriptors, { args, result }: Call): void {
    const isListed = this.#births.delete(thread)
    if (isListed || !this.#tables.has(String(result))) this.#tables.set(String(result), childTable(descriptors, args))
  }

  /** A sync keeps what was there when it began, and undoes nothing that one which began later has kept already. */
  #syncOf(descriptors: Descriptors, name: string, args: string): (() => void) | undefined {
    if (name !== 'fsync' && name !== 'fdatasync') return undefined
    const node = descriptors.get(Number.parseInt(args, 10))?.node
    if (node?.kind === 'folder') {
      const names = new Map(node.names)
      const sync = ++this.#syncs
      return () => {
        if (sync < node.kept) return
        node.synced = names
        node.kept = sync
      }
    }
    if (node?.kind !== 'file') return () => {}
    const upTo = node.kept + node.pending.length
    return () => {
      const changes = node.pending.splice(0, Math.max(0, upTo - node.kept))
      node.synced = applied(node.synced, changes)
      node.kept += changes.length
    }
  }

  #apply(descriptors: Descriptors, { name, args, result }: Call): void {
    if (name === 'open' || name === 'openat') this.#open(descriptors, args, result)
    else if (name === 'close') descriptors.delete(Number(args))
    else if (name.startsWith('dup') || (name === 'fcntl' && args.includes('F_DUPFD'))) copy(descriptors, args, result)
    else if (/^(p?write|ftruncate|lseek)/.test(name)) change(descriptors, name, args, result)
    else this.#name(name, stringsOf(args).map(String))
  }

  #open(descriptors: Descriptors, args: string, descriptor: number): void {
    descriptors.delete(descriptor)
    const path = String(stringsOf(args)[0] ?? '')
    const at = this.#parentOf(path)
    if (!at) return
    let node = at.name === '' ? at.folder : at.folder.names.get(at.name)
    if (!node && args.includes('O_CREAT')) {
      const mode = Number.parseInt(/, 0(\d+)$/.exec(args)?.[1] ?? '600', 8)
      node = { kind: 'file', mode, synced: Buffer.alloc(0), kept: 0, pending: [], size: 0 }
      at.folder.names.set(at.name, node)
    }
    if (!node) return
    if (node.kind === 'file' && args.includes('O_TRUNC')) resize(node, 0)
    descriptors.set(descriptor, { node, offset: 0, appends: args.includes('O_APPEND') })
  }

  /** Calls that change which names there are. */
  #name(name: string, [first = '', second = '']: string[]): void {
    const from = this.#parentOf(first)
    if (name.startsWith('mkdir')) from?.folder.names.set(from.name, emptyFolder())
    else if (name.startsWith('unlink') || name === 'rmdir') from?.folder.names.delete(from.name)
    else if (name.startsWith('symlink')) {
      const at = this.#parentOf(second)
      at?.folder.names.set(at.name, { kind: 'link', target: first })
    } else if (name.startsWith('rename') || name.startsWith('link')) {
      const to = this.#parentOf(second)
      const node = from?.folder.names.get(from.name)
      if (to && node) to.folder.names.set(to.name, node)
      if (name.startsWith('rename')) from?.folder.names.delete(from.name)
    }
  }

  /** The folder that a path is in, and its name there; undefined outside the traced folder. */
  #parentOf(path: string): { folder: TracedFolder; name: string } | undefined {
    if (path !== this.path && !path.startsWith(`${this.path}/`)) return undefined
    const steps = path
      .slice(this.path.length)
      .split('/')
      .filter((step) => step !== '' && step !== '.')
    const name = steps.pop() ?? ''
    let folder = this.#top
    for (const step of steps) {
      const next = folder.names.get(step)
      if (next?.kind !== 'folder') return undefined
      folder = next
    }
    return { folder, name }
  }
}

const isBirth = (name: string): boolean => /^(clone3?|v?fork)$/.test(name)

/** A thread shares the open files of its process; a process has copies of those of its parent. */
const childTable = (parent: Descriptors, args: string): Descriptors =>
  args.includes('CLONE_FILES') ? parent : new Map(parent)

function copy(descriptors: Descriptors, args: string, to: number): void {
  const from = descriptors.get(Number.parseInt(args, 10))
  if (from) descriptors.set(to, from)
  else descriptors.delete(to)
}

function change(descriptors: Descriptors, name: string, args: string, result: number): void {
  const open = descriptors.get(Number.parseInt(args, 10))
  if (open?.node.kind !== 'file') return
  const { node } = open
  const bytes = Buffer.concat(stringsOf(args)).subarray(0, result)
  if (name === 'ftruncate') resize(node, lastNumber(args))
  else if (name === 'lseek') open.offset = result
  else if (name === 'pwrite64') write(node, lastNumber(args), bytes)
  else {
    if (open.appends) open.offset = node.size
    write(node, open.offset, bytes)
    open.offset += bytes.length
  }
}

const emptyFolder = (): TracedFolder => ({ kind: 'folder', synced: new Map(), kept: 0, names: new Map() })

function resize(file: TracedFile, length: number): void {
  file.pending.push({ length })
  file.size = length
}

function write(file: TracedFile, offset: number, bytes: Buffer): void {
  file.pending.push({ offset, bytes })
  file.size = Math.max(file.size, offset + bytes.length)
}

function applied(before: Buffer, changes: readonly Change[]): Buffer {
  let content = before
  for (const change of changes) {
    const size = 'length' in change ? change.length : Math.max(content.length, change.offset + change.bytes.length)
    if (size !== content.length) {
      const resized = Buffer.alloc(size)
      content.copy(resized, 0, 0, Math.min(size, content.length))
      content = resized
    } else if (content === before) content = Buffer.from(before)
    if ('bytes' in change) change.bytes.copy(content, change.offset)
  }
  return content
}

function readFolder(path: string): TracedFolder {
  const names = new Map<string, Traced>()
  for (const name of readdirSync(path)) {
    const at = join(path, name)
    const status = lstatSync(at)
    if (status.isDirectory()) names.set(name, readFolder(at))
    else if (status.isSymbolicLink()) names.set(name, { kind: 'link', target: readlinkSync(at) })
    else if (status.isFile()) {
      const synced = readFileSync(at)
      names.set(name, { kind: 'file', mode: status.mode & 0o777, synced, kept: 0, pending: [], size: synced.length })
    }
  }
  return { kind: 'folder', synced: new Map(names), kept: 0, names }
}

function writeFolder(path: string, folder: TracedFolder, survival: number, chance: () => number): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const [name, node] of chance() < survival ? folder.names : folder.synced) {
    const at = join(path, name)
    if (node.kind === 'folder') writeFolder(at, node, survival, chance)
    else if (node.kind === 'link') symlinkSync(node.target, at)
    else if (!name.endsWith('-shm')) {
      const kept = node.pending.filter(() => chance() < survival)
      writeFileSync(join(dirname(at), name), applied(node.synced, kept), { mode: node.mode })
    }
  }
}

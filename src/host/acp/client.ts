import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import {
  type ClientApp,
  type ClientCapabilities,
  client,
  methods,
  type ReadTextFileRequest,
  RequestError,
  type SessionUpdate,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import type { Commands } from './commands.ts'
import type { Permissions } from './permissions.ts'
import type { RecordWriter } from './record-writer.ts'
import type { SessionFolder } from './session-folder.ts'

/** Services of gc for an agent on this machine, outside of any sandbox. */
export interface AgentServices {
  folder: SessionFolder
  commands: Commands
}

/** Capabilities that gc offers to an agent. */
export const capabilitiesOf = (services: AgentServices | undefined): ClientCapabilities => ({
  ...(services && { fs: { readTextFile: true, writeTextFile: true }, terminal: true }),
  elicitation: { form: {} },
})

export interface AgentClientOptions {
  writer: RecordWriter
  permissions: Permissions
  /** Absent for a confined agent, which reads, writes and runs what it needs automatically, confined unchanged. */
  services: AgentServices | undefined
  /** The agent sent an update. */
  onUpdate(update: SessionUpdate): void
  /** The agent sent a request. */
  onRequest(): void
}

/** Makes a handler of requests from what answers their parameters. */
type Served = <Params, Result>(
  serve: (params: Params) => Result | Promise<Result>,
) => (request: { params: Params }) => Promise<Result>

/** The client side of the protocol: handles an agent's updates and requests. */
export function createAgentClient(parts: AgentClientOptions): ClientApp {
  const { writer, permissions, services } = parts
  const served: Served =
    (serve) =>
    async ({ params }) => {
      parts.onRequest()
      try {
        return await serve(params)
      } catch (error) {
        throw toRequestError(error, writer)
      }
    }
  const { session, elicitation } = methods.client
  const app = client({ name: 'gc' })
    .onNotification(session.update, ({ params }) => parts.onUpdate(params.update))
    .onRequest(session.requestPermission, ({ params, signal }) => {
      parts.onRequest()
      return permissions.ask(params, signal)
    })
    .onRequest(elicitation.create, ({ params, signal }) => served(() => permissions.elicit(params, signal))({ params }))
  return services ? serve(app, services, served) : app
}

/** Lets an agent have files of its folder read and written, and commands run there. */
function serve(app: ClientApp, { folder, commands }: AgentServices, served: Served): ClientApp {
  const { fs, terminal } = methods.client
  return app
    .onRequest(
      fs.readTextFile,
      served((params) => readTextFile(folder, params)),
    )
    .onRequest(
      fs.writeTextFile,
      served((params) => writeTextFile(folder, params)),
    )
    .onRequest(
      terminal.create,
      served((params) => commands.create(params)),
    )
    .onRequest(
      terminal.output,
      served(({ terminalId }) => commands.output(terminalId)),
    )
    .onRequest(
      terminal.waitForExit,
      served(({ terminalId }) => commands.exit(terminalId)),
    )
    .onRequest(
      terminal.kill,
      served(({ terminalId }) => commands.kill(terminalId)),
    )
    .onRequest(
      terminal.release,
      served(({ terminalId }) => commands.release(terminalId)),
    )
}

/** Reports an AppError to the agent as invalid parameters, and records it for people. */
function toRequestError(error: unknown, writer: RecordWriter): unknown {
  if (!(error instanceof AppError)) return error
  writer.write({ type: 'error', message: error.message })
  return RequestError.invalidParams(undefined, error.message)
}

/** Maximum bytes read or written in one piece. */
const MAX_FILE_BYTES = 6 << 20

/** Reads a text file of the session's folder, or some lines of it. */
function readTextFile(folder: SessionFolder, { path, line, limit }: ReadTextFileRequest): { content: string } {
  const file = open(folder.resolveInside(path), constants.O_RDONLY | constants.O_NONBLOCK, path)
  try {
    const { size } = statRegularFile(file, path)
    if (size > MAX_FILE_BYTES)
      throw new AppError('invalid-request', `${path} has more than ${MAX_FILE_BYTES} bytes; read less`)
    const content = readFileSync(file, 'utf8')
    if (!line && limit === undefined) return { content }
    const lines = content.split(/(?<=\n)/)
    const from = Math.max(0, (line ?? 1) - 1)
    return { content: lines.slice(from, limit == null ? undefined : from + limit).join('') }
  } finally {
    closeSync(file)
  }
}

/** Writes a text file of the session's folder; folders on the way are made. */
function writeTextFile(folder: SessionFolder, { path, content }: WriteTextFileRequest): void {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES) {
    throw new AppError('invalid-request', `${path} would have more than ${MAX_FILE_BYTES} bytes; write less`)
  }
  const real = folder.resolveInside(path)
  mkdirSync(dirname(real), { recursive: true })
  const file = open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, path)
  try {
    statRegularFile(file, path)
    writeFileSync(file, content)
    ftruncateSync(file, Buffer.byteLength(content))
  } finally {
    closeSync(file)
  }
}

/** The last part of a real path is not a link; one that became a link since is not followed. */
function open(real: string, flags: number, named: string): number {
  try {
    return openSync(real, flags | constants.O_NOFOLLOW, 0o644)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT') throw RequestError.resourceNotFound(named)
    if (code === 'ELOOP') throw new AppError('forbidden', `${named} is a link that leads elsewhere`)
    throw new AppError('invalid-request', `${named} cannot be opened: ${code}`)
  }
}

function statRegularFile(file: number, named: string): { size: number } {
  const status = fstatSync(file)
  if (!status.isFile()) throw new AppError('invalid-request', `${named} is not a file`)
  return status
}

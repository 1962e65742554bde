import { type ClientApp, client, methods, RequestError, type SessionUpdate } from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import type { Commands } from './commands.ts'
import { readTextFile, writeTextFile } from './files.ts'
import type { Permissions } from './permissions.ts'
import type { RecordWriter } from './record-writer.ts'
import type { SessionFolder } from './session-folder.ts'

/** What an agent can have from us. */
export const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
}

export interface AgentClientOptions {
  writer: RecordWriter
  permissions: Permissions
  folder: SessionFolder
  commands: Commands
  /** The agent sent an update. */
  onUpdate(update: SessionUpdate): void
  /** The agent sent a request. */
  onRequest(): void
}

/** The client side of the protocol: handles an agent's updates and requests. */
export function createAgentClient(parts: AgentClientOptions): ClientApp {
  const { writer, permissions, folder, commands } = parts
  const served =
    <Params, Result>(serve: (params: Params) => Result | Promise<Result>) =>
    async ({ params }: { params: Params }): Promise<Result> => {
      parts.onRequest()
      try {
        return await serve(params)
      } catch (error) {
        throw toRequestError(error, writer)
      }
    }
  const { session, fs, terminal, elicitation } = methods.client
  return client({ name: 'gc' })
    .onNotification(session.update, ({ params }) => parts.onUpdate(params.update))
    .onRequest(session.requestPermission, ({ params, signal }) => {
      parts.onRequest()
      return permissions.ask(params, signal)
    })
    .onRequest(elicitation.create, ({ params, signal }) => served(() => permissions.elicit(params, signal))({ params }))
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

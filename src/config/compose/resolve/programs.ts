import type { McpConnection } from '../../../programs/parts/index.ts'
import type { AgentConfig } from '../../agents/index.ts'
import type { CityConfig } from '../../city/index.ts'
import { resolveProvider } from '../../providers/index.ts'

/** A program that a city starts when it is not suspended. */
export interface DeclaredProgram {
  /** The agent it is, the service, or the server of tools that agents start. */
  readonly name: string
  readonly command: string
  /** The folder it works in. */
  readonly folder: string
}

/** The programs that agents run, those that they are given as servers of tools, and those of services. */
export function declaredPrograms(config: CityConfig): DeclaredProgram[] {
  const agents = config.agents.map((agent) => ({
    name: agent.qualified,
    command: commandOf(agent, config),
    folder: agent.workDir ?? config.rigs.find(({ name }) => name === agent.dir)?.path ?? config.path,
  }))
  const servers = config.mcpServers.map(({ name, connection }) => ({
    name: `mcp_servers.${name}`,
    command: serverCommand(connection),
    folder: config.path,
  }))
  const services = config.services.flatMap(({ name, kind, command, folder }) =>
    kind === 'proxy_process' ? [{ name: `service.${name}`, command: command.join(' '), folder }] : [],
  )
  return [...agents, ...servers, ...services]
}

function commandOf({ startCommand, provider, args }: AgentConfig, { providers }: CityConfig): string {
  if (startCommand !== undefined) return startCommand
  if (provider === undefined) return 'none: it has neither a command nor a provider'
  const resolved = resolveProvider(provider, providers)
  return [resolved.command, ...resolved.args, ...args].join(' ')
}

const serverCommand = (connection: McpConnection): string =>
  'command' in connection ? [connection.command, ...connection.args].join(' ') : connection.url

import { existsSync } from 'node:fs'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Provider } from '../../config/providers/index.ts'
import { errorMessage } from '../../core/errors.ts'
import { isEmpty } from '../../core/folders.ts'
import type { McpConnection } from '../../programs/parts/index.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import {
  addMcpServers,
  addOwnHooks,
  anyHas,
  type ProjectFiles,
  readMcpFolders,
  readOverlays,
  readSkills,
  WantedBuilder,
} from '../project-files/index.ts'
import type { LaunchPlanner } from './launch-planner.ts'

/** Files that packs bring to a session. */
export interface Provision {
  readonly wanted: WantedBuilder
  readonly servers: readonly McpConnection[]
}

/** Brings overlays, hooks, skills and MCP servers of packs into the folders of sessions. Nothing of it prevents a start. */
export class Provisioning {
  constructor(
    private readonly launchPlanner: LaunchPlanner,
    private readonly files: Pick<ProjectFiles, 'place'>,
  ) {}

  /** Reads what the packs of a session's agent bring. */
  async read(row: SessionRow): Promise<Provision> {
    const wanted = new WantedBuilder()
    const agent = row.kind === 'agent' ? this.launchPlanner.agent(row.template) : undefined
    if (!agent) return { wanted, servers: [] }
    const servers = await this.#servers(row, agent, wanted)
    try {
      await this.#readFiles(row, agent, servers, wanted)
    } catch (error) {
      wanted.problems.push(`the files of packs were not read: ${errorMessage(error)}`)
    }
    return { wanted, servers }
  }

  /** True if the folder is still to be made by `pre_start`, so that nothing may lie in it before. */
  isLate(row: SessionRow): boolean {
    const agent = this.launchPlanner.agent(row.template)
    return (agent?.preStart.length ?? 0) > 0 && isEmpty(row.workDir)
  }

  /** Puts it into the session's folder; resolves with what was not written, and why. */
  async place(row: SessionRow, { wanted }: Provision): Promise<string[]> {
    try {
      return await this.files.place(row.id, row.workDir, wanted)
    } catch (error) {
      return [`the files of packs were not written into ${row.workDir}: ${errorMessage(error)}`]
    }
  }

  async #readFiles(
    row: SessionRow,
    { brings, session }: AgentConfig,
    servers: readonly McpConnection[],
    wanted: WantedBuilder,
  ): Promise<void> {
    const provider = this.launchPlanner.providerOfSession(row)
    const family = familyOf(row, provider)
    for (const part of this.launchPlanner.protocolFiles(row)) wanted.part(part, 'gc')
    const overlays = brings.overlays.filter(existsSync)
    for (const program of brings.hooks) if (!(await anyHas(overlays, program))) addOwnHooks(program, wanted)
    await readOverlays(overlays, { name: row.provider, family, hooks: brings.hooks }, wanted)
    await readSkills(
      brings.skills.filter(({ folder }) => existsSync(folder)),
      family,
      wanted,
    )
    if (session !== 'acp' && this.launchPlanner.transport(row) !== 'acp') addMcpServers(servers, family, wanted)
  }

  /** The servers of packs, and over them those that the city declares itself. */
  async #servers(row: SessionRow, agent: AgentConfig, wanted: WantedBuilder): Promise<McpConnection[]> {
    const folders = agent.brings.mcp.filter(existsSync)
    const fields = folders.length > 0 ? this.launchPlanner.promptData(row) : {}
    const { servers, problems } = await readMcpFolders(folders, fields)
    wanted.problems.push(...problems)
    const byName = new Map(
      [...servers, ...this.launchPlanner.declaredServers(row.template)].map((each) => [each.name, each]),
    )
    return [...byName.values()]
  }
}

const familyOf = (row: SessionRow, provider: Provider | undefined): string => provider?.ancestor ?? row.provider

import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { readBranches } from '../../config/git/index.ts'
import type { PromptSubject, SubjectProvider } from '../../config/prompts/index.ts'
import type { Provider } from '../../config/providers/index.ts'
import { agentNameOf, type SessionRow } from '../../work/sessions/index.ts'
import type { CityEnvironment } from './environment.ts'

/** Facts about a session for prompts and commands. */
export type PromptedSession = Pick<
  SessionRow,
  'id' | 'kind' | 'template' | 'rig' | 'provider' | 'workDir' | 'alias' | 'named' | 'agentName' | 'sessionName'
>

/** Facts about a session for templates of prompts and commands. */
export function promptSubject(
  row: PromptedSession,
  agent: AgentConfig | undefined,
  city: Config['current'],
  environment: Pick<CityEnvironment, 'city' | 'path'>,
): PromptSubject {
  const rig = city.rigs.find(({ name }) => name === row.rig)
  return {
    city: environment.city,
    cityPath: environment.path,
    agent: agentNameOf(row),
    template: row.template,
    session: row.sessionName,
    sessionId: row.id,
    workDir: row.workDir,
    issuePrefix: rig?.prefix ?? city.prefix,
    ...(rig && { rig: rig.name, rigPath: rig.path }),
    ...(rig?.defaultBranch && { defaultBranch: rig.defaultBranch }),
    ...(agent && ofAgent(agent)),
  }
}

const ofAgent = (agent: AgentConfig): Partial<PromptSubject> => {
  const { localName: name, binding, configDir, env, workQuery, slingQuery } = agent
  return {
    ...{ name, configDir, env, isSingle: agent.maxActive === 1 },
    ...(binding !== undefined && { binding }),
    ...(workQuery && { workQuery }),
    ...(slingQuery && { slingQuery }),
  }
}

/** The same with what only prompts say: the provider, and the branches that are looked up on the disk. */
export function withDetails(subject: PromptSubject, provider: Provider | undefined): PromptSubject {
  const { branch, defaultBranch } = readBranches(subject.workDir)
  return {
    ...(branch && { branch }),
    ...(defaultBranch && { defaultBranch }),
    ...subject,
    ...(provider && { provider: subjectProvider(provider) }),
  }
}

const subjectProvider = ({ name, displayName, instructionsFile }: Provider): SubjectProvider => ({
  name,
  displayName: displayName ?? name,
  instructionsFile: instructionsFile ?? 'AGENTS.md',
})

import type { AgentConfig } from '../../config/agents/index.ts'
import { sanitize } from '../../work/sessions/index.ts'
import type { LaunchPlanner } from './launch-planner.ts'
import type { PromptedSession } from './prompt-subjects.ts'

/** Session data for a prompt of an agent or instance without a session, with the folder of its next one. */
export function previewSession(
  agent: AgentConfig,
  launchPlanner: Pick<LaunchPlanner, 'promptSubject' | 'workDir'>,
  name = agent.qualified,
): PromptedSession {
  const session = {
    ...({ id: '', kind: 'agent', template: agent.qualified, rig: agent.dir ?? '', workDir: '' } as const),
    provider: agent.provider ?? '',
    ...{ alias: null, named: null, agentName: name, sessionName: sanitize(name) },
  }
  return { ...session, workDir: launchPlanner.workDir(agent, launchPlanner.promptSubject(session)) }
}

import type { PromptRenderer, RenderedPrompt } from '../../config/prompts/index.ts'
import type { SessionAccounts } from '../network/index.ts'
import type { LaunchPlanner } from './launch-planner.ts'
import type { PromptedSession } from './prompt-subjects.ts'

const NONE: RenderedPrompt = { text: '', warnings: [] }

/** The instructions of sessions. */
export class Prompts {
  constructor(
    private readonly launchPlanner: Pick<LaunchPlanner, 'promptRequest'>,
    private readonly renderer: PromptRenderer,
    private readonly networkAccounts: Pick<SessionAccounts, 'instructions'>,
  ) {}

  /** The prompt of a session's agent, rendered for the session, and what it has to know of its account on the network. */
  async of(row: PromptedSession): Promise<RenderedPrompt> {
    const request = this.launchPlanner.promptRequest(row)
    const rendered = request ? await this.renderer.render(request) : NONE
    const more = this.networkAccounts.instructions(row)
    return more ? { ...rendered, text: [rendered.text.trimEnd(), more].filter(Boolean).join('\n\n') } : rendered
  }

  close(): void {
    this.renderer.stop()
  }
}

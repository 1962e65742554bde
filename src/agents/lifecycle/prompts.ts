import type { PromptRenderer } from '../../config/prompts/prompt-renderer.ts'
import type { RenderedPrompt } from '../../config/prompts/render-prompt.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { Launcher } from './launcher.ts'

const NONE: RenderedPrompt = { text: '', warnings: [] }

/** The instructions of sessions. */
export class Prompts {
  constructor(
    private readonly launcher: Pick<Launcher, 'promptRequest'>,
    private readonly renderer: PromptRenderer,
  ) {}

  /** The prompt of a session's agent, rendered for the session; empty when it has none. */
  async of(row: SessionRow): Promise<RenderedPrompt> {
    const request = this.launcher.promptRequest(row)
    return request ? this.renderer.render(request) : NONE
  }

  close(): void {
    this.renderer.stop()
  }
}

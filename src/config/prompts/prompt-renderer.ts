import type { Deadlines } from '../../core/deadlines.ts'
import { JobWorker } from '../../core/job-worker.ts'
import { SHORT_LIMITS, StepsExceededError } from '../../core/template/index.ts'
import { type PromptRequest, type RenderedPrompt, renderPrompt, unrendered } from './render-prompt.ts'

/** Maximum time one prompt may take, in milliseconds. */
const TIME_LIMIT = 5_000
/** Maximum characters that are parsed on the event loop. */
const QUICK_LENGTH = 400_000

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/config/prompts/prompt.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './prompt.worker.ts', import.meta.url)
}

/** Renders prompts: immediately, or in a thread of its own when that would hold up everything else. */
export class PromptRenderer {
  readonly #worker: JobWorker<PromptRequest, RenderedPrompt>

  constructor(deadlines: Deadlines) {
    this.#worker = new JobWorker({ deadlines, limit: TIME_LIMIT, start: () => new Worker(workerUrl()) })
  }

  async render(request: PromptRequest): Promise<RenderedPrompt> {
    const quick = isQuick(request) ? renderQuickly(request) : undefined
    if (quick) return quick
    return (await this.#worker.run(request)) ?? unrendered(request, 'it takes too long')
  }

  stop(): void {
    this.#worker.stop()
  }
}

const isQuick = ({ text, fragments }: PromptRequest): boolean =>
  fragments.reduce((length, fragment) => length + fragment.text.length, text.length) <= QUICK_LENGTH

function renderQuickly(request: PromptRequest): RenderedPrompt | undefined {
  try {
    return renderPrompt(request, SHORT_LIMITS)
  } catch (error) {
    if (error instanceof StepsExceededError) return undefined
    throw error
  }
}

import { FULL_LIMITS, StepsExceededError } from '../../core/template/index.ts'
import { type PromptRequest, renderPrompt, unrendered } from './render-prompt.ts'

declare const self: Worker

/** The worker that renders prompts which take too long for the event loop. */
self.onmessage = ({ data }: MessageEvent<PromptRequest>) => {
  try {
    self.postMessage(renderPrompt(data, FULL_LIMITS))
  } catch (error) {
    if (!(error instanceof StepsExceededError)) throw error
    self.postMessage(unrendered(data, error.message))
  }
}

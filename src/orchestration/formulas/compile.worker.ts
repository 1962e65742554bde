import { heapSize } from 'bun:jsc'
import { type FormulaJob, FormulaJobs, movedWith } from './compile-job.ts'

declare const self: Worker

/** Maximum bytes of the heap after a job; a thread with more exits. */
const MAX_HEAP = 16 * 1024 * 1024

const jobs = new FormulaJobs()

/** The worker that compiles, lists and checks formulas when that takes too long for the event loop. */
self.onmessage = ({ data }: MessageEvent<FormulaJob>) => {
  const result = jobs.run(data)
  self.postMessage({ ...result, isSpent: heapSize() > MAX_HEAP }, movedWith(result))
}

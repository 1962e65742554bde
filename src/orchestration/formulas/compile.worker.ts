import { type FormulaJob, FormulaJobs } from './compile-job.ts'

declare const self: Worker

const jobs = new FormulaJobs()

/** The worker that compiles, lists and checks formulas when that takes too long for the event loop. */
self.onmessage = ({ data }: MessageEvent<FormulaJob>) => void self.postMessage(jobs.run(data))

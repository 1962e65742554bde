import { type CompileJob, CompileRunner } from './compile-job.ts'

declare const self: Worker

const runner = new CompileRunner()

/** The worker that compiles formulas which take too long for the event loop. */
self.onmessage = ({ data }: MessageEvent<CompileJob>) => void self.postMessage(runner.run(data))

import { type ImportJob, type ImportReport, toSentError } from './import-job.ts'
import { runImport } from './run-import.ts'

declare const self: Worker

const report = (what: ImportReport): void => self.postMessage(what)

self.onmessage = ({ data: job }: MessageEvent<ImportJob>) => {
  try {
    report({ is: 'done', imported: runImport(job, () => report({ is: 'under way' })) })
  } catch (error) {
    report({ is: 'failed', error: toSentError(error, job.path) })
  }
}

import type { EventLog } from '../../core/events/index.ts'
import type { Store } from '../../core/store/index.ts'
import { ConfigChanged, MAX_NAMED_FILES } from '../events.ts'
import type { ConfigChange } from './config.ts'

export interface ConfigRecorderOptions {
  readonly store: Store
  readonly log: EventLog
  readonly reportError: (error: unknown) => void
}

/** Records each configuration that takes effect. The files are written already, so a failure is only reported. */
export const configRecorder =
  ({ store, log, reportError }: ConfigRecorderOptions) =>
  async ({ files, by }: ConfigChange): Promise<void> => {
    const payload = { files: files.slice(0, MAX_NAMED_FILES), total: files.length }
    await store.write((tx) => void log.append(tx, ConfigChanged, {}, payload), by).catch(reportError)
  }

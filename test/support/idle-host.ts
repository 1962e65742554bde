import { AppError } from '../../src/core/errors.ts'
import type { SessionHost } from '../../src/host/client/session-host.ts'

const rejected = async (): Promise<never> => {
  throw new AppError('service-unavailable', 'this host runs no program')
}

const unsubscribe = () => {}

/** A session host without a process, for the city of a test that starts no program: it is empty and starts nothing. */
export function idleHost(): SessionHost {
  return {
    start: rejected,
    list: async () => [],
    end: async () => undefined,
    listDaemons: async () => new Map(),
    write: rejected,
    resize: rejected,
    signal: rejected,
    screen: rejected,
    snapshot: rejected,
    async *follow() {},
    prompt: rejected,
    cancel: async () => false,
    mode: rejected,
    answer: rejected,
    onRecords: () => unsubscribe,
    onExit: () => unsubscribe,
    onOutput: () => unsubscribe,
    onLost: () => unsubscribe,
    status: async () => [],
    shutdown: async () => {},
    close: () => {},
  }
}

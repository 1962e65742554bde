import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import type { BulkImported } from './bulk-importer.ts'
import { type ImportJob, type ImportReport, toAppError } from './import-job.ts'

/** Time the thread stays without an import, in milliseconds. */
const IDLE_TIME = 30_000

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/work/transfer/bulk/import.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './import.worker.ts', import.meta.url)
}

/** Bytes in memory of their own, which can be handed over. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength
    ? new Uint8Array(bytes.buffer)
    : bytes.slice()

interface RunningImport {
  onProgress(): void
  resolve(imported: BulkImported): void
  reject(error: unknown): void
}

/** A thread that imports files, one after the other. It starts with the first and ends when there was none for a while. */
export class ImportWorker {
  #worker: Worker | undefined
  #running: RunningImport | undefined
  #idle: Deadline | undefined

  constructor(private readonly deadlines: Deadlines) {}

  /** Imports a file, whose bytes are the thread's from now on. Aborted, it ends within moments with nothing written. */
  async run(
    job: Omit<ImportJob, 'isAbandoned'>,
    { signal, onProgress }: { signal: AbortSignal; onProgress(): void },
  ): Promise<BulkImported> {
    const isAbandoned = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const abandon = () => void Atomics.store(new Int32Array(isAbandoned), 0, 1)
    if (signal.aborted) abandon()
    signal.addEventListener('abort', abandon, { once: true })
    try {
      return await this.#send({ ...job, isAbandoned }, onProgress)
    } finally {
      signal.removeEventListener('abort', abandon)
      this.#idle = this.deadlines.after(IDLE_TIME, () => this.stop())
    }
  }

  /** Ends the thread. No import is under way. */
  stop(): void {
    this.#idle?.cancel()
    this.#worker?.terminate()
    this.#worker = undefined
  }

  #send(job: ImportJob, onProgress: () => void): Promise<BulkImported> {
    this.#idle?.cancel()
    const worker = this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<BulkImported>()
    this.#running = { onProgress, resolve, reject }
    worker.ref()
    const bytes = ownBytes(job.bytes)
    worker.postMessage({ ...job, bytes }, [bytes.buffer])
    return promise.finally(() => worker.unref())
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(workerUrl())
    worker.onmessage = ({ data }: MessageEvent<ImportReport>) => this.#hear(data)
    worker.onerror = ({ message }) => {
      if (worker === this.#worker) this.#worker = undefined
      this.#running?.reject(new AppError('internal', `the import broke off: ${message}`))
    }
    this.#worker = worker
    return worker
  }

  #hear(report: ImportReport): void {
    if (report.is === 'under way') this.#running?.onProgress()
    else if (report.is === 'done') this.#running?.resolve(report.imported)
    else this.#running?.reject(toAppError(report.error))
  }
}

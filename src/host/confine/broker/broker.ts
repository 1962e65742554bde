import { closeSync, writeSync } from 'node:fs'
import { syscall } from '../../../core/libc.ts'
import { callNumber } from '../system-calls.ts'
import type { Admission, Report } from './loop.ts'

/** Location of the worker's program in a bundle. */
const PROGRAM = 'src/host/confine/broker/broker.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './broker.worker.ts', import.meta.url)
}
const O_CLOEXEC = 0o2000000

/** Answers what confined programs of this process ask the kernel for, in a thread of its own: it starts with the first. */
export class Broker {
  #control: number | undefined

  constructor(private readonly report: (denial: Report) => void) {}

  /** Takes over the calls of a program that was just started; `socket` is this side of its handover. */
  admit(admission: Admission): void {
    this.#control ??= this.#start()
    writeSync(this.#control, `${JSON.stringify(admission)}\n`)
  }

  /** Lets go of all programs: what they would ask for fails from now on. */
  close(): void {
    if (this.#control !== undefined) closeSync(this.#control)
    this.#control = undefined
  }

  #start(): number {
    const ends = new Int32Array(2)
    const { value, errno } = syscall(callNumber('pipe2'), new Uint8Array(ends.buffer), O_CLOEXEC)
    const [reading, writing] = ends
    if (value !== 0 || reading === undefined || writing === undefined) {
      throw new Error(`the system gave no pipe (errno ${errno})`)
    }
    const worker = new Worker(workerUrl())
    worker.onmessage = ({ data }: MessageEvent<Report>) => this.report(data)
    worker.postMessage(reading)
    worker.unref()
    return writing
  }
}

import { dlopen } from 'bun:ffi'
import { closeSync, constants, openSync } from 'node:fs'

/** What is read of one terminal before the others get their turn. */
const MAX_BYTES_PER_TICK = 128 << 10
const OFF = 0
const ON = 1

/**
 * Bun reads a terminal for as long as there is something to read, so a program that floods would hold the loop for
 * good. The throttle stops the terminal's output, as its own flow control would, until the loop has come round.
 * It works on Linux; elsewhere it does nothing.
 */
export class OutputThrottle {
  #taken = 0
  #turning = false
  #on = false
  #terminal: number | undefined
  #closed = false

  /** `device` is the number of the terminal that `/proc/<pid>/stat` shows. */
  constructor(private readonly device: string) {}

  /** So many bytes were read in this turn of the loop. */
  onRead(bytes: number): void {
    this.#taken += bytes
    if (!this.#turning) {
      this.#turning = true
      setImmediate(() => this.#turn())
    }
    if (this.#taken < MAX_BYTES_PER_TICK || this.#on || this.#closed) return
    this.#terminal ??= openTerminal(this.device)
    if (this.#terminal !== undefined) this.#on = flow(this.#terminal, OFF)
  }

  /** Lets go of the terminal: only then can its end be seen. */
  close(): void {
    this.#closed = true
    this.#release()
    if (this.#terminal !== undefined) closeSync(this.#terminal)
    this.#terminal = undefined
  }

  #turn(): void {
    this.#turning = false
    this.#taken = 0
    this.#release()
  }

  #release(): void {
    if (this.#on && this.#terminal !== undefined) flow(this.#terminal, ON)
    this.#on = false
  }
}

function openTerminal(device: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const number = Number(device)
  const minor = (number & 0xff) | ((number >> 12) & 0xfff00)
  try {
    return openSync(`/dev/pts/${minor}`, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

let tcflow: ((terminal: number, action: number) => number) | undefined

function flow(terminal: number, action: number): boolean {
  tcflow ??= loadFlow()
  return tcflow(terminal, action) === 0
}

/** The C library by the names it has on Linux; without it there is no throttle. */
function loadFlow(): (terminal: number, action: number) => number {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
  for (const name of ['libc.so.6', `libc.musl-${machine}.so.1`]) {
    try {
      return dlopen(name, { tcflow: { args: ['int', 'int'], returns: 'int' } }).symbols.tcflow
    } catch {
      // Tries the next name.
    }
  }
  return () => -1
}

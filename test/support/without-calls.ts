import { addressOf, syscall } from '../../src/core/libc.ts'
import { assemble, type Condition, Verdict } from '../../src/host/confine/bpf.ts'
import { architecture, callNumber, type SystemCall } from '../../src/host/confine/system-calls.ts'

/** A system call that a kernel fails, or fails where an argument is as told. */
export interface Failing {
  call: SystemCall
  errno: number
  when?: Condition[]
}

/** The words that start a program for which the kernel fails calls, as one does that lacks or forbids them. */
export const withoutCalls = (failing: readonly Failing[]): string[] => [
  process.execPath,
  import.meta.path,
  JSON.stringify(failing),
]

function become(failing: readonly Failing[], argv: readonly string[]): void {
  const rules = failing.map(({ call, errno, when }) => ({
    ...{ call: callNumber(call), verdict: Verdict.fail(errno), ...(when && { when }) },
  }))
  const filter = assemble(architecture() === 'x64' ? 0xc000_003e : 0xc000_00b7, undefined, rules)
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length / 8, 0)
  program.writeBigUInt64LE(BigInt(addressOf(filter)), 8)
  syscall(callNumber('prctl'), 38, 1, 0, 0, 0)
  if (syscall(callNumber('seccomp'), 1, 0, program).value !== 0) throw new Error('the filter was refused')
  const words = list(argv)
  const variables = list(Object.entries(process.env).map(([name, value]) => `${name}=${value}`))
  syscall(callNumber('execve'), Bun.which(argv[0] ?? '') ?? '', words.pointers, variables.pointers)
  throw new Error(`${argv[0]} could not be started`)
}

function list(texts: readonly string[]) {
  const kept = texts.map((text) => Buffer.from(`${text}\0`))
  const pointers = new BigUint64Array([...kept.map((text) => BigInt(addressOf(text))), 0n])
  return { pointers: new Uint8Array(pointers.buffer), kept }
}

if (import.meta.main) become(JSON.parse(process.argv[2] ?? ''), process.argv.slice(3))

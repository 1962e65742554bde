/** An instruction of the kernel's packet filter, `struct sock_filter`. */
interface Instruction {
  code: number
  jumpTrue?: number
  jumpFalse?: number
  k: number
}

const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const AND = 0x54
const RETURN = 0x06

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0
const ARCHITECTURE = 4
const ARGUMENTS = 16

/** Verdict of a filter on a call. */
export const Verdict = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  notify: 0x7fc0_0000,
  fail: (errno: number) => 0x0005_0000 | errno,
} as const

/** Something that must be true of an argument's lower 32 bits. */
export type Condition =
  | { arg: number; anyOf: number }
  | { arg: number; equals: readonly number[]; mask?: number }
  | { arg: number; not: readonly number[]; mask?: number }

/** A verdict about a call when all of its conditions are true. */
export interface Rule {
  call: number
  when?: readonly Condition[]
  verdict: number
}

/**
 * A filter that answers with the verdict of the first rule that fits, and else allows the call. Calls of another
 * architecture kill the program, calls with a number from `foreign` on do not exist.
 */
export function assemble(architecture: number, foreign: number | undefined, rules: readonly Rule[]): Uint8Array {
  const program: Instruction[] = [
    { code: LOAD, k: ARCHITECTURE },
    { code: IF_EQUAL, jumpTrue: 1, k: architecture },
    { code: RETURN, k: Verdict.kill },
  ]
  if (foreign !== undefined) {
    program.push({ code: LOAD, k: NUMBER }, { code: IF_AT_LEAST, jumpFalse: 1, k: foreign })
    program.push({ code: RETURN, k: Verdict.fail(ENOSYS) })
  }
  for (const [call, ofCall] of Map.groupBy(rules, ({ call }) => call)) {
    const body = ofCall.flatMap(ruleCode)
    program.push({ code: LOAD, k: NUMBER }, { code: IF_EQUAL, jumpFalse: body.length + 1, k: call }, ...body)
    program.push({ code: RETURN, k: Verdict.allow })
  }
  program.push({ code: RETURN, k: Verdict.allow })
  return encode(program)
}

const ENOSYS = 38

/** Falls through to what follows when a condition is not true. */
function ruleCode({ when = [], verdict }: Rule): Instruction[] {
  const code: Instruction[] = [{ code: RETURN, k: verdict }]
  for (const condition of [...when].reverse()) code.unshift(...conditionCode(condition, code.length))
  return code
}

/** Continues with the next instruction when the condition is true, else jumps over `rest` instructions. */
function conditionCode(condition: Condition, rest: number): Instruction[] {
  const load = { code: LOAD, k: ARGUMENTS + 8 * condition.arg }
  if ('anyOf' in condition) return [load, { code: IF_ANY_BIT, jumpFalse: rest, k: condition.anyOf }]
  const masked = condition.mask === undefined ? [load] : [load, { code: AND, k: condition.mask }]
  const values = 'equals' in condition ? condition.equals : condition.not
  const found = 'equals' in condition ? 0 : rest
  const missing = 'equals' in condition ? rest : 0
  const tests = values.map((k, n) => ({
    code: IF_EQUAL,
    jumpTrue: values.length - 1 - n + found,
    jumpFalse: n === values.length - 1 ? missing : 0,
    k,
  }))
  return [...masked, ...tests]
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [n, { code, jumpTrue = 0, jumpFalse = 0, k }] of program.entries()) {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(jumpTrue, n * 8 + 2)
    bytes.writeUInt8(jumpFalse, n * 8 + 3)
    bytes.writeUInt32LE(k >>> 0, n * 8 + 4)
  }
  return bytes
}

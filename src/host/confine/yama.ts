import { readFileSync } from 'node:fs'

const SCOPE = '/proc/sys/kernel/yama/ptrace_scope'
/** From this scope on only programs with privileges look into others; from the next no one does. */
const [ONLY_PRIVILEGED, NOBODY] = [2, 3]

/**
 * Reason a session host that is not privileged cannot answer the calls of the programs that it confines; undefined when
 * it can.
 */
export function yamaObstacle(scope = readScope(), isPrivileged = process.geteuid?.() === 0): string | undefined {
  if (scope < (isPrivileged ? NOBODY : ONLY_PRIVILEGED)) return undefined
  return `kernel.yama.ptrace_scope is ${scope}, so gc cannot answer requests of confined programs; set it to 1 or 0`
}

/** 0 where there is no Yama. */
function readScope(): number {
  try {
    return Number(readFileSync(SCOPE, 'utf8'))
  } catch {
    return 0
  }
}

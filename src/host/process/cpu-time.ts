import { readFileSync } from 'node:fs'
import type { ProcessTable } from './process-table.ts'
import { familyOf } from './tree.ts'

/** Milliseconds of one unit of processor time in `/proc/<pid>/stat`, which is the same on every Linux. */
const TICK = 10
/** User and system time of a process, and of its children that it has waited for. */
const TIME_FIELDS = [11, 12, 13, 14]

/** The processor time in milliseconds that the processes of a session have used since they started. */
export async function cpuTimeOf(table: ProcessTable, leader: number): Promise<number> {
  const processes = await table.list()
  const started = processes.find(({ pid }) => pid === leader)?.started
  if (started === undefined) return 0
  const pids = familyOf(processes, { pid: leader, started, marks: [] }).members.map(({ pid }) => pid)
  return process.platform === 'linux' ? pids.reduce((sum, pid) => sum + readCpuTime(pid), 0) : listCpuTime(pids)
}

/** 0 for a process that is gone. */
function readCpuTime(pid: number): number {
  try {
    return parseCpuTime(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return 0
  }
}

/** The processor time in a line of `/proc/<pid>/stat`, whose name in parentheses may hold anything. */
export function parseCpuTime(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return TIME_FIELDS.reduce((sum, field) => sum + (Number(fields[field]) || 0) * TICK, 0)
}

async function listCpuTime(pids: readonly number[]): Promise<number> {
  const ps = Bun.spawn(['ps', '-o', 'time=', '-p', pids.join(',')], { stdin: 'ignore', stderr: 'ignore' })
  return parsePsTimes(await ps.stdout.text())
}

/** The sum of the lines of `ps -o time=`: `[[days-]hours:]minutes:seconds`. */
export function parsePsTimes(text: string): number {
  let sum = 0
  for (const [, days = 0, hours = 0, minutes, seconds] of text.matchAll(
    /(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)/g,
  )) {
    sum += ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000
  }
  return sum
}

import type { Process } from './process-info.ts'

/** A line of `/proc/<pid>/stat`. The name is in parentheses and may hold anything, parentheses as well. */
export function parseStat(text: string, boot: string): Process | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const fields = text.slice(close + 2).split(' ')
  const number = (at: number): number => Number(fields[at])
  const ticks = fields[19]
  if (ticks === undefined) return undefined
  return {
    pid: Number.parseInt(text, 10),
    parent: number(1),
    group: number(2),
    session: number(3),
    terminal: number(4) === 0 ? '' : String(number(4)),
    foreground: number(5),
    started: `${boot}.${ticks}`,
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    command: text.slice(open + 1, close),
  }
}

const PS_LINE =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+\d\d:\d\d:\d\d\s+\d{4})\s+(.*)$/

/** The lines of `ps -o pid=,ppid=,pgid=,tpgid=,tty=,stat=,lstart=,comm=`. It names no session: the terminal stands for it. */
export function parsePs(text: string): Process[] {
  const processes: Process[] = []
  for (const line of text.split('\n')) {
    const [, pid, parent, group, foreground, terminal = '', state = '', started = '', command = ''] =
      PS_LINE.exec(line) ?? []
    if (!pid) continue
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      terminal: terminal.startsWith('?') ? '' : terminal,
      foreground: Number(foreground),
      started: started.replace(/\s+/g, ' '),
      zombie: state.startsWith('Z'),
      command: command.trim(),
    })
  }
  return processes
}

import { Command, Help, type Option } from 'commander'
import type { Io } from './io/io.ts'
import { configureProgram } from './io/run.ts'

const DAILY = 'Every day:'
const DAILY_COMMANDS = ['init', 'sling', 'status', 'attention', 'tui', 'bead', 'session', 'review', 'land', 'down']

/** Has the help list the daily commands first. */
export function groupDaily(program: Command): void {
  for (const command of program.commands) if (DAILY_COMMANDS.includes(command.name())) command.helpGroup(DAILY)
}

/** Groups of a help text in the order of their declaration, but for the daily commands, which come first. */
const dailyFirst: Help['groupItems'] = (unsorted, visible, getGroup) => {
  const groups = new Help().groupItems(unsorted, visible, getGroup)
  const daily = groups.get(DAILY)
  if (!daily) return groups
  const rank = (item: Command | Option) => DAILY_COMMANDS.indexOf(item.name())
  return new Map([[DAILY, daily.sort((one, other) => rank(one) - rank(other))], ...groups])
}

/** The `gc` program without its commands: what applies to all of them. */
export const createBaseProgram = (io: Io): Command =>
  configureProgram(new Command('gc'), io)
    .description('Runs teams of coding agents on your machine.')
    .option('--city <city>', 'city to work in: its name or folder')
    .option('--rig <rig>', 'rig to work in: its name or folder')
    .option('--no-autostart', 'do not start a supervisor')
    .configureHelp({ showGlobalOptions: true, groupItems: dailyFirst })

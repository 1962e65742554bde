import { Command } from 'commander'
import type { Io } from './io/io.ts'
import { configureProgram } from './io/run.ts'

/** The `gc` program without its commands: what applies to all of them. */
export const createBaseProgram = (io: Io): Command =>
  configureProgram(new Command('gc'), io)
    .description('Supervises cities of coding agents.')
    .option('--city <city>', 'the city to work in: the name or folder of the city')
    .option('--rig <rig>', 'the rig to work in: its name or folder')
    .option('--no-autostart', 'start no supervisor when none runs')
    .configureHelp({ showGlobalOptions: true })

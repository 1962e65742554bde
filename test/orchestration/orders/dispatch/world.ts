import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { actorOf } from '../../../../src/http/actor-of.ts'
import { human } from '../../../../src/http/guard.ts'
import type { Order } from '../../../../src/orchestration/orders/order.ts'
import type { ScriptedTown } from '../../../support/city.ts'
import { openWork, workTown } from '../../../work/world.ts'

/** Order files by their names, and formulas by theirs; each is the text behind the line `[order]`. */
export interface OrderWorld {
  orders?: Readonly<Record<string, string>>
  formulas?: Readonly<Record<string, string>>
  toml?: string
  /** A town that is left in place. */
  town?: ScriptedTown
}

/** Writes order files and formulas into a city. */
export function writeOrders(path: string, { orders = {}, formulas = {} }: OrderWorld): void {
  for (const folder of ['orders', 'formulas']) mkdirSync(join(path, folder), { recursive: true })
  for (const [name, text] of Object.entries(orders))
    writeFileSync(join(path, `orders/${name}.toml`), `[order]\n${text}\n`)
  for (const [name, text] of Object.entries(formulas)) writeFileSync(join(path, `formulas/${name}.toml`), text)
}

/** Opens a city with orders, in which time and programs are in the test's hands. */
export async function openOrders(world: OrderWorld) {
  const town = world.town ?? workTown(world.toml)
  writeOrders(town.path, world)
  const work = await openWork({ town })
  const { orderDispatcher: dispatcher, orderLibrary: library, host } = work
  const opened = {
    ...work,
    dispatcher,
    /** An order by its scoped name. */
    order(name: string): Order {
      const order = library.find(name)
      if (!order) throw new Error(`there is no order ${name}`)
      return order
    },
    /** The command lines of orders that run, and of the checks of conditions. */
    running: (): string[] =>
      host.running.flatMap((key) => (/^mill:(order|condition)\//.test(key) ? [lineOf(work, key)] : [])),
    keyOf(line: string): string {
      const key = host.running.find((each) => each.startsWith('mill:') && lineOf(work, each) === line)
      if (key === undefined) throw new Error(`${line} does not run`)
      return key
    },
    /** Start of an order's command. */
    startOf: (line: string) => host.starts.findLast(({ argv }) => argv[2] === line),
    /** A command ends automatically. */
    async end(line: string, exitCode = 0, stdout: string[] = [], stderr = ''): Promise<void> {
      await host.exit(opened.keyOf(line), exitCode, stdout, stderr)
      await opened.settled()
    },
    async run(name: string, vars: Record<string, string> = {}): Promise<string> {
      const request = { vars, cause: 'run', actor: actorOf(human) } as const
      const { trackingId } = await dispatcher.run(opened.order(name), request)
      await opened.settled()
      return trackingId
    },
    /** Reads the files of the city again, with all that follows from it. */
    async reload(): Promise<void> {
      await work.config.reload()
      await opened.settled()
    },
    async settled(): Promise<void> {
      await work.settled()
      await dispatcher.whenIdle()
      await work.settled()
      await dispatcher.whenIdle()
    },
    /** Lets time pass, with all that follows from it. */
    async pass(ms: number): Promise<void> {
      await work.clock.advance(ms)
      await opened.settled()
    },
    async [Symbol.asyncDispose]() {
      await work[Symbol.asyncDispose]()
      if (!world.town) await town[Symbol.asyncDispose]()
    },
  }
  await opened.settled()
  return opened
}

const lineOf = ({ host }: Pick<Awaited<ReturnType<typeof openWork>>, 'host'>, key: string): string =>
  host.starts.findLast((start) => start.key === key)?.argv[2] ?? ''

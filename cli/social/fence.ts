import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'

/** Runs a command that shows what others wrote. Inside a session its output is fenced as data, since an agent reads it. */
export async function showFenced(
  context: CommandContext,
  { json }: JsonOption,
  show: (context: CommandContext) => Promise<void>,
): Promise<void> {
  const { io } = context
  if (json || !io.env.GC_SESSION_ID) return show(context)
  let text = ''
  const out = (more: string) => {
    text += more
  }
  await show(context.printingTo({ ...io, out, width: undefined, colour: false }))
  const { fenceText } = await import('../../src/config/providers/prompt.ts')
  io.out(`${fenceText(text.trimEnd(), 'other agents of the social network')}\n`)
}

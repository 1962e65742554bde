import { type Line, text } from './page.ts'

/** Maximum lines of the log that are kept. */
const MAX_LINES = 5_000

/** Log of the supervisor on this machine, followed live. */
export const logPage = text({
  name: 'log',
  title: 'log',
  help: 'what the supervisor logged on this machine',
  isGlobal: true,
  isChangedBy: () => false,
  load: async () => ({
    head: [
      { text: 'gc logs shows it with that of the session host; gc serve in a terminal logs there', tone: 'quiet' },
    ],
  }),
  follow: async ({ machine }, { show, following: { signal } }) => {
    let lines: readonly Line[] = []
    for await (const added of machine.followLog(signal)) {
      lines = [...lines, ...added.map(logLine)].slice(-MAX_LINES)
      show(lines)
    }
  },
})

const logLine = (text: string): Line => (/\berror\b/i.test(text) ? { text, tone: 'bad', hang: 4 } : { text, hang: 4 })

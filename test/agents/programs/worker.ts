import type { Reply, Script } from './model-server.ts'

const bash = (command: string, description: string): Reply => ({ tool: 'bash', input: { command, description } })

/**
 * A worker that follows its prompt: told to check its hook, it claims a bead, does the work, commits it and closes the
 * bead. It knows the bead only from the output of `gc hook`.
 */
export const worker: Script = ({ user, results }) => {
  if (!user.at(-1)?.includes('Check your hook')) return { text: 'Standing by.' }
  const [claimed, worked, closed] = results
  if (claimed === undefined) return bash('gc hook --claim --json', 'Claim work')
  const bead = /"bead_id":"([\w-]+)"/.exec(claimed)?.[1]
  if (!bead) return { text: `There is no work: ${claimed}` }
  if (worked === undefined) {
    return bash(
      `echo "made for ${bead}" > hello.txt && git add hello.txt && git commit -m "Say hello (${bead})"`,
      'Work',
    )
  }
  if (closed === undefined) return bash(`bd close ${bead}`, 'Close the bead')
  return { text: `Done with ${bead}.` }
}

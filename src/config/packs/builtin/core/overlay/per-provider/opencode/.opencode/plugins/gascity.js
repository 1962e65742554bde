// Tells gc of the conversation, and the agent of what came for it. Does nothing outside a session of gc.
export const GascityPlugin = async ({ $ }) => {
  const { GC_SESSION_ID } = process.env
  if (!GC_SESSION_ID) return {}

  const run = async (...words) => {
    const result = await $`gc ${words}`.nothrow().quiet()
    return result.exitCode === 0 ? result.stdout.toString().trim() : ''
  }
  const bounded = (...words) => run('hook', 'run', '--timeout', '15s', '--timeout-exit-code', '0', '--', ...words)
  const report = (id) =>
    $`printf '{"session_id":"%s"}\n' ${id} | gc prime --hook --hook-format opencode`.nothrow().quiet()

  return {
    event: async ({ event }) => {
      if (event.type === 'session.created' && !event.properties.info.parentID) await report(event.properties.info.id)
    },
    'chat.message': async (_input, output) => {
      const texts = [await bounded('nudge', 'drain', '--inject'), await bounded('mail', 'check', '--inject')]
      const text = texts.filter(Boolean).join('\n\n')
      const [first] = output.parts
      if (text && first?.type === 'text') first.text = `${first.text}\n\n${text}`
    },
    'experimental.session.compacting': async () => {
      await run('handoff', '--auto', 'context cycle')
    },
  }
}

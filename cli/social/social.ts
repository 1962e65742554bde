import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson, withPaging } from '../context/options.ts'
import { accountCommands } from './account-commands.ts'
import { cityAgentCommands } from './city-agent-commands.ts'
import { communityCommands } from './community-commands.ts'
import { showFenced } from './fence.ts'
import { messageCommands } from './message-commands.ts'
import type { CommentOptions, ListOptions, NotificationOptions, PostOptions, SearchOptions } from './options.ts'

/** The implementation of these commands, loaded on demand. */
const reading = () => import('./reading.ts')
const socialHome = () => import('./home.ts')
const writing = () => import('./writing.ts')

/** Commands that work on files only. */
const OFFLINE: ReadonlySet<string> = new Set(['verify', 'restore', 'promote'])

export function socialCommands(program: Command, context: CommandContext): void {
  const social = program
    .command('social')
    .description('use the agents’ social network')
    .option('--as <name>', 'agent to act as, with its stored key; default is GC_SOCIAL_KEY')
    .option('--url <address>', 'address of the network; default is GC_SOCIAL_URL or this supervisor')
    .hook('preAction', async (_, command) => {
      const isElsewhere = social.opts<{ url?: string }>().url ?? context.io.env.GC_SOCIAL_URL
      if (!isElsewhere && !OFFLINE.has(command.name())) await context.supervisor()
    })
  accountCommands(social, context)
  homeCommands(social, context)
  messageCommands(social, context)
  cityAgentCommands(social, context)
  readCommands(social, context)
  writeCommands(social, context)
  followCommands(social, context)
  communityCommands(social, context)
}

function homeCommands(social: Command, context: CommandContext): void {
  withJson(social.command('home').description('show what is new, your threads first')).action((options: JsonOption) =>
    showFenced(context, options, async (shown) => (await socialHome()).home(shown, social, options)),
  )
  const notifications = social.command('notifications').description('manage notifications')
  withPaging(notifications.command('list', { isDefault: true }).description('list notifications, newest first'))
    .option('--unread', 'only unread notifications')
    .action((options: NotificationOptions) =>
      showFenced(context, options, async (shown) => (await socialHome()).notifications(shown, social, options)),
    )
  withJson(notifications.command('read').description('mark notifications as read'))
    .argument('[post]', 'only notifications about this post')
    .action(async (post: string | undefined, options: JsonOption) =>
      (await socialHome()).markRead(context, social, post, options),
    )
}

function readCommands(social: Command, context: CommandContext): void {
  withPaging(social.command('feed').description('list posts, by default of accounts you follow'))
    .option('--all', 'include all posts')
    .option('--following', 'only posts of agents you follow')
    .option('--submolt <name>', 'only posts of this community')
    .option('--author <name>', 'only posts of this agent')
    .option('--sort <order>', 'hot, new, top, rising or controversial')
    .action((options: ListOptions) =>
      showFenced(context, options, async (shown) => (await reading()).feed(shown, social, options)),
    )
  withJson(social.command('show').description('show a post with its comments'))
    .argument('<post>')
    .action((id: string, options: JsonOption) =>
      showFenced(context, options, async (shown) => (await reading()).show(shown, social, id, options)),
    )
  withPaging(social.command('search').description('find posts, comments, agents and communities'))
    .argument('<words...>')
    .option('--type <type>', 'posts, comments, agents or submolts')
    .option('--submolt <name>', 'only in this community')
    .action((words: string[], options: SearchOptions) =>
      showFenced(context, options, async (shown) => (await reading()).search(shown, social, words, options)),
    )
}

function writeCommands(social: Command, context: CommandContext): void {
  withJson(social.command('post').description('post a text, or a link'))
    .argument('<title>')
    .argument('[text]', '`-` reads it from standard input')
    .option('--submolt <name>', 'community of the post', 'general')
    .addOption(oldSpelling('-s <name>', 'submolt'))
    .option('-m, --message <text>', 'text, instead of the argument')
    .option('--link <address>', 'address of a link post, instead of a text')
    .action(async (title: string, text: string | undefined, options: PostOptions) =>
      (await writing()).post(context, social, title, text, options),
    )
  withJson(social.command('comment').description('comment on a post'))
    .argument('<post>')
    .argument('[text]', '`-` reads it from standard input')
    .option('-m, --message <text>', 'text, instead of the argument')
    .option('--reply-to <id>', 'comment to reply to')
    .action(async (id: string, text: string | undefined, options: CommentOptions) =>
      (await writing()).comment(context, social, id, text, options),
    )
  withJson(social.command('answer').description('answer a challenge and publish the text'))
    .argument('<code>', 'code of the challenge')
    .argument('<number>', 'answer to the challenge')
    .action(async (code: string, number: string, options: JsonOption) =>
      (await writing()).answer(context, social, code, number, options),
    )
  withJson(social.command('vote').description('set your vote: up, down or none'))
    .argument('<id>', 'post, or comment with --comment')
    .argument('<vote>')
    .option('--comment', 'vote on a comment')
    .action(async (id: string, vote: string, options: JsonOption & { comment?: true }) =>
      (await writing()).vote(context, social, id, vote, options),
    )
}

function followCommands(social: Command, context: CommandContext): void {
  for (const [verb, description] of [
    ['follow', 'follow an agent'],
    ['unfollow', 'unfollow an agent'],
  ] as const) {
    withJson(social.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await writing()).follow(context, social, verb, name, options),
      )
  }
}

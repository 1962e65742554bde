import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import type { CommentOptions, ListOptions, PostOptions, SearchOptions } from '../social/options.ts'
import { accountCommands } from './social-account.ts'

/** What runs these commands; loaded when one is asked for. */
const reading = () => import('../social/reading.ts')
const writing = () => import('../social/writing.ts')

export function socialCommands(program: Command, context: CommandContext): void {
  const social = program
    .command('social')
    .description('the agents’ social network: accounts, posts, comments, votes')
    .option('--as <name>', 'the agent to act as, by the key kept at its registration; else GC_SOCIAL_KEY')
    .option('--url <address>', 'where the network is; else GC_SOCIAL_URL, else the running supervisor')
  accountCommands(social, context)
  readCommands(social, context)
  writeCommands(social, context)
  followCommands(social, context)
  submoltCommands(social, context)
}

const listing = (command: Command): Command =>
  withJson(command)
    .option('--limit <n>', 'at most so many', parseCount)
    .option('--cursor <cursor>', 'the page after another')

function readCommands(social: Command, context: CommandContext): void {
  listing(social.command('feed').description('list posts of what you follow, or of more'))
    .option('--all', 'of everything there is')
    .option('--following', 'only of agents you follow')
    .option('--submolt <name>', 'of one community')
    .option('--author <name>', 'by one agent')
    .option('--sort <order>', 'hot, new, top, rising or controversial')
    .action(async (options: ListOptions) => (await reading()).feed(context, social, options))
  withJson(social.command('show').description('show a post with its comments'))
    .argument('<post>')
    .action(async (id: string, options: JsonOption) => (await reading()).show(context, social, id, options))
  listing(social.command('search').description('find posts, comments, agents and communities'))
    .argument('<words...>')
    .option('--type <what>', 'posts, comments, agents or submolts')
    .option('--submolt <name>', 'in one community')
    .action(async (words: string[], options: SearchOptions) =>
      (await reading()).search(context, social, words, options),
    )
}

function writeCommands(social: Command, context: CommandContext): void {
  withJson(social.command('post').description('post a text, or a link'))
    .argument('<title>')
    .argument('[text]', '`-` reads it from standard input')
    .option('-s, --submolt <name>', 'the community it goes to', 'general')
    .option('-m, --message <text>', 'the same as the second word')
    .option('--link <address>', 'what it points at, instead of a text')
    .action(async (title: string, text: string | undefined, options: PostOptions) =>
      (await writing()).post(context, social, title, text, options),
    )
  withJson(social.command('comment').description('comment on a post'))
    .argument('<post>')
    .argument('[text]', '`-` reads it from standard input')
    .option('-m, --message <text>', 'the same as the second word')
    .option('--reply-to <comment>', 'the comment of that post to reply to')
    .action(async (id: string, text: string | undefined, options: CommentOptions) =>
      (await writing()).comment(context, social, id, text, options),
    )
  withJson(social.command('vote').description('say what your vote is: up, down or none'))
    .argument('<id>', 'of a post, or of a comment with --comment')
    .argument('<vote>')
    .option('--comment', 'the id is that of a comment')
    .action(async (id: string, vote: string, options: JsonOption & { comment?: true }) =>
      (await writing()).vote(context, social, id, vote, options),
    )
}

function followCommands(social: Command, context: CommandContext): void {
  for (const [verb, description] of [
    ['follow', 'follow an agent'],
    ['unfollow', 'no longer follow an agent'],
  ] as const) {
    withJson(social.command(verb).description(description))
      .argument('<agent>')
      .action(async (name: string, options: JsonOption) =>
        (await writing()).follow(context, social, verb, name, options),
      )
  }
}

function submoltCommands(social: Command, context: CommandContext): void {
  const submolts = social.command('submolts').description('communities: list, create, subscribe, leave')
  listing(submolts.command('list', { isDefault: true }).description('list the communities'))
    .option('--sort <order>', 'popular, new or alphabetical')
    .action(async (options: ListOptions) => (await reading()).submolts(context, social, options))
  withJson(submolts.command('create').description('make a community'))
    .argument('<name>', '2 to 30 lower-case letters, digits, hyphens or underscores')
    .option('-d, --description <text>', 'what it is for')
    .action(async (name: string, options: JsonOption & { description?: string }) =>
      (await writing()).createSubmolt(context, social, name, options),
    )
  for (const [verb, description] of [
    ['subscribe', 'subscribe to a community'],
    ['leave', 'leave a community'],
  ] as const) {
    withJson(submolts.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await writing()).subscribe(context, social, verb, name, options),
      )
  }
}

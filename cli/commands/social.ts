import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import type { Listed, Posted, Replied, Searched } from '../social/options.ts'
import { accountCommands } from './social-account.ts'

/** What runs these commands; loaded when one is asked for. */
const reading = () => import('../social/reading.ts')
const writing = () => import('../social/writing.ts')

export function socialCommands(program: Command, here: Here): void {
  const social = program
    .command('social')
    .description('the agents’ social network: accounts, posts, comments, votes')
    .option('--as <name>', 'the agent to act as, by the key kept at its registration; else GC_SOCIAL_KEY')
    .option('--url <address>', 'where the network is; else GC_SOCIAL_URL, else the running supervisor')
  accountCommands(social, here)
  readCommands(social, here)
  writeCommands(social, here)
  followCommands(social, here)
  submoltCommands(social, here)
}

const listing = (command: Command): Command =>
  withJson(command)
    .option('--limit <n>', 'at most so many', count)
    .option('--cursor <cursor>', 'the page after another')

function readCommands(social: Command, here: Here): void {
  listing(social.command('feed').description('list posts of what you follow, or of more'))
    .option('--all', 'of everything there is')
    .option('--following', 'only of agents you follow')
    .option('--submolt <name>', 'of one community')
    .option('--author <name>', 'by one agent')
    .option('--sort <order>', 'hot, new, top, rising or controversial')
    .action(async (options: Listed) => (await reading()).feed(here, social, options))
  withJson(social.command('show').description('show a post with its comments'))
    .argument('<post>')
    .action(async (id: string, options: Json) => (await reading()).show(here, social, id, options))
  listing(social.command('search').description('find posts, comments, agents and communities'))
    .argument('<words...>')
    .option('--type <what>', 'posts, comments, agents or submolts')
    .option('--submolt <name>', 'in one community')
    .action(async (words: string[], options: Searched) => (await reading()).search(here, social, words, options))
}

function writeCommands(social: Command, here: Here): void {
  withJson(social.command('post').description('post a text, or a link'))
    .argument('<title>')
    .argument('[text]', '`-` reads it from standard input')
    .option('-s, --submolt <name>', 'the community it goes to', 'general')
    .option('-m, --message <text>', 'the same as the second word')
    .option('--link <address>', 'what it points at, instead of a text')
    .action(async (title: string, text: string | undefined, options: Posted) =>
      (await writing()).post(here, social, title, text, options),
    )
  withJson(social.command('comment').description('comment on a post'))
    .argument('<post>')
    .argument('[text]', '`-` reads it from standard input')
    .option('-m, --message <text>', 'the same as the second word')
    .option('--reply-to <comment>', 'the comment of that post to reply to')
    .action(async (id: string, text: string | undefined, options: Replied) =>
      (await writing()).comment(here, social, id, text, options),
    )
  withJson(social.command('vote').description('say what your vote is: up, down or none'))
    .argument('<id>', 'of a post, or of a comment with --comment')
    .argument('<vote>')
    .option('--comment', 'the id is that of a comment')
    .action(async (id: string, vote: string, options: Json & { comment?: true }) =>
      (await writing()).vote(here, social, id, vote, options),
    )
}

function followCommands(social: Command, here: Here): void {
  for (const [verb, description] of [
    ['follow', 'follow an agent'],
    ['unfollow', 'no longer follow an agent'],
  ] as const) {
    withJson(social.command(verb).description(description))
      .argument('<agent>')
      .action(async (name: string, options: Json) => (await writing()).follow(here, social, verb, name, options))
  }
}

function submoltCommands(social: Command, here: Here): void {
  const submolts = social.command('submolts').description('communities: list, create, subscribe, leave')
  listing(submolts.command('list', { isDefault: true }).description('list the communities'))
    .option('--sort <order>', 'popular, new or alphabetical')
    .action(async (options: Listed) => (await reading()).submolts(here, social, options))
  withJson(submolts.command('create').description('make a community'))
    .argument('<name>', '2 to 30 lower-case letters, digits, hyphens or underscores')
    .option('-d, --description <text>', 'what it is for')
    .action(async (name: string, options: Json & { description?: string }) =>
      (await writing()).createSubmolt(here, social, name, options),
    )
  for (const [verb, description] of [
    ['subscribe', 'subscribe to a community'],
    ['leave', 'leave a community'],
  ] as const) {
    withJson(submolts.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: Json) => (await writing()).subscribe(here, social, verb, name, options))
  }
}

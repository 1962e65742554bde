import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'

/** What registers an agent, keeps its keys and stands behind it; loaded when it is asked for. */
const accounts = () => import('../social/accounts.ts')

export function accountCommands(social: Command, context: CommandContext): void {
  withJson(social.command('register').description('register an agent; its key is kept here, readable by you only'))
    .argument('<name>', '2 to 32 letters, digits, underscores or hyphens')
    .option('-d, --description <text>', 'what the agent does')
    .action(async (name: string, options: JsonOption & { description?: string }) =>
      (await accounts()).register(context, social, name, options),
    )
  withJson(social.command('me').description('show your own profile')).action(async (options: JsonOption) =>
    (await accounts()).me(context, social, options),
  )
  claimCommands(social, context)
  keyCommands(social, context)
  operatorCommands(social, context)
}

function claimCommands(social: Command, context: CommandContext): void {
  const claim = social.command('claim').description('who stands behind an agent')
  withJson(claim.command('status', { isDefault: true }).description('tell whether you are claimed')).action(
    async (options: JsonOption) => (await accounts()).claimStatus(context, social, options),
  )
  withJson(claim.command('renew').description('get another address to be claimed at')).action(
    async (options: JsonOption) => (await accounts()).renewClaim(context, social, options),
  )
  for (const [verb, description] of [
    ['approve', 'vouch for an agent, as the operator'],
    ['release', 'end the claim of an agent, as the operator'],
  ] as const) {
    withJson(claim.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await accounts()).decide(context, social, verb, name, options),
      )
  }
}

function keyCommands(social: Command, context: CommandContext): void {
  const key = social.command('key').description('the keys of an agent: list, rotate, revoke, reissue')
  withJson(key.command('list', { isDefault: true }).description('list your keys')).action(async (options: JsonOption) =>
    (await accounts()).listKeys(context, social, options),
  )
  withJson(key.command('rotate').description('exchange your key; every other ends')).action(
    async (options: JsonOption) => (await accounts()).rotateKey(context, social, options),
  )
  withJson(key.command('revoke').description('end a key'))
    .argument('<id>')
    .action(async (id: string, options: JsonOption) => (await accounts()).revokeKey(context, social, id, options))
  withJson(
    key.command('reissue').description('give an agent that lost its key another, as the operator; every other ends'),
  )
    .argument('<name>')
    .action(async (name: string, options: JsonOption) => (await accounts()).reissueKey(context, social, name, options))
}

function operatorCommands(social: Command, context: CommandContext): void {
  withJson(social.command('suspend').description('let an agent do nothing, as the operator'))
    .argument('<name>')
    .requiredOption('-r, --reason <text>', 'what for; the agent is told')
    .option('--until <moment>', 'when it ends, as 2030-01-31T12:00:00Z; else when it is reinstated')
    .action(async (name: string, options: JsonOption & { reason: string; until?: string }) =>
      (await accounts()).suspend(context, social, name, options),
    )
  withJson(social.command('reinstate').description('let a suspended agent act again, as the operator'))
    .argument('<name>')
    .action(async (name: string, options: JsonOption) =>
      (await accounts()).decide(context, social, 'reinstate', name, options),
    )
  withJson(
    social.command('doctor').description('count again whatever is counted; status 1 when a counter is wrong'),
  ).action(async (options: JsonOption) => (await accounts()).doctor(context, social, options))
}

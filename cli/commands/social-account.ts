import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'

/** What registers an agent, keeps its keys and stands behind it; loaded when it is asked for. */
const accounts = () => import('../social/accounts.ts')

export function accountCommands(social: Command, here: Here): void {
  withJson(social.command('register').description('register an agent; its key is kept here, readable by you only'))
    .argument('<name>', '2 to 32 letters, digits, underscores or hyphens')
    .option('-d, --description <text>', 'what the agent does')
    .action(async (name: string, options: Json & { description?: string }) =>
      (await accounts()).register(here, social, name, options),
    )
  withJson(social.command('me').description('show your own profile')).action(async (options: Json) =>
    (await accounts()).me(here, social, options),
  )
  claimCommands(social, here)
  keyCommands(social, here)
  operatorCommands(social, here)
}

function claimCommands(social: Command, here: Here): void {
  const claim = social.command('claim').description('who stands behind an agent')
  withJson(claim.command('status', { isDefault: true }).description('tell whether you are claimed')).action(
    async (options: Json) => (await accounts()).claimStatus(here, social, options),
  )
  withJson(claim.command('renew').description('get another address to be claimed at')).action(async (options: Json) =>
    (await accounts()).renewClaim(here, social, options),
  )
  for (const [verb, description] of [
    ['approve', 'vouch for an agent, as the operator'],
    ['release', 'end the claim of an agent, as the operator'],
  ] as const) {
    withJson(claim.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: Json) => (await accounts()).decide(here, social, verb, name, options))
  }
}

function keyCommands(social: Command, here: Here): void {
  const key = social.command('key').description('the keys of an agent: list, rotate, revoke, reissue')
  withJson(key.command('list', { isDefault: true }).description('list your keys')).action(async (options: Json) =>
    (await accounts()).listKeys(here, social, options),
  )
  withJson(key.command('rotate').description('exchange your key; every other ends')).action(async (options: Json) =>
    (await accounts()).rotateKey(here, social, options),
  )
  withJson(key.command('revoke').description('end a key'))
    .argument('<id>')
    .action(async (id: string, options: Json) => (await accounts()).revokeKey(here, social, id, options))
  withJson(
    key.command('reissue').description('give an agent that lost its key another, as the operator; every other ends'),
  )
    .argument('<name>')
    .action(async (name: string, options: Json) => (await accounts()).reissueKey(here, social, name, options))
}

function operatorCommands(social: Command, here: Here): void {
  withJson(social.command('suspend').description('let an agent do nothing, as the operator'))
    .argument('<name>')
    .requiredOption('-r, --reason <text>', 'what for; the agent is told')
    .option('--until <moment>', 'when it ends, as 2030-01-31T12:00:00Z; else when it is reinstated')
    .action(async (name: string, options: Json & { reason: string; until?: string }) =>
      (await accounts()).suspend(here, social, name, options),
    )
  withJson(social.command('reinstate').description('let a suspended agent act again, as the operator'))
    .argument('<name>')
    .action(async (name: string, options: Json) => (await accounts()).decide(here, social, 'reinstate', name, options))
  withJson(
    social.command('doctor').description('count again whatever is counted; status 1 when a counter is wrong'),
  ).action(async (options: Json) => (await accounts()).doctor(here, social, options))
}

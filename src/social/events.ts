import { Type } from '@sinclair/typebox'
import { defineEvent, payload } from '../core/events/index.ts'

// Accounts

const AgentPayload = payload('NetworkAgentPayload', { agent_id: Type.String() })
const KeyPayload = payload('NetworkKeyPayload', { agent_id: Type.String(), key_id: Type.String() })
const FollowPayload = payload('NetworkFollowPayload', { agent_id: Type.String(), follower_id: Type.String() })
const SuspensionPayload = payload('NetworkSuspensionPayload', {
  agent_id: Type.String(),
  reason: Type.String(),
  until: Type.Optional(Type.String()),
})

export const AgentRegistered = defineEvent('agent.registered', AgentPayload, 'An agent registered.')
export const AgentUpdated = defineEvent('agent.updated', AgentPayload, 'An agent changed its profile.')
export const AgentDeleted = defineEvent('agent.deleted', AgentPayload, 'An agent deleted its account.')
export const AgentRemoved = defineEvent('agent.removed', AgentPayload, 'The content of a deleted agent was removed.')
export const AgentFollowed = defineEvent('agent.followed', FollowPayload, 'An agent followed another.')
export const AgentUnfollowed = defineEvent('agent.unfollowed', FollowPayload, 'An agent unfollowed another.')
export const AgentSuspended = defineEvent('agent.suspended', SuspensionPayload, 'An agent was suspended.')
export const AgentReinstated = defineEvent('agent.reinstated', AgentPayload, 'An agent was reinstated.')
export const KeyCreated = defineEvent('key.created', KeyPayload, 'A key of an agent was created.')
export const KeyRevoked = defineEvent('key.revoked', KeyPayload, 'A key of an agent was revoked.')

// Owners of accounts

const ClaimPayload = payload('NetworkClaimPayload', { agent_id: Type.String(), owner_id: Type.String() })

export const AgentClaimed = defineEvent('agent.claimed', ClaimPayload, 'A person claimed an agent.')
export const AgentUnclaimed = defineEvent('agent.unclaimed', ClaimPayload, 'An agent no longer has an owner.')
export const ClaimRenewed = defineEvent(
  'claim.renewed',
  payload('NetworkClaimRenewedPayload', { agent_id: Type.String() }),
  'An agent created a new claim link.',
)

// Signing keys

const SigningKeyPayload = payload('NetworkSigningKeyPayload', { agent_id: Type.String(), key_id: Type.String() })
const BearerKeysPayload = payload('NetworkBearerKeysPayload', { agent_id: Type.String(), enabled: Type.Boolean() })

export const SigningKeyCreated = defineEvent('signing_key.created', SigningKeyPayload, 'An agent added a signing key.')
export const SigningKeyRevoked = defineEvent(
  'signing_key.revoked',
  SigningKeyPayload,
  'A signing key of an agent was revoked.',
)
export const BearerKeysChanged = defineEvent(
  'bearer_keys.changed',
  BearerKeysPayload,
  'API keys of an agent were turned off or on.',
)

// Agents that vouch for others

const VouchPayload = payload('NetworkVouchPayload', { agent_id: Type.String(), voucher_id: Type.String() })

export const AgentVouched = defineEvent('agent.vouched', VouchPayload, 'An agent vouches for another.')
export const AgentUnvouched = defineEvent('agent.unvouched', VouchPayload, 'An agent no longer vouches for another.')

// Challenges

const ChallengePayload = payload('NetworkVerificationPayload', {
  agent_id: Type.String(),
  kind: Type.String({ description: 'post, comment or submolt.' }),
  target_id: Type.String({ description: 'The identifier that it gets once it is published.' }),
})

export const VerificationRequested = defineEvent(
  'verification.requested',
  ChallengePayload,
  'An agent has to answer a challenge before what it wrote is published.',
)
export const VerificationFailed = defineEvent(
  'verification.failed',
  ChallengePayload,
  'An agent gave a wrong answer to a challenge.',
)

// Imports from other networks

const ImportPayload = payload('NetworkImportPayload', {
  agent_id: Type.String(),
  network: Type.String(),
  posts: Type.Integer(),
  comments: Type.Integer(),
})

export const AgentImported = defineEvent(
  'agent.imported',
  ImportPayload,
  'A part of what an agent wrote on another network was added to its account.',
)

// Communities

const SubmoltPayload = payload('NetworkSubmoltPayload', { submolt: Type.String(), agent_id: Type.String() })

export const SubmoltCreated = defineEvent('submolt.created', SubmoltPayload, 'A community was created.')
export const SubmoltOwned = defineEvent('submolt.owned', SubmoltPayload, 'A community got another owner.')
export const SubmoltSubscribed = defineEvent(
  'submolt.subscribed',
  SubmoltPayload,
  'An agent subscribed to a community.',
)
export const SubmoltUnsubscribed = defineEvent(
  'submolt.unsubscribed',
  SubmoltPayload,
  'An agent unsubscribed from a community.',
)

// Moderators and settings

const ModeratorPayload = payload('NetworkModeratorPayload', { submolt: Type.String(), agent_id: Type.String() })
const SettingsPayload = payload('NetworkSettingsPayload', {
  submolt: Type.String(),
  changed: Type.Array(Type.String()),
})

export const ModeratorAdded = defineEvent('moderator.added', ModeratorPayload, 'An agent became a moderator.')
export const ModeratorRemoved = defineEvent('moderator.removed', ModeratorPayload, 'An agent is no longer a moderator.')
export const SubmoltChanged = defineEvent('submolt.changed', SettingsPayload, 'Settings of a community changed.')

// Pictures

const AvatarPayload = payload('NetworkAvatarPayload', { agent_id: Type.String() })
const SubmoltPicturePayload = payload('NetworkSubmoltPicturePayload', { submolt: Type.String(), kind: Type.String() })

export const AvatarChanged = defineEvent(
  'agent.avatar_changed',
  AvatarPayload,
  'An agent has another picture, or none.',
)
export const SubmoltPictureChanged = defineEvent(
  'submolt.picture_changed',
  SubmoltPicturePayload,
  'A community has another picture or banner.',
)

// Labels

const LabelPayload = payload('NetworkLabelPayload', { submolt: Type.String(), label: Type.String() })
const AttachmentPayload = payload('NetworkAttachmentPayload', {
  submolt: Type.String(),
  label: Type.String(),
  target_id: Type.String({ description: 'The post or the agent.' }),
})

export const LabelCreated = defineEvent('label.created', LabelPayload, 'A community got a label.')
export const LabelAttached = defineEvent('label.attached', AttachmentPayload, 'A post or an agent got a label.')
export const LabelDetached = defineEvent('label.detached', AttachmentPayload, 'A post or an agent lost a label.')

// Posts

const PostPayload = payload('NetworkPostPayload', {
  post_id: Type.String(),
  submolt: Type.String(),
  author_id: Type.String(),
})
const PinPayload = payload('NetworkPinPayload', { submolt: Type.String(), post_id: Type.String() })

export const PostCreated = defineEvent('post.created', PostPayload, 'An agent created a post.')
export const PostEdited = defineEvent('post.edited', PostPayload, 'The author of a post changed it.')
export const PostDeleted = defineEvent('post.deleted', PostPayload, 'A post was deleted.')
export const PostPinned = defineEvent('post.pinned', PinPayload, 'A post was pinned.')
export const PostUnpinned = defineEvent('post.unpinned', PinPayload, 'A post is no longer pinned.')

// Reports

const ReportPayload = payload('NetworkReportPayload', { post_id: Type.String(), submolt: Type.String() })

export const PostReported = defineEvent('post.reported', ReportPayload, 'An agent reported a post.')
export const ReportsReopened = defineEvent(
  'post.reports_reopened',
  ReportPayload,
  'The dismissal of the reports of a post was undone.',
)
export const ReportsDismissed = defineEvent(
  'post.reports_dismissed',
  ReportPayload,
  'The reports of a post were dismissed.',
)

// Comments

const CommentPayload = payload('NetworkCommentPayload', {
  comment_id: Type.String(),
  post_id: Type.String(),
  author_id: Type.String(),
  parent_id: Type.Optional(Type.String()),
})

export const CommentCreated = defineEvent('comment.created', CommentPayload, 'An agent created a comment.')
export const CommentEdited = defineEvent('comment.edited', CommentPayload, 'The author of a comment changed it.')
export const CommentDeleted = defineEvent('comment.deleted', CommentPayload, 'A comment was deleted.')

// Posts and comments that repeat others

const RelistedPostPayload = payload('NetworkRelistedPostPayload', { post_id: Type.String(), submolt: Type.String() })
const RelistedCommentPayload = payload('NetworkRelistedCommentPayload', {
  comment_id: Type.String(),
  post_id: Type.String(),
})

export const PostRelisted = defineEvent(
  'post.relisted',
  RelistedPostPayload,
  'A post that repeats another is in lists again.',
)
export const CommentRelisted = defineEvent(
  'comment.relisted',
  RelistedCommentPayload,
  'A comment that repeats another is in lists again.',
)

// Votes

const VotePayload = payload('NetworkVotePayload', {
  target_id: Type.String(),
  agent_id: Type.String(),
  value: Type.Integer({ description: '1 up, -1 down, 0 removed.' }),
})

export const PostVoted = defineEvent('post.voted', VotePayload, 'A vote on a post was cast, changed or removed.')
export const CommentVoted = defineEvent(
  'comment.voted',
  VotePayload,
  'A vote on a comment was cast, changed or removed.',
)

// Direct messages

const ConversationPayload = payload('NetworkConversationPayload', {
  conversation_id: Type.String(),
  agent_id: Type.String({ description: 'The other agent.' }),
})
const RejectionPayload = payload('NetworkRejectionPayload', {
  conversation_id: Type.String(),
  agent_id: Type.String(),
  blocked: Type.Boolean(),
})

export const ConversationRequested = defineEvent(
  'conversation.requested',
  ConversationPayload,
  'An agent asked to write to another.',
)
export const ConversationApproved = defineEvent(
  'conversation.approved',
  ConversationPayload,
  'An agent agreed to a conversation.',
)
export const ConversationRejected = defineEvent(
  'conversation.rejected',
  RejectionPayload,
  'An agent refused or ended a conversation.',
)
export const MessageSent = defineEvent('conversation.message_sent', ConversationPayload, 'A direct message was sent.')

// Email addresses of owners

const OwnerEmailPayload = payload('NetworkOwnerEmailPayload', { agent_id: Type.String() })

export const OwnerEmailSet = defineEvent(
  'owner_email.set',
  OwnerEmailPayload,
  'An agent gave the address of its human.',
)
export const OwnerEmailVerified = defineEvent(
  'owner_email.verified',
  OwnerEmailPayload,
  'The human of an agent verified their address.',
)

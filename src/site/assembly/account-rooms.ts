import type { Plan } from '../../core/dto/index.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Message, Outbox } from '../../core/jobs/outbox.ts'
import type { Step } from '../../core/storage/index.ts'
import {
  createDeletions,
  createEmailChanges,
  createEmailUndo,
  createExport,
  createFields,
  createLinks,
  createMergeWishes,
  createSelfService,
  oldAddressMessage,
  type SelfService,
} from '../../memberships/account/index.ts'
import { createRestoring } from '../../memberships/after-restore/after-restore.ts'
import type { Deeds } from '../../memberships/audit-log/index.ts'
import { createCancelAll, createCloseCheckouts, type Gone } from '../../memberships/checkout/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import {
  createIdentities,
  createVoiding,
  type NewMember,
  type Proving,
  type User,
  type Users,
} from '../../memberships/members/index.ts'
import type { MemberRow } from '../../memberships/members/statements.ts'
import { createMerging, type MergeWish, type UnmergeWish } from '../../memberships/merging/index.ts'
import type { Changes } from '../../memberships/subscriptions/index.ts'
import type { Leavers } from '../../memberships/switching/leavers.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ground } from './ground.ts'
import type { Mailing } from './mailing.ts'

interface Given {
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly plans: () => readonly Plan[]
  readonly users: Users
  readonly ledger: Ledger
  readonly changes: Changes
  readonly deeds: Deeds
  readonly mailing: Mailing
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly unlessGone: Gone['unlessGone']
  readonly leavers: Pick<Leavers, 'continues'>
  readonly proving: Proving
  readonly newMember: (member: NewMember) => MemberRow
  /** What is queued about a member's other address. */
  readonly addressChanged: (user: User, data: { email: string }) => Message[]
  readonly rememberTrials: (user: User) => Step[]
  /** The messages that tell the host of a deleted account. */
  readonly tellHost: (member: { id: string; email: string }) => readonly Message[]
  /** The labels of a provider's webhook secrets. */
  readonly accountsOf: (provider: string) => readonly string[]
}

/** Login, self-service, export and deletion of accounts. */
export const createAccountRooms = (ground: Ground, given: Given) => {
  const { config, storage, root, now, randomId, isProduction } = ground
  const fieldsOf = createFields({
    root,
    providerFields: new Set(Object.entries(config.providers).map(([key, p]) => p.field ?? key)),
    cache: isProduction,
  })
  const noteChange = (memberId: string) => given.ledger.noteMember(memberId)
  const selfService = createSelfService({ storage, fieldsOf, now, noteChange })
  const deletions = openDeletions(ground, given)
  const findMember = given.users.findById
  const { plans } = given
  const { ledger, changes, deeds, providers } = given
  const closeCheckouts = createCloseCheckouts({ storage, ledger, changes, providers })
  const merging = createMerging({
    ...{ storage, deeds, findMember, plans, noteChange, closeCheckouts, now, randomId, log: ground.log },
    continues: given.leavers.continues,
  })
  return {
    fieldsOf,
    selfService,
    deletions,
    identities: createIdentities({
      ...{ storage, now, proving: given.proving, newMember: given.newMember, users: given.users },
      isLocked: deletions.isLocked,
      changeEmail: async (member, email) => {
        const also = async () => given.outbox.steps(given.addressChanged(member, { email }))
        await selfService.changeEmail({
          memberId: member.id,
          email,
          isProved: true,
          from: member.email,
          also,
        })
        given.outbox.nudge()
      },
    }),
    exportOf: createExport({ storage, now }),
    links: openLinks(ground, given),
    deeds,
    merging,
    /** Merging as a site's own code asks for it. */
    mergingForCode: {
      merge: (wish: MergeWish) => merging.merge(wish),
      unmerge: (wish: UnmergeWish) => merging.unmerge(wish),
    },
    ...openAddressRooms(ground, given, { selfService, merging }),
    restoring: createRestoring({ storage, deletions, now }),
  }
}

const openDeletions = ({ storage, now, log }: Ground, given: Given) => {
  const { users, ledger, changes, providers, unlessGone, outbox, mailing } = given
  return createDeletions({
    storage,
    findUser: users.findById,
    cancelAll: createCancelAll({ storage, ledger, changes, providers, unlessGone }),
    accountsOf: given.accountsOf,
    remember: given.rememberTrials,
    farewell: (member) => outbox.steps([...mailing.farewell(member), ...given.tellHost(member)]),
    now,
    log,
  })
}

const openLinks = ({ storage, config, now, randomId }: Ground, given: Given) => {
  const { users, proving, newMember, tokens, outbox, mailing } = given
  return createLinks({
    ...{ storage, users, proving, newMember, tokens, outbox, now, randomId },
    toMessage: mailing.linkMessage,
    minutes: config.login.minutes,
    signup: config.login.signup,
  })
}

/** What waits for a link in a mail to be opened: another address, its return, and two accounts that become one. */
const openAddressRooms = (
  { storage, now, randomId }: Ground,
  { tokens, outbox, users, mailing, addressChanged }: Given,
  { selfService, merging }: { selfService: SelfService; merging: ReturnType<typeof createMerging> },
) => {
  const common = {
    ...{ storage, tokens, outbox, selfService, now, randomId },
    voiding: createVoiding(storage),
    findMember: users.findById,
    tellProviders: addressChanged,
    requireMails: mailing.requireMails,
  }
  const emailChanges = createEmailChanges({
    ...common,
    sendLink: mailing.sendAddressLink,
    tellOld: oldAddressMessage,
  })
  const emailUndo = createEmailUndo({ ...common, sendUndo: mailing.sendUndoLink })
  const mergeWishes = createMergeWishes({ ...common, merging, users, sendMail: mailing.sendMergeMail })
  return {
    emailChanges,
    emailUndo,
    mergeWishes,
    /** What delivers the mails with links to addresses. */
    mailHandlers: { ...emailChanges.handlers, ...emailUndo.handlers, ...mergeWishes.handlers },
  }
}

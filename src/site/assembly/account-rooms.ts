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
} from '../../memberships/account/index.ts'
import { createCancelAll, type Gone } from '../../memberships/checkout/index.ts'
import { createDeeds } from '../../memberships/deeds/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import {
  createVoiding,
  type NewMember,
  type Proving,
  type User,
  type Users,
} from '../../memberships/members/index.ts'
import type { MemberRow } from '../../memberships/members/statements.ts'
import { createMerging, type MergeWish, type UnmergeWish } from '../../memberships/merging/index.ts'
import { createRestoring } from '../../memberships/restoring/restoring.ts'
import type { Provider } from '../../providers/contract.ts'
import type { Ground } from './ground.ts'
import type { createMailing } from './mailing.ts'

/** Login, self-service, export and deletion of accounts. */
export const createAccountRooms = (
  { config, storage, root, now, randomId, log, isProduction }: Ground,
  given: {
    tokens: Tokens
    outbox: Outbox
    plans: () => readonly Plan[]
    users: Users
    ledger: Ledger
    mailing: ReturnType<typeof createMailing>
    providers: ReadonlyMap<string, Provider>
    unlessGone: Gone['unlessGone']
    proving: Proving
    newMember: (member: NewMember) => MemberRow
    /** What is queued about a member's other address. */
    addressChanged: (user: User, data: { email: string }) => Message[]
    rememberTrials: (user: User) => Step[]
    /** The labels of a provider's webhook secrets. */
    accountsOf: (provider: string) => readonly string[]
  },
) => {
  const { tokens, outbox, users, ledger, mailing, providers } = given
  const fieldsOf = createFields({
    root,
    providerFields: new Set(Object.entries(config.providers).map(([key, p]) => p.field ?? key)),
    cache: isProduction,
  })
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const selfService = createSelfService({ storage, fieldsOf, now, noteChange })
  const ofAddresses = {
    storage,
    tokens,
    outbox,
    selfService,
    voiding: createVoiding(storage),
    findMember: users.findById,
    now,
    randomId,
    tellProviders: given.addressChanged,
  }
  const emailChanges = createEmailChanges({
    ...ofAddresses,
    requireMails: mailing.requireMails,
    sendLink: mailing.sendAddressLink,
    tellOld: oldAddressMessage,
  })
  const emailUndo = createEmailUndo({ ...ofAddresses, sendUndo: mailing.sendUndoLink })
  const deletions = createDeletions({
    storage,
    findUser: users.findById,
    cancelAll: createCancelAll({ storage, ledger, providers, unlessGone: given.unlessGone, randomId }),
    accountsOf: given.accountsOf,
    remember: given.rememberTrials,
    farewell: (member) => outbox.steps(mailing.farewell(member)),
    now,
    log,
  })

  const links = createLinks({
    storage,
    users,
    proving: given.proving,
    newMember: given.newMember,
    tokens,
    outbox,
    toMessage: mailing.linkMessage,
    minutes: config.login.minutes,
    signup: config.login.signup,
    now,
    randomId,
  })
  const exportOf = createExport({ storage, now })
  const { plans } = given
  const restoring = createRestoring({ storage, deletions, now })
  const deeds = createDeeds({ storage, now, randomId })
  const findMember = users.findById
  const merging = createMerging({ storage, deeds, findMember, plans, noteChange, now, randomId })
  const mergeWishes = createMergeWishes({
    ...ofAddresses,
    merging,
    users,
    requireMails: mailing.requireMails,
    sendMail: mailing.sendMergeMail,
  })
  return {
    fieldsOf,
    selfService,
    emailChanges,
    emailUndo,
    deletions,
    exportOf,
    links,
    deeds,
    merging,
    mergeWishes,
    /** Merging as a site's own code asks for it. */
    mergingForCode: {
      merge: (wish: MergeWish) => merging.merge(wish),
      unmerge: (wish: UnmergeWish) => merging.unmerge(wish),
    },
    /** What delivers the mails with links to addresses. */
    mailHandlers: { ...emailChanges.handlers, ...emailUndo.handlers, ...mergeWishes.handlers },
    restoring,
  }
}

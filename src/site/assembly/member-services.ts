import type { Context } from 'koa'
import { boughtOnce, type Config, openWhilePaused } from '../../core/config/index.ts'
import { storeNames } from '../../core/dto/index.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Message, Outbox } from '../../core/jobs/outbox.ts'
import {
  createDeletions,
  createEmailChanges,
  createEmailUndo,
  createExport,
  createFields,
  createLinks,
  createMergeRequests,
  createSelfService,
  oldAddressMessage,
  type SelfService,
} from '../../memberships/account/index.ts'
import { createRestoring } from '../../memberships/after-restore/index.ts'
import type { AuditLog } from '../../memberships/audit-log/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import {
  type Customers,
  createCancelAll,
  createCloseCheckouts,
  createNewcomers,
  type MissingCustomers,
} from '../../memberships/checkout/index.ts'
import type { EventList } from '../../memberships/domain-events.ts'
import { createEnding } from '../../memberships/downloads/index.ts'
import { createRedeemable } from '../../memberships/gifts/index.ts'
import { createInvitedTo } from '../../memberships/groups/index.ts'
import type { Departures } from '../../memberships/hooks/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { MemberLife } from '../../memberships/life.ts'
import { linkMessage, type StoreCharge } from '../../memberships/mails/index.ts'
import {
  type CheckGate,
  createFlash,
  createGateCheck,
  createGrantSteps,
  createIdentities,
  createLimitCheck,
  createLoginDeletions,
  createProving,
  createSessions,
  createUnnamedGates,
  createUsers,
  createWalls,
  type LoginDeletions,
  type NewAccount,
  type NewMember,
  newRow,
  type PageUsers,
  type Proving,
  type User,
  type UserRules,
} from '../../memberships/members/index.ts'
import {
  createMerging,
  type MergeInput,
  type MergingService,
  type UnmergeInput,
} from '../../memberships/merging/index.ts'
import type { Changes } from '../../memberships/subscriptions/index.ts'
import { createSwitchedMembers, type SwitchedMembers } from '../../memberships/switching/index.ts'
import {
  createDiscountsHad,
  createTrials,
  type DiscountsHad,
  type Trials,
} from '../../memberships/trials/index.ts'
import {
  type AccessUpgrade,
  createAccessUpgrade,
  type OpenAccessUpgrade,
} from '../../memberships/upgrade/index.ts'
import { providerAt } from '../../memberships/verification/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { invalidationOn } from './doors.ts'
import type { Environment, Foundation } from './environment.ts'
import { createLives } from './lives.ts'
import type { Mailing } from './mailing.ts'

/** The services about members. */
export interface MemberServices {
  readonly rules: UserRules
  readonly checkGate: CheckGate
  readonly checkLimit: CheckGate
  readonly proving: Proving
  readonly switchedMembers: SwitchedMembers
  readonly trials: Trials
  readonly discountsHad: DiscountsHad
  readonly users: PageUsers
  /** The row of a new member. */
  readonly newMember: (member: NewMember) => NewAccount
  readonly accessUpgrade: AccessUpgrade
}

/** Builds the services about members: identity, verification, trials, and members who leave a provider. */
export function createMemberServices(
  { config, storage, secrets, now, log, randomId, isDevelopment }: Environment,
  given: Pick<Foundation, 'providers' | 'catalogue'> & {
    ledger: Ledger
    changes: Changes
    events: Pick<EventList, 'stepsOf'>
    upgrade: OpenAccessUpgrade
  },
): MemberServices {
  const { ledger, changes, providers, catalogue, events, upgrade } = given
  const defaultRole = config.members.roles[0] ?? 'member'
  const unnamedGates = createUnnamedGates(storage, now)
  const checkGate = createGateCheck({
    plans: catalogue.all,
    features: Object.keys(config.features),
    isDevelopment,
    log,
    note: unnamedGates.note,
  })
  const checkLimit = createLimitCheck({ plans: catalogue.all, isDevelopment, log })
  const rules = rulesOf(config, { catalogue, providers }, now, { checkGate, checkLimit, upgrade })
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const proving = createProving({
    storage,
    invalidation: invalidationOn(storage),
    now,
    noteChange,
    proved: (memberId) => events.stepsOf('member.proved', memberId),
  })
  const users = createUsers({
    storage,
    randomId,
    defaultRole,
    proving,
    noteChange,
    rules,
    onGrant: (memberId, id) => events.stepsOf('grant.given', memberId, id),
  })
  const findMember = users.findById
  const switchedMembers = createSwitchedMembers({
    storage,
    providers,
    plans: (key) => catalogue.plans(key),
    now,
  })
  const trials = createTrials({
    storage,
    ledger,
    changes,
    providers,
    plans: catalogue.all,
    findMember,
    secrets,
    now,
    log,
    continues: (subscription, member) => switchedMembers.continues(subscription, member.subscriptions()),
    tell: (ended) => events.stepsOf('trial.ended', ended),
  })
  const discountsHad = createDiscountsHad({ storage, providers, secrets, now })
  const newMember = (member: NewMember) =>
    newRow(member, { id: randomId(), at: now().toISOString(), defaultRole })
  const accessUpgrade = createAccessUpgrade({
    storage,
    upgrade,
    findMember,
    rules,
    randomId,
    grantSteps: createGrantSteps({ storage, noteChange }),
  })
  return {
    rules,
    checkGate,
    checkLimit,
    proving,
    switchedMembers,
    trials,
    discountsHad,
    users,
    newMember,
    accessUpgrade,
  }
}

/** Rules of members' access. Each reading uses the current plans. */
export function rulesOf(
  config: Config,
  { catalogue, providers }: Rulers,
  now: () => Date,
  more: {
    readonly checkGate?: CheckGate
    readonly checkLimit?: CheckGate
    readonly upgrade?: OpenAccessUpgrade
  } = {},
): UserRules {
  const { upgrade, ...checks } = more
  const rules: UserRules = {
    get plans() {
      return catalogue.all()
    },
    formerly: upgrade?.formerlyOf(() => rules),
    pastDueSeconds: config.gates.past_due_seconds,
    openWhilePaused: openWhilePaused(config.providers),
    unknownIsOneTime: boughtOnce(config.providers),
    shopOf: catalogue.shop,
    soldSeats: catalogue.soldSeats,
    openUntilPaid: new Set(
      [...providers].flatMap(([key, { capabilities }]) =>
        capabilities?.cancels_early === true ? [key] : [],
      ),
    ),
    fields: new Map(Object.entries(config.providers).map(([key, p]) => [p.field, key])),
    now,
    ...checks,
  }
  return rules
}

interface Rulers {
  readonly catalogue: Pick<Catalogue, 'all' | 'shop' | 'soldSeats'>
  readonly providers: ReadonlyMap<string, Pick<ProviderReader, 'capabilities'>>
}

interface Given {
  readonly foundation: Pick<Foundation, 'tokens' | 'configured' | 'providers' | 'catalogue'>
  readonly members: MemberServices
  readonly outbox: Outbox
  readonly ledger: Ledger
  readonly changes: Changes
  readonly auditLog: AuditLog
  readonly mailing: Mailing
  readonly unlessMissing: MissingCustomers['unlessMissing']
  readonly customers: Pick<Customers, 'messages'>
  /** Keeps the groups open that a leaving member pays for, and tells their managers. */
  readonly ownerLeaves: (user: User) => Promise<void>
  /** The last messages to hooks and receivers about an account that goes. */
  readonly departures: Departures
  /** Messages that notify the host of a deleted account. */
  readonly hostEvents: (member: {
    id: string
    email: string
    userIds: readonly string[]
  }) => readonly Message[]
}

/** Builds login, self-service, export and deletion of accounts. */
export function createAccountServices(environment: Environment, given: Given) {
  const { config, storage, root, now, randomId, isProduction } = environment
  const { ledger, changes, auditLog, outbox, members } = given
  const { configured, providers, catalogue } = given.foundation
  const { users, proving, newMember, switchedMembers } = members
  const fieldsOf = createFields({
    root,
    providerFields: new Set(Object.entries(config.providers).map(([key, p]) => p.field ?? key)),
    cache: isProduction,
  })
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const selfService = createSelfService({ storage, fieldsOf, now, noteChange })
  const { identify, userStore } = environment.options
  const deleteUser = identify?.deleteUser ?? null
  const loginDeletions =
    deleteUser === null && userStore?.accountDeleted === undefined
      ? null
      : createLoginDeletions(storage, deleteUser)
  const lives = createLives({
    storage,
    now,
    config: environment.config,
    departures: given.departures,
    accountsOf: (provider) => (configured.get(provider)?.secrets ?? []).map(({ label }) => label),
  })
  const deletions = openDeletions(environment, given, { lives, login: loginDeletions })
  const addressChanged = addressMessagesOf(given)
  const closeCheckouts = createCloseCheckouts({ storage, ledger, changes, providers })
  const merging = createMerging({
    storage,
    lives,
    auditLog,
    noteChange,
    closeCheckouts,
    findMember: users.findById,
    plans: catalogue.all,
    now,
    randomId,
    log: environment.log,
    continues: switchedMembers.continues,
  })
  const identities = createIdentities({
    storage,
    now,
    log: environment.log,
    proving,
    newMember,
    users,
    isLocked: deletions.isLocked,
    askStores: (id) =>
      [...providers].flatMap(([provider, { stores, fetch, account = '' }]) =>
        stores === undefined || fetch === undefined
          ? []
          : ledger.requestFetch({ provider, account }, { kind: 'customer', id }, now().toISOString()),
      ),
    keepsUserIds: loginDeletions !== null,
    changeEmail: async (member, email) => {
      const also = async () => outbox.steps(addressChanged(member, { email }))
      await selfService.changeEmail({
        memberId: member.id,
        email,
        isProved: true,
        from: member.email,
        also,
      })
      outbox.nudge()
    },
  })
  return {
    fieldsOf,
    selfService,
    deletions,
    loginDeletions,
    identities,
    /** Deletes the member of a user whom the site's login deleted. */
    deleteByLogin: async (userId: string) => {
      const memberId = await identities.unlink(userId)
      return memberId === null ? null : deletions.request(memberId)
    },
    exportOf: createExport({ storage, lives, now }),
    auditLog,
    merging,
    /** Merging for a site's own code. */
    mergingForCode: {
      merge: (input: MergeInput) => merging.merge(input),
      unmerge: (input: UnmergeInput) => merging.unmerge(input),
    },
    ...openAddressServices(environment, given, { selfService, merging, addressChanged }),
    restoring: createRestoring({ storage, lives, deletions, now }),
  }
}

function openDeletions(
  { storage, now, log }: Environment,
  given: Given,
  { lives, login }: { lives: readonly MemberLife[]; login: LoginDeletions | null },
) {
  const { ledger, changes, unlessMissing, outbox, mailing } = given
  const { providers } = given.foundation
  const { users, trials, discountsHad } = given.members
  /** The purchases that go on in an app store, where only their buyer can end them. */
  const chargingStores = (user: User | null): StoreCharge[] =>
    (user?.subscriptions() ?? []).flatMap((s) => {
      const managed = s.ended ? null : providerAt(providers, s.provider, s.account)?.managedIn?.(s)
      return managed?.store == null ? [] : [{ store: storeNames[managed.store], url: managed.url }]
    })
  const cancelAll = createCancelAll({ storage, ledger, changes, providers, unlessMissing })
  return createDeletions({
    storage,
    lives,
    findUser: users.findById,
    cancelAll: async (user) => {
      // Before anything ends: what was paid stays open for the others.
      await given.ownerLeaves(user)
      await cancelAll(user)
    },
    isManagedElsewhere: (key) => providers.get(key)?.managedIn !== undefined,
    remember: (user) => [...trials.remember(user), ...discountsHad.remember(user)],
    farewell: (member, user) =>
      outbox.steps([...mailing.farewell(member, chargingStores(user)), ...given.hostEvents(member)]),
    leaveLogin: async (memberId) => {
      if (login === null) return { steps: [], userIds: [] }
      const { messages, steps, userIds } = await login.leaving(memberId)
      return { steps: [...outbox.steps(messages), ...steps], userIds }
    },
    now,
    log,
  })
}

/** Builds the messages about a member's new address: to the providers, and to the record of trials. */
function addressMessagesOf({ customers, members: { trials } }: Given) {
  return (user: User, data: { email: string }): Message[] => [
    ...customers.messages(user, data),
    trials.messageOfMember(user.id),
  ]
}

/** Builds login links, which are sent by mail. */
export function createLoginLinks(
  { storage, config, addresses, now, randomId }: Environment,
  given: Pick<MemberServices, 'users' | 'proving' | 'newMember'> & {
    readonly tokens: Tokens
    readonly outbox: Outbox
    readonly isOpenSeat: (seatId: string) => Promise<boolean>
  },
) {
  const { users, proving, newMember, tokens, outbox, isOpenSeat } = given
  const isInvitation = createInvitedTo({ tokens, isOpenSeat })
  const isRedeemable = createRedeemable({ storage, now })
  return createLinks({
    isInvited: async (address) => {
      const page = addresses.inner(address)
      return page !== null && ((await isInvitation(page)) || (await isRedeemable(page)))
    },
    storage,
    users,
    proving,
    newMember,
    tokens,
    outbox,
    now,
    randomId,
    toMessage: linkMessage,
    minutes: config.login.minutes,
    signup: config.login.signup,
  })
}

/**
 * Builds the services that wait until a link in a mail is opened: changing an address, undoing that, and
 * merging accounts.
 */
function openAddressServices(
  { storage, now, randomId }: Environment,
  { foundation: { tokens }, members: { users }, outbox, mailing }: Given,
  {
    selfService,
    merging,
    addressChanged,
  }: {
    selfService: SelfService
    merging: MergingService
    addressChanged: (user: User, data: { email: string }) => Message[]
  },
) {
  const common = {
    storage,
    tokens,
    outbox,
    selfService,
    now,
    randomId,
    invalidation: invalidationOn(storage),
    findMember: users.findById,
    updateProviders: addressChanged,
    requireMails: mailing.requireMails,
  }
  const emailChanges = createEmailChanges({
    ...common,
    sendLink: mailing.sendAddressLink,
    notifyOldAddress: oldAddressMessage,
  })
  const emailUndo = createEmailUndo({ ...common, sendUndo: mailing.sendUndoLink })
  const mergeRequests = createMergeRequests({ ...common, merging, users, sendMail: mailing.sendMergeMail })
  return {
    emailChanges,
    emailUndo,
    mergeRequests,
    /** Handlers that deliver mails with links. */
    mailHandlers: { ...emailChanges.handlers, ...emailUndo.handlers, ...mergeRequests.handlers },
  }
}

type SessionEnvironment = Pick<
  Environment,
  'config' | 'addresses' | 'storage' | 'counters' | 'now' | 'randomId' | 'log'
>
// Visitors of one address who begin to count free pages in a minute: a whole office may.
const newcomersPerMinute = 60

/**
 * Builds the services of a browser: its login, the flash message of its next page, and the logins that its
 * purchases allow.
 */
export function createSessionServices(
  { config, addresses, storage, counters, now, randomId, log }: SessionEnvironment,
  tokens: Tokens,
) {
  const secure = (ctx: Context) => config.url?.startsWith('https:') ?? ctx.secure
  const ending = createEnding(storage, now)
  const sessions = createSessions({
    storage,
    now,
    randomId,
    tokens,
    secure,
    addresses,
    invalidation: invalidationOn(storage),
    endMore: (memberId) =>
      config.feeds.end_at_logout
        ? [...ending.steps(memberId, 'feeds'), ...ending.steps(memberId, 'files')]
        : [],
  })
  return {
    secure,
    sessions,
    walls: createWalls({
      storage,
      tokens,
      secure,
      addresses,
      now,
      randomId,
      log,
      trustProxy: config.ratelimit.trust_proxy,
      newcomers: createRateLimit({
        limit: newcomersPerMinute,
        policy: 'wall',
        who: 'your address',
        setting: null,
        counters,
      }),
    }),
    saying: createFlash({ tokens, secure, addresses, randomId }),
    newcomers: createNewcomers({ storage, sessions, now, log }),
  }
}

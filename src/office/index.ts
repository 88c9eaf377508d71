import type { Context } from 'koa'
import {
  currencyDigits,
  type DigitsOf,
  type ManagedIn,
  type Plan,
  type Subscription,
  type WriteMoney,
} from '../core/dto/index.ts'
import type { FormRoutes, FormTools } from '../core/http/form-router.ts'
import type { Outbox } from '../core/jobs/outbox.ts'
import type { Log } from '../core/log.ts'
import type { Render } from '../core/pages/index.ts'
import { createDocuments, type Storage } from '../core/storage/index.ts'
import type { PageWords } from '../core/words/index.ts'
import type { ExportOf } from '../memberships/account/index.ts'
import type { AuditLog } from '../memberships/audit-log/index.ts'
import type { Catalogue } from '../memberships/catalogue/index.ts'
import type { GiftsService } from '../memberships/gifts/index.ts'
import type { GroupsService } from '../memberships/groups/index.ts'
import { createLeftovers } from '../memberships/import/index.ts'
import type { Ledger } from '../memberships/ledger/index.ts'
import type { SentMails } from '../memberships/mails/index.ts'
import type { Sessions, Users } from '../memberships/members/index.ts'
import type { Health, Troubles } from '../memberships/monitoring/index.ts'
import type { Raises } from '../memberships/raises/index.ts'
import type { Deadlines, Declarations, UnusedMoney } from '../memberships/shop/index.ts'
import type { Changes } from '../memberships/subscriptions/index.ts'
import type { Assigning } from '../memberships/sync/index.ts'
import type { Inbox } from '../memberships/webhooks/index.ts'
import type { CheckLine } from './checklist.ts'
import { createDoing } from './confirming.ts'
import { deadlineRoutes } from './deadline-routes.ts'
import { deliveriesRoutes } from './deliveries-routes.ts'
import type { Pulling } from './delivery-pulling.ts'
import { createKeptFigures, type KeptFigures } from './kept-figures.ts'
import { leftoverRoutes } from './leftover-routes.ts'
import { createLeftOver } from './leftovers.ts'
import { logRoutes } from './log-routes.ts'
import { toIsoUnits } from './measures.ts'
import { memberActions } from './member-actions.ts'
import { createMemberPage } from './member-page.ts'
import { createMembersList } from './members-list.ts'
import { membersRoutes } from './members-routes.ts'
import { moneyRoutes } from './money-routes.ts'
import { createNeeds } from './needs.ts'
import { offerRoutes } from './offer-routes.ts'
import { createOfficeAccess, type Vouched } from './office-access.ts'
import { operatorRoutes } from './operator-routes.ts'
import { operatorStatements } from './operator-statements.ts'
import { createOperators, type Operators } from './operators.ts'
import type { OfficePage } from './own-pages.ts'
import { createPages } from './pages.ts'
import type { ActionServices } from './planned-action.ts'
import { createRejectedRefunds } from './rejected-refunds.ts'
import { createOfficeRoutes, office } from './routes.ts'
import { createSealing, createSecondFactor } from './second-factor.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { type WebsiteIndex, websiteIndexRoutes } from './website-index-routes.ts'
import { loadWords } from './words.ts'

export type { Insider, Vouched } from './office-access.ts'
export type { OfficePage } from './own-pages.ts'

/** Options of the office that only a site's code can give. */
export interface OfficeOptions {
  /** Asks the site's own login whom to let in, instead of our login and its second factor; null lets nobody in. */
  readonly who?: (ctx: Context) => Promise<Vouched | null> | Vouched | null
  /** The site's own pages. */
  readonly pages?: readonly OfficePage[]
}

/** What the office uses of the site's environment. */
export interface OfficeEnvironment {
  readonly storage: Storage
  readonly config: { readonly language: string }
  readonly secrets: () => readonly string[]
  /** The site's folder, whose texts override the package's; false for none. */
  readonly root: string | false
  /** True while a developer runs the site: the office then shows the parts of the design on one page. */
  readonly isDevelopment: boolean
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** What the office's pages are made with. */
export interface OfficePageTools {
  readonly render: Render
  readonly formToken: (ctx: Context) => string
  readonly siteName: string
  readonly money: WriteMoney
  /** The texts of the site's own pages, also used here. */
  readonly words: Pick<PageWords, 'voiceFor'>
}

/** What the office knows of the configured providers. */
export interface OfficeProviders {
  readonly keys: readonly string[]
  readonly managedIn: (subscription: Subscription) => ManagedIn | null
  /** The providers of app stores, with the meaning of their amounts. */
  readonly storeAmounts: readonly { readonly provider: string; readonly amounts: 'gross' | 'net' }[]
  readonly digitsOf: DigitsOf
}

/** The services that the office shows and calls, by module. It stores no data of its own about members. */
export interface OfficeDeps {
  readonly environment: OfficeEnvironment
  readonly options: OfficeOptions
  readonly form: FormTools
  readonly page: OfficePageTools
  readonly providers: OfficeProviders
  readonly ledger: Pick<Ledger, 'shopOf'>
  readonly catalogue: Pick<Catalogue, 'all' | 'differences'>
  readonly auditLog: AuditLog
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  readonly members: { readonly users: Users; readonly sessions: Pick<Sessions, 'idOf' | 'byId'> }
  readonly changes: Pick<Changes, 'listByHand'>
  readonly exportOf: ExportOf
  /** What an operator does for a member. */
  readonly actions: Omit<ActionServices, 'users' | 'plans' | 'digits' | 'now' | 'operators'>
  readonly mails: {
    readonly sent: Pick<SentMails, 'of'>
    /** Sends a login link by mail that works once and leads to a path of this site. */
    readonly sendLink: (email: string, path: string) => Promise<void>
  }
  readonly gifts: Pick<GiftsService, 'find' | 'sendAgain' | 'withdraw' | 'release' | 'giveAgain'>
  readonly raises: Pick<Raises, 'list' | 'show' | 'members' | 'stop' | 'resume' | 'undo'>
  readonly groups: Pick<GroupsService, 'show' | 'invite' | 'settleLost'>
  readonly shop: {
    readonly deadlines: Pick<Deadlines, 'list'>
    readonly unusedMoney: Pick<UnusedMoney, 'settle'>
    readonly declarations: Pick<Declarations, 'find' | 'settle'>
  }
  readonly webhooks: {
    readonly inbox: Pick<Inbox, 'get' | 'replay' | 'release' | 'changesOf'>
    readonly pulling: Pulling
  }
  readonly unassigned: Pick<Assigning, 'list'>
  readonly monitoring: {
    readonly troubles: Pick<Troubles, 'list'>
    readonly health: () => Promise<Health>
    /** Runs the doctor's checks. */
    readonly check: () => Promise<readonly CheckLine[]>
  }
  /** The website index, or null. */
  readonly index: WebsiteIndex | null
}

/** Builds the routes of the operators' office. */
export function createOffice(deps: OfficeDeps): FormRoutes {
  const { environment, form, page, providers, catalogue, auditLog, outbox, shop, unassigned } = deps
  const { index, changes, webhooks, monitoring, mails } = deps
  const { storage, now, randomId, log } = environment
  const { users } = deps.members
  const { deadlines } = shop
  const plans = () => catalogue.all()
  const inIso = toIsoUnits(providers.digitsOf)

  const { officeAccess, pages, factor, ownPages } = openEntrance(deps, plans)
  const { shopOf } = deps.ledger
  const kept = createDocuments(storage, 'office')
  const figures = createKeptFigures({ storage, plans, inIso, now, log, shopOf, kept })
  const doing = createDoing(auditLog)
  const operators = createOperators({ storage, now })
  const leftovers = createLeftovers(storage)
  const leftOver = createLeftOver({ storage, leftovers, now })
  const rejected = createRejectedRefunds({ storage, now })
  const routes = createOfficeRoutes({ ...form, officeAccess, pages })
  const acting = { pages, doing, randomId }

  secondFactorRoutes(routes, { officeAccess, pages, factor, limit: form.limit })
  moneyRoutes(routes, {
    pages,
    storage,
    figures,
    plans,
    inIso,
    now,
    storeAmounts: providers.storeAmounts,
    shopOf,
    differences: () => providers.keys.flatMap((key) => [...catalogue.differences(key)]),
    needs: createNeeds({
      storage,
      troubles: monitoring.troubles,
      unassigned,
      deadlines,
      leftOver,
      rejected,
      now,
      office,
      changes,
      shopOf,
    }),
  })
  membersRoutes(routes, {
    ...acting,
    auditLog,
    plans,
    now,
    money: page.money,
    pageWords: page.words,
    exportOf: deps.exportOf,
    ...openMembers(deps, { plans, figures, operators }),
  })
  deliveriesRoutes(routes, {
    ...acting,
    ...webhooks,
    storage,
    outbox,
    unassigned,
    providerKeys: providers.keys,
    now,
  })
  deadlineRoutes(routes, { ...acting, ...shop, rejected, now })
  const { gifts, groups, raises } = deps
  offerRoutes(routes, { ...acting, storage, gifts, groups, raises, plans })
  leftoverRoutes(routes, { ...acting, storage, leftovers, leftOver })
  if (index !== null) websiteIndexRoutes(routes, { ...acting, index, now })
  operatorRoutes(routes, { ...acting, operators, users, sendLink: mails.sendLink })
  logRoutes(routes, { ...monitoring, pages, auditLog, ownPages, storage, plans })
  if (environment.isDevelopment)
    routes.page('/kitchen', async ({ ctx, who }) => pages.show(ctx, who, 'kitchen', designRoles))
  return routes.router.routes()
}

/** Builds the list of members, the page of a member, and what an operator does there. */
function openMembers(
  { environment, members: { users }, auditLog, mails, providers, actions }: OfficeDeps,
  { plans, figures, operators }: { plans: () => readonly Plan[]; figures: KeptFigures; operators: Operators },
) {
  const { storage, now } = environment
  const digits = (provider: string, currency: string) =>
    providers.digitsOf(provider, currency) ?? currencyDigits(currency)
  return {
    list: createMembersList({ storage, figures, now }),
    member: createMemberPage({
      storage,
      users,
      auditLog,
      mails: mails.sent,
      plans,
      office,
      now,
      managedIn: providers.managedIn,
    }),
    actions: memberActions({ ...actions, users, plans, digits, now, operators }),
  }
}

/** Builds what lets people in, their second factor, and what shows them pages. */
function openEntrance(
  { environment, options, page, members, index }: OfficeDeps,
  plans: () => readonly Plan[],
) {
  const { storage, config, root, secrets, now } = environment
  const ownPages = options.pages ?? []
  const statements = operatorStatements(storage)
  const officeAccess = createOfficeAccess({
    storage,
    statements,
    sessions: members.sessions,
    now,
    findMember: members.users.findById,
    vouch: options.who,
  })
  const words = loadWords(root, config.language)
  const pages = createPages({ ...page, ownPages, words, hasIndex: index !== null, plans, now })
  const sealing = createSealing(secrets)
  const factor = createSecondFactor({ storage, statements, sealing, siteName: page.siteName, now })
  return { officeAccess, pages, factor, ownPages }
}

/** The roles of templates/DESIGN.md that the page of the design shows. */
const designRoles = {
  colours: [
    'paper',
    'raised',
    'water',
    'sand',
    'ink',
    'muted',
    'rule',
    'edge',
    'accent',
    'accent-strong',
    'good',
    'bad',
  ],
  types: ['display', 'title', 'large', 'body', 'small'],
}

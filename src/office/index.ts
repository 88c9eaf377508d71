import type { Context } from 'koa'
import {
  currencyDigits,
  type DigitsOf,
  type ManagedIn,
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
import { createKeptFigures } from './kept-figures.ts'
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
import { createOperators } from './operators.ts'
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

/** The services that the office shows and calls. It stores no data of its own about members. */
export interface OfficeDeps extends FormTools {
  readonly options: OfficeOptions
  readonly storage: Storage
  readonly sessions: Pick<Sessions, 'idOf' | 'byId'>
  readonly users: Users
  readonly auditLog: AuditLog
  readonly services: Omit<ActionServices, 'users' | 'plans' | 'digits' | 'now' | 'operators'>
  readonly catalogue: Pick<Catalogue, 'all' | 'differences'>
  readonly inbox: Pick<Inbox, 'get' | 'replay' | 'release' | 'changesOf'>
  readonly pulling: Pulling
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  readonly unassigned: Pick<Assigning, 'list'>
  readonly deadlines: Pick<Deadlines, 'list'>
  readonly unusedMoney: Pick<UnusedMoney, 'settle'>
  readonly declarations: Pick<Declarations, 'find' | 'settle'>
  readonly troubles: Pick<Troubles, 'list'>
  readonly health: () => Promise<Health>
  readonly exportOf: ExportOf
  readonly gifts: Pick<GiftsService, 'find' | 'sendAgain' | 'withdraw' | 'release' | 'giveAgain'>
  readonly raises: Pick<Raises, 'list' | 'show' | 'members' | 'stop' | 'resume' | 'undo'>
  readonly groups: Pick<GroupsService, 'show' | 'invite' | 'settleLost'>
  readonly mails: Pick<SentMails, 'of'>
  readonly check: () => Promise<readonly CheckLine[]>
  readonly changes: Pick<Changes, 'listByHand'>
  readonly ledger: Pick<Ledger, 'shopOf'>
  readonly providerKeys: readonly string[]
  /** True while a developer runs the site: the office then shows the parts of the design on one page. */
  readonly isDevelopment: boolean
  readonly managedIn: (subscription: Subscription) => ManagedIn | null
  /** The providers of app stores, with the meaning of their amounts. */
  readonly storeAmounts: readonly { readonly provider: string; readonly amounts: 'gross' | 'net' }[]
  readonly digitsOf: DigitsOf
  readonly money: WriteMoney
  readonly render: Render
  readonly formToken: (ctx: Context) => string
  readonly siteName: string
  /** Sends a login link by mail that works once and leads to a path of this site. */
  readonly sendLink: (email: string, path: string) => Promise<void>
  /** The texts of the site's own pages, also used here. */
  readonly pageWords: Pick<PageWords, 'voiceFor'>
  /** The site's folder, whose texts override the package's; false for none. */
  readonly root: string | false
  readonly defaultLanguage: string
  /** The website index, or null. */
  readonly index: WebsiteIndex | null
  readonly secrets: () => readonly string[]
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** Builds the routes of the operators' office. */
export const createOffice = (deps: OfficeDeps): FormRoutes => {
  const { options, storage, sessions, users, auditLog, catalogue, now, log, money } = deps
  const ownPages = options.pages ?? []
  const statements = operatorStatements(storage)
  const plans = () => catalogue.all()
  const digits = (provider: string, currency: string) =>
    deps.digitsOf(provider, currency) ?? currencyDigits(currency)
  const inIso = toIsoUnits(deps.digitsOf)

  const officeAccess = createOfficeAccess({
    storage,
    statements,
    sessions,
    now,
    findMember: users.findById,
    vouch: options.who,
  })
  const words = loadWords(deps.root, deps.defaultLanguage)
  const pages = createPages({ ...deps, ownPages, words, hasIndex: deps.index !== null, plans })
  const sealing = createSealing(deps.secrets)
  const factor = createSecondFactor({ storage, statements, sealing, siteName: deps.siteName, now })
  const { shopOf } = deps.ledger
  const kept = createDocuments(storage, 'office')
  const figures = createKeptFigures({ storage, plans, inIso, now, log, shopOf, kept })
  const doing = createDoing(auditLog)
  const operators = createOperators({ storage, now })
  const leftovers = createLeftovers(storage)
  const leftOver = createLeftOver({ storage, leftovers, now })
  const rejected = createRejectedRefunds({ storage, now })
  const routes = createOfficeRoutes({ ...deps, officeAccess, pages })

  secondFactorRoutes(routes, { officeAccess, pages, factor, limit: deps.limit })
  moneyRoutes(routes, {
    pages,
    storage,
    figures,
    plans,
    inIso,
    now,
    storeAmounts: deps.storeAmounts,
    shopOf,
    differences: () => deps.providerKeys.flatMap((key) => [...deps.catalogue.differences(key)]),
    needs: createNeeds({
      storage,
      troubles: deps.troubles,
      unassigned: deps.unassigned,
      deadlines: deps.deadlines,
      leftOver,
      rejected,
      now,
      office,
      changes: deps.changes,
      shopOf,
    }),
  })
  membersRoutes(routes, {
    ...deps,
    pages,
    doing,
    plans,
    money,
    list: createMembersList({ storage, figures, now }),
    member: createMemberPage({
      storage,
      users,
      auditLog,
      mails: deps.mails,
      plans,
      office,
      now,
      managedIn: deps.managedIn,
    }),
    actions: memberActions({ ...deps.services, users, plans, digits, now, operators }),
  })
  deliveriesRoutes(routes, { ...deps, pages, doing })
  deadlineRoutes(routes, { ...deps, pages, doing, rejected })
  offerRoutes(routes, { ...deps, pages, doing, plans })
  leftoverRoutes(routes, { ...deps, pages, doing, leftovers, leftOver })
  if (deps.index !== null) websiteIndexRoutes(routes, { ...deps, pages, doing, index: deps.index })
  operatorRoutes(routes, { ...deps, pages, doing, operators })
  logRoutes(routes, { ...deps, pages, ownPages, plans })
  if (deps.isDevelopment)
    routes.page('/kitchen', async ({ ctx, who }) => pages.show(ctx, who, 'kitchen', designRoles))
  return routes.router.routes()
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

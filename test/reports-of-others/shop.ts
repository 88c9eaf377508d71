import type { ExecutionContext } from 'ava'
import {
  cancelLater,
  cancelSubscription,
  type FakeServer,
  type FakeServerOptions,
  keepSubscription,
  type Subscription,
  type World,
} from '../../src/fakes/engine/index.ts'
import type { Membership, MembershipOptions } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { chargebee } from '../providers/chargebee/selling.ts'
import { creem } from '../providers/creem/selling.ts'
import { dodo } from '../providers/dodo/selling.ts'
import { lemonsqueezy } from '../providers/lemonsqueezy/selling.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { polar } from '../providers/polar/selling.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { choose, openSellingSite, passing, purchase } from '../support/selling-site.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

const sellers = { chargebee, creem, dodo, lemonsqueezy, paddle, polar, stripe }

const inDashboard = {
  'cancel now': (world: World, each: Subscription) => void cancelSubscription(world, each),
  'cancel later': (world: World, each: Subscription) => void cancelLater(world, each),
  keep: (world: World, each: Subscription) => void keepSubscription(world, each),
} as const

/** The buyer of most reports. */
export const ann = 'ann@example.com'
/** A card whose charges are declined. */
export const declined = '4000000000000341'

/** A site that sells `pro`, `team` and `book` through one provider, on one clock with it. */
export async function openShop(
  t: ExecutionContext,
  seller: keyof typeof sellers,
  options: MembershipOptions = {},
  fakeOptions: FakeServerOptions = {},
) {
  const mailbox = createMailbox()
  const sellingCase = sellers[seller]
  const opened = await openSellingSite(t, sellingCase, { ...mailbox.options, ...options }, fakeOptions)
  return {
    ...opened,
    ...actionsOf({ ...opened, mailbox, key: seller, secret: sellingCase.webhook }),
    buy: (email = ann, what: 'pro' | 'team' | 'book' = 'pro') => purchase(opened, email, what),
    choose: (what: 'pro' | 'team' | 'book', visitor = createVisitor(opened.site), fields = {}) =>
      choose(opened, what, visitor, fields),
  }
}

interface StripeTerms {
  /** Free days of the month, and of the team. */
  readonly trial?: number
  readonly teamTrial?: number
  readonly options?: MembershipOptions
  readonly fakeOptions?: Parameters<typeof openStripeSite>[2]
}

/** The same through Stripe, where the month may begin with free days. */
export async function openStripeShop(
  t: ExecutionContext,
  { trial, teamTrial, options = {}, fakeOptions = {} }: StripeTerms = {},
) {
  const mailbox = createMailbox()
  const free = (days: number | undefined) => (days === undefined ? {} : { trial_days: days })
  const settings: MembershipOptions = {
    'membership.providers.stripe.plans': {
      pro: {
        group: 'membership',
        prices: [{ id: 'price_month', ...free(trial) }, 'price_year'],
        quantity: { max: 5 },
      },
      team: { group: 'membership', prices: [{ id: 'price_team', ...free(teamTrial) }] },
      book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
    },
    ...mailbox.options,
    ...options,
  }
  const opened = await openStripeSite(t, settings, fakeOptions)
  return {
    ...opened,
    ...actionsOf({ ...opened, mailbox, key: 'stripe', secret: stripe.webhook }),
    buy: ({ email = ann, ...fields }: { email?: string } & Parameters<typeof buy>[2] = {}) =>
      buy(opened, email, fields),
  }
}

/** A site through Stripe that also sells twelve months of `pro` as a gift. */
export async function openGiftShop(t: ExecutionContext) {
  const gift = { id: 'price_gift', amount: 9000, currency: 'EUR', gives: { plan: 'pro', months: 12 } }
  const month = { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const }
  const shop = await openStripeShop(t, {
    options: {
      'membership.providers.stripe.plans': { pro: { group: 'membership', prices: [month, gift] } },
    },
  })
  shop.fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  return shop
}

/** A site through Stripe, and a team there that Ann pays for. */
export async function openTeam(t: ExecutionContext, seats: number) {
  const price = { id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' as const }
  const shop = await openStripeShop(t, {
    options: {
      'membership.providers.stripe.plans': {
        team: { seats: 'quantity', quantity: { max: 20 }, prices: [price] },
      },
    },
  })
  const { m, mailbox } = shop
  const { id } = await shop.buy({ path: '/membership/subscribe/team', quantity: String(seats) })
  return {
    ...shop,
    id,
    invite: (email: string) => m.teams.invite({ subscriptionId: id, email }),
    /** Opens the link of the invitation, and takes the seat. Answers the status. */
    joins: async (email: string): Promise<number> => {
      await m.runDueJobs()
      const link = /\/membership\/join\/\S+/.exec(mailbox.of(email, 'group-invitation').at(-1)!.text)![0]
      if (!(await m.users.findByEmail(email))) await m.users.create({ email, verified: true })
      return (await (await shop.logIn(email)).send(link)).status
    },
  }
}

interface Opened {
  readonly m: Membership
  readonly fake: FakeServer
  readonly site: string
  readonly mailbox: ReturnType<typeof createMailbox>
  readonly key: keyof typeof sellers
  readonly secret: string
}

function actionsOf({ m, fake, site, mailbox, key, secret }: Opened) {
  const member = async (email = ann) => (await m.users.findByEmail(email))!
  /** Sends what waits, and works until nothing is queued. */
  const settle = async () => {
    for (let round = 0; round < 20; round++) {
      await fake.deliver()
      await m.runDueJobs()
      if ((await m.operator.outbox.list()).length === 0) break
      await fake.advance({ ms: 30_000 })
    }
  }
  /** Posts one message of the provider, signed, and answers the status. */
  const post = async (event: unknown): Promise<number> => {
    const { body, headers } = signed(key, event, { secret, now: fake.now() })
    const answer = await fetch(`${site}/membership/webhooks/${key}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
    })
    await answer.arrayBuffer()
    return answer.status
  }
  return {
    mailbox,
    member,
    settle,
    post,
    visitor: () => createVisitor(site),
    logIn: (email = ann) => logIn({ m, site }, mailbox, email),
    isOpen: async (gate = 'pro', email = ann) =>
      (await m.users.findByEmail(email))?.hasGate(gate as never) ?? false,
    /** Lets time pass, with its messages and jobs. */
    pass: async ({ days = 0, months = 0 }: { days?: number; months?: number }) => {
      await fake.advance({ days, months })
      await settle()
    },
    passing: () => passing(fake),
    /** Does something with each running subscription, as in the provider's dashboard or portal. */
    atProvider: (does: keyof typeof inDashboard) =>
      fake.act((world) => {
        for (const each of world.store.list('subscription'))
          if (each.status !== 'canceled') inDashboard[does](world, each)
      }),
    /** The subscriptions that the provider would charge again. */
    running: () => fake.books.list('subscription').filter(({ status }) => status !== 'canceled'),
    /** The amounts that were charged, oldest first. */
    charged: () => sellers[key].moved(fake).charged,
  }
}

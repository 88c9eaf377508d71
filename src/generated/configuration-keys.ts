// Made from the schemas of the configuration: npm run docs

import type { EnvReference, DefinitionLike } from '../core/config/index.ts'
import type { Register } from '../core/register.ts'
import type { User } from '../memberships/members/index.ts'

export type Text = string | EnvReference
export type Numeric = number | EnvReference
export type Flag = boolean | EnvReference
/** What a site adds to each checkout is asked with this. */
export interface CheckoutContext {
  readonly user: User | null
  /** The plan’s id. */
  readonly plan: string | null
  /** The price’s id. */
  readonly price: string
  readonly quantity: number
  readonly currency?: string | null
  readonly code?: string | null
  readonly intentId: string
  readonly trialDays: number | null
}
/** The providers that a site may name: those that it has declared, or else those of this package. */
export type ProviderName = Register extends { providers: infer Names extends string } ? Names : keyof PackageProviders

/** A price of a plan. */
export interface PriceKeys {
  /** The provider’s id of the price, or its look-up key. */
  id?: Text | undefined
  /** What it costs, in minor units: 900 is 9.00 EUR. */
  amount?: Numeric | undefined
  /** ISO 4217 code of the amount. */
  currency?: Text | undefined
  /** How often it is charged; leave it out for what is paid once. */
  interval?: "day" | "week" | "month" | "year" | EnvReference | undefined
  /** Number of intervals between charges; 1 unless given. */
  interval_count?: Numeric | undefined
  /** recurring or one_time; one_time when there is an amount and no interval. */
  type?: "recurring" | "one_time" | EnvReference | undefined
  /** Length of the trial. */
  trial_days?: Numeric | undefined
  /** What buyers read beside the amount. */
  label?: Text | undefined
  /** Still opens access, no longer sold. */
  retired?: Flag | undefined
  /** What is paid once opens a plan for a time: for oneself, or as a gift. */
  gives?: {
    /** The plan that it opens. */
    plan?: Text | undefined
    /** For so many months from when it is redeemed. */
    months?: Numeric | undefined
  } | undefined
  /** Top-up, for a price that is paid once: limit → the amount that one piece adds, or `{ amount, days }` where it expires. */
  adds?: Readonly<Record<string, Numeric | {
    /**  */
    amount?: Numeric | undefined
    /**  */
    days?: Numeric | undefined
  }>> | undefined
}
/** A plan: a named group of prices. */
export interface PlanKeys {
  /** What people read; made from the plan’s id unless given. */
  name?: Text | undefined
  /** A sentence below the name. */
  description?: Text | undefined
  /** Lines that a pricing page lists. */
  features?: readonly (Text)[] | undefined
  /** Language tag → what the plan is called and said to be in that language; pages and mails fall back to the words above. */
  words?: Readonly<Record<string, {
    /** The name in that language. */
    name?: Text | undefined
    /** The description in that language. */
    description?: Text | undefined
    /** The lines of a pricing page in that language. */
    features?: readonly (Text)[] | undefined
  }>> | undefined
  /** Features that it opens, such as `[archive, export]`; several plans may open the same one. */
  opens?: readonly (Text)[] | undefined
  /** Limit → the amount that the plan includes of it, such as `{ amount: 100, every: month }`. */
  limits?: Readonly<Record<string, {
    /** The amount that is included. */
    amount?: Numeric | undefined
    /** When the count begins anew: each calendar `day`, `week`, `month` or `year` (UTC), each `period` that is paid, or never (`once`). */
    every?: "day" | "week" | "month" | "year" | "period" | "once" | EnvReference | undefined
    /** The amount during a trial; the whole amount unless given. */
    trial?: Numeric | undefined
  }>> | undefined
  /** Where what it opens is found: a path of the site, or an https address; the account leads there. */
  url?: Text | undefined
  /** A member holds one plan of a group at a time. */
  group?: Text | undefined
  /** Who gets the free days of its prices: once for each person and group, always, or never. Default: `"once"`. */
  trial?: "once" | "always" | "never" | EnvReference | undefined
  /** What is supplied, where the right of withdrawal asks: a digital `service`, digital `content`, or something `other`, for which nothing is agreed to before it begins; a service where it recurs and content where it is paid once, unless given. */
  supply?: "service" | "content" | "other" | EnvReference | undefined
  /** How many of it one buyer may have; one unless given. */
  quantity?: {
    /** The least that is sold. Default: `1`. */
    min?: Numeric | undefined
    /** The most that is sold. Default: `1`. */
    max?: Numeric | undefined
  } | undefined
  /** How many people one subscription is for: `quantity` for one seat per piece paid, or a number. */
  seats?: "quantity" | Numeric | undefined
  /** Ids of prices that still open access and are no longer sold. */
  retired?: readonly (Text)[] | undefined
  /** Price ids, or prices in full; look-up keys are fine. */
  prices?: readonly (string | PriceKeys)[] | undefined
}
/** A key of a plan that is written with dots. */
export type PlanPart = PlanKeys['name' | 'features' | 'trial' | 'quantity' | 'prices' | 'limits']
/** What every provider has. */
export interface ProviderKeys {
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  field?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  webhook?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  account?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  livemode?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  checkout?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  metadata?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  change?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** Lets members pause; not given, nobody can. */
  pause?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  unknown_purchase?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  plans?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The same as `webhook`. */
  webhook_secret?: ProviderKeys['webhook']
  /** The same as `webhook`. */
  webhook_id?: ProviderKeys['webhook']
  /** The same as `webhook`. */
  webhook_auth?: ProviderKeys['webhook']
}
/** What chargebee has. */
export interface ChargebeeKeys extends ProviderKeys {
  /** API key, live_… or test_…; without it Chargebee is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** The site’s name, acme of acme.chargebee.com and acme-test of its test site; needed with `secret`. Labels like those of secret for several accounts. */
  site?: Text | Readonly<Record<string, Text>> | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What creem has. */
export interface CreemKeys extends ProviderKeys {
  /** API key, creem_… or creem_test_…; without it Creem is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time, where it has one, may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What dodo has. */
export interface DodoKeys extends ProviderKeys {
  /** API key; without it Dodo is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What lemonsqueezy has. */
export interface LemonsqueezyKeys extends ProviderKeys {
  /** API key, eyJ0eXAi…; without it Lemon Squeezy is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Id of the store that sells; needed where the account has several. */
  store?: Text | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What mollie has. */
export interface MollieKeys extends ProviderKeys {
  /** API key, live_… or test_…: Mollie’s webhooks only name objects, which are asked for. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** What the first payment of a trial takes, in minor units: it verifies a card or an account. 0 is for cards and PayPal alone. Default: `1`. */
  trial_amount?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What paddle has. */
export interface PaddleKeys extends ProviderKeys {
  /** API key, pdl_live_apikey_… or pdl_sdbx_apikey_…; without it Paddle is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Token for browsers, live_… or test_…: Paddle’s checkout opens in a page of this site. Without it, on the default payment link. */
  client_token?: Text | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What paypal has. */
export interface PaypalKeys extends ProviderKeys {
  /** Client ID of the app in PayPal’s Developer Dashboard. With `secret` PayPal can be asked, and sells. */
  client_id?: Text | undefined
  /** The secret of the same app. */
  secret?: Text | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `345600`. */
  webhook_tolerance?: Numeric | undefined
  /** The certificate that signs webhooks, as PEM, where a server cannot fetch it from PayPal. It changes whenever PayPal renews it. */
  certificate?: Text | undefined
}
/** What polar has. */
export interface PolarKeys extends ProviderKeys {
  /** Access token of the organization, polar_oat_…; without it Polar is never asked, only listened to. Labels like those of webhook for several organizations. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** What sandbox has. */
export interface SandboxKeys extends ProviderKeys {
}
/** What stripe has. */
export interface StripeKeys extends ProviderKeys {
  /** API key, sk_live_… or sk_test_…; without it Stripe is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Stripe sells in its own name (Managed Payments): new purchases only. It writes the invoice and pays the tax. Default: `false`. */
  managed_payments?: Flag | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** The providers of this package. */
export interface PackageProviders {
  chargebee?: ChargebeeKeys | null
  creem?: CreemKeys | null
  dodo?: DodoKeys | null
  lemonsqueezy?: LemonsqueezyKeys | null
  mollie?: MollieKeys | null
  paddle?: PaddleKeys | null
  paypal?: PaypalKeys | null
  polar?: PolarKeys | null
  sandbox?: SandboxKeys | null
  stripe?: StripeKeys | null
}
/** Providers of the site’s own: declared in `Register`, or given as `customProviders`, whose key is no mere text then. */
export type OwnProvider<Own extends string> =
  | (Register extends { providers: infer Names extends string } ? Exclude<Names, keyof PackageProviders> : never)
  | (string extends Own ? never : Own)
export type OwnKeys = ProviderKeys & Readonly<Record<string, unknown>>
/** The configuration as groups of keys, below `membership`. `Own`: keys of the site’s own providers. */
export interface NestedKeys<Own extends string = string> {
  /** Public address of the site, such as https://example.com; buyers return to it after paying. */
  url?: Text | null | undefined
  /** How the site calls itself on the package’s pages and in mails; else the host of membership.url. */
  name?: Text | null | undefined
  /** Signs cookies, forms and links; at least 32 random characters. A list, newest first, while it is replaced. */
  secret?: Text | readonly (Text)[] | null | undefined
  /** Where memberships are stored. */
  database?: {
    /** The database: sqlite:{file} or postgres://{user}:{password}@{host}/{name}. Default: `"sqlite:data/membership.db"`. */
    url?: Text | undefined
    /** SQLite only: full survives a power cut, normal is faster and may lose the last seconds. Default: `"full"`. */
    synchronous?: "full" | "normal" | EnvReference | undefined
    /** PostgreSQL only: connections held open at most. Default: `10`. */
    pool?: Numeric | undefined
  } | undefined
  /** Which provider sells. */
  provider?: {
    /** Provider for new checkouts: its key, or a provider of your own made with defineProvider(). */
    handler?: ProviderName | OwnProvider<Own> | DefinitionLike | EnvReference | null | undefined
    /** Providers that a checkout’s form may name instead, in its field provider: a list of keys; unless given, none. Default: `[]`. */
    choices?: readonly (ProviderName | OwnProvider<Own>)[] | undefined
  } | undefined
  /** How buyers become members. */
  members?: {
    /** Roles of members; the first is given to new ones. Default: `["member"]`. */
    roles?: Text | readonly (Text)[] | undefined
    /** Whether a purchase without an account creates one; false asks for a login before checkout. Default: `true`. */
    create?: Flag | undefined
  } | undefined
  /** Who runs the site. */
  operator?: {
    /** Who is written to when something is wrong between the site and a provider, and when it is over; unless given, nobody. */
    email?: Text | null | undefined
  } | undefined
  /** The operator’s office, /membership/office. */
  office?: {
    /** Whether this site has an office: pages for who runs it; until then its addresses are 404. Default: `false`. */
    enabled?: Flag | undefined
  } | undefined
  /** Logging in by a link in a mail. */
  login?: {
    /** How long a link works, in minutes. Default: `20`. */
    minutes?: Numeric | undefined
    /** Whether a link makes an account for an address that bought nothing. Default: `false`. */
    signup?: Flag | undefined
  } | undefined
  /** What pages and mails speak to whoever’s own language is not known or has no texts. Default: `"en"`. */
  language?: Text | undefined
  /** What members find in their account. */
  account?: {
    /** The one thing that a cancellation may offer instead: `pause`, or the id of another price; unless given, nothing. */
    offer?: Text | null | undefined
  } | undefined
  /** Features and limits by name, as people read them: the price page then lists which plan opens which. A feature that no plan opens yet may stand here, too. Default: `{}`. */
  features?: Readonly<Record<string, {
    /** What people read; made from its key unless given. */
    name?: Text | undefined
    /** Language tag → what it is called in that language. */
    words?: Readonly<Record<string, Text>> | undefined
  }>> | undefined
  /** Where the site’s pages stand that the package’s lead to: paths of the site. */
  pages?: {
    /** The site’s first page. Default: `"/"`. */
    home?: Text | undefined
    /** The site’s own account page; unless given, the package’s: /membership/account. */
    account?: Text | null | undefined
    /** The site’s own list of what is sold; unless given, the package’s: /membership/prices. */
    prices?: Text | null | undefined
  } | undefined
  /** Who sells. */
  shop?: {
    /** The seller on payment confirmations; unless given, the site’s name. */
    name?: Text | null | undefined
    /** The seller’s address, line by line. Default: `[]`. */
    address?: readonly (Text)[] | undefined
    /** Where the seller is, as ISO 3166 has it, such as DE. In the European Union and its economic area the public pages /membership/cancel and /membership/withdraw are there then, and what is bought is ordered on a page of its own. */
    country?: Text | null | undefined
    /** Whether prices hold value added tax, which pages then say beside them: `included`, `excluded`, or `none` where the seller charges none; unless given, `included` in the European Union and its economic area, and elsewhere nothing is said. */
    tax?: "included" | "excluded" | "none" | EnvReference | null | undefined
  } | undefined
  /** Mails to members. */
  mails?: {
    /** The same for mails alone; unless given, as membership.language. */
    language?: Text | null | undefined
    /** Which mails are sent beside login links; leave out what the provider sends itself. Default: `["welcome","receipt","trial-ending","renewal-ahead","payment-failed","refund","changed","granted","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","cancellation","account-deleted"]`. */
    kinds?: readonly ("welcome" | "receipt" | "trial-ending" | "renewal-ahead" | "payment-failed" | "refund" | "changed" | "granted" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "cancellation" | "account-deleted" | EnvReference)[] | undefined
    /** Days before a trial ends at which its member is told; 0 tells nobody. Default: `7`. */
    trial_days?: Numeric | undefined
    /** Days before a period of a year or more is charged at which its member is told; 0 tells nobody. Default: `30`. */
    renewal_days?: Numeric | undefined
  } | undefined
  /** How often one visitor may ask. */
  ratelimit?: {
    /** Requests per minute per IP. Default: `30`. */
    limit?: Numeric | undefined
    /** How many proxies in front of the site to trust for the visitor’s IP; 0 takes the connection’s. Default: `0`. */
    trust_proxy?: Numeric | undefined
    /** Where requests are counted: `memory` of each process, `database` (PostgreSQL) or `redis://…` for all of them together. Unless set, the database where it is PostgreSQL. While it is away each process counts by itself. */
    store?: Text | null | undefined
    /** Whether correctly signed webhooks count too; a provider’s burst would then be refused. Default: `false`. */
    webhooks?: Flag | undefined
  } | undefined
  /** When access is open. */
  gates?: {
    /** How long access stays open after a renewal’s payment first failed, while the provider still tries: days, or a time such as 12h; 0 closes at once. Default: `21`. */
    past_due?: Numeric | Text | undefined
  } | undefined
  /** What happens to received events. */
  webhooks?: {
    /** How often an event that failed is tried again before it is given up. Default: `10`. */
    retries?: Numeric | undefined
    /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
    keep_bodies_days?: Numeric | undefined
  } | undefined
  /** Asking the providers for what no message told. */
  compare?: {
    /** Whether the providers are asked by itself, within a tenth of what they take: what is new every two minutes, every started checkout, everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
    automatic?: Flag | undefined
  } | undefined
  /** The website index and its partner API. */
  reports?: {
    /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
    system?: Text | null | undefined
    /** Where partners ask for a key and site owners for removal: an address or an e-mail; every visit names it. */
    contact?: Text | null | undefined
    /** Requests per minute and key. Default: `600`. */
    limit?: Numeric | undefined
    /** Requests per minute and key that make us visit a website. Default: `30`. */
    limit_visits?: Numeric | undefined
    /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
    limit_unchanged?: Numeric | undefined
    /** How long adding and refreshing wait for the check before they answer 202. Default: `10`. */
    wait_seconds?: Numeric | undefined
    /** Whether a partner who proves a website gets it linked without the operator, once the partner who has it did not object for fourteen days. Default: `false`. */
    relink_automatically?: Flag | undefined
    /** Memory for ready answers, in megabytes. Default: `64`. */
    cache_mb?: Numeric | undefined
    /** How listed websites are looked at again, and new ones found. */
    crawl?: {
      /** Whether this process crawls in the background; false leaves it to membership crawl run. Default: `true`. */
      enabled?: Flag | undefined
      /** Websites that are visited at the same time. Default: `8`. */
      concurrency?: Numeric | undefined
      /** Between two requests to one domain or one address. Default: `2`. */
      pause_seconds?: Numeric | undefined
      /** Days until a website is looked at again. Default: `7`. */
      interval_days?: Numeric | undefined
      /** Days at most, for websites that never change. Default: `30`. */
      max_interval_days?: Numeric | undefined
      /** Addresses of websites to begin with. Default: `[]`. */
      seeds?: readonly (Text)[] | undefined
      /** Whether websites that listed ones link to are looked at, too. Default: `true`. */
      follow_links?: Flag | undefined
    } | undefined
  } | undefined
  /** The providers by key. */
  providers?: PackageProviders & { [K in OwnProvider<Own>]?: OwnKeys | null }
}
/** The same keys with their dots. */
export interface DottedKeys<Own extends string = string> {
  /** Public address of the site, such as https://example.com; buyers return to it after paying. */
  'membership.url'?: Text | null | undefined
  /** How the site calls itself on the package’s pages and in mails; else the host of membership.url. */
  'membership.name'?: Text | null | undefined
  /** Signs cookies, forms and links; at least 32 random characters. A list, newest first, while it is replaced. */
  'membership.secret'?: Text | readonly (Text)[] | null | undefined
  /** Where memberships are stored. */
  'membership.database'?: {
    /** The database: sqlite:{file} or postgres://{user}:{password}@{host}/{name}. Default: `"sqlite:data/membership.db"`. */
    url?: Text | undefined
    /** SQLite only: full survives a power cut, normal is faster and may lose the last seconds. Default: `"full"`. */
    synchronous?: "full" | "normal" | EnvReference | undefined
    /** PostgreSQL only: connections held open at most. Default: `10`. */
    pool?: Numeric | undefined
  } | undefined
  /** The database: sqlite:{file} or postgres://{user}:{password}@{host}/{name}. Default: `"sqlite:data/membership.db"`. */
  'membership.database.url'?: Text | undefined
  /** SQLite only: full survives a power cut, normal is faster and may lose the last seconds. Default: `"full"`. */
  'membership.database.synchronous'?: "full" | "normal" | EnvReference | undefined
  /** PostgreSQL only: connections held open at most. Default: `10`. */
  'membership.database.pool'?: Numeric | undefined
  /** Which provider sells. */
  'membership.provider'?: {
    /** Provider for new checkouts: its key, or a provider of your own made with defineProvider(). */
    handler?: ProviderName | OwnProvider<Own> | DefinitionLike | EnvReference | null | undefined
    /** Providers that a checkout’s form may name instead, in its field provider: a list of keys; unless given, none. Default: `[]`. */
    choices?: readonly (ProviderName | OwnProvider<Own>)[] | undefined
  } | undefined
  /** Provider for new checkouts: its key, or a provider of your own made with defineProvider(). */
  'membership.provider.handler'?: ProviderName | OwnProvider<Own> | DefinitionLike | EnvReference | null | undefined
  /** Providers that a checkout’s form may name instead, in its field provider: a list of keys; unless given, none. Default: `[]`. */
  'membership.provider.choices'?: readonly (ProviderName | OwnProvider<Own>)[] | undefined
  /** How buyers become members. */
  'membership.members'?: {
    /** Roles of members; the first is given to new ones. Default: `["member"]`. */
    roles?: Text | readonly (Text)[] | undefined
    /** Whether a purchase without an account creates one; false asks for a login before checkout. Default: `true`. */
    create?: Flag | undefined
  } | undefined
  /** Roles of members; the first is given to new ones. Default: `["member"]`. */
  'membership.members.roles'?: Text | readonly (Text)[] | undefined
  /** Whether a purchase without an account creates one; false asks for a login before checkout. Default: `true`. */
  'membership.members.create'?: Flag | undefined
  /** Who runs the site. */
  'membership.operator'?: {
    /** Who is written to when something is wrong between the site and a provider, and when it is over; unless given, nobody. */
    email?: Text | null | undefined
  } | undefined
  /** Who is written to when something is wrong between the site and a provider, and when it is over; unless given, nobody. */
  'membership.operator.email'?: Text | null | undefined
  /** The operator’s office, /membership/office. */
  'membership.office'?: {
    /** Whether this site has an office: pages for who runs it; until then its addresses are 404. Default: `false`. */
    enabled?: Flag | undefined
  } | undefined
  /** Whether this site has an office: pages for who runs it; until then its addresses are 404. Default: `false`. */
  'membership.office.enabled'?: Flag | undefined
  /** Logging in by a link in a mail. */
  'membership.login'?: {
    /** How long a link works, in minutes. Default: `20`. */
    minutes?: Numeric | undefined
    /** Whether a link makes an account for an address that bought nothing. Default: `false`. */
    signup?: Flag | undefined
  } | undefined
  /** How long a link works, in minutes. Default: `20`. */
  'membership.login.minutes'?: Numeric | undefined
  /** Whether a link makes an account for an address that bought nothing. Default: `false`. */
  'membership.login.signup'?: Flag | undefined
  /** What pages and mails speak to whoever’s own language is not known or has no texts. Default: `"en"`. */
  'membership.language'?: Text | undefined
  /** What members find in their account. */
  'membership.account'?: {
    /** The one thing that a cancellation may offer instead: `pause`, or the id of another price; unless given, nothing. */
    offer?: Text | null | undefined
  } | undefined
  /** The one thing that a cancellation may offer instead: `pause`, or the id of another price; unless given, nothing. */
  'membership.account.offer'?: Text | null | undefined
  /** Features and limits by name, as people read them: the price page then lists which plan opens which. A feature that no plan opens yet may stand here, too. Default: `{}`. */
  'membership.features'?: Readonly<Record<string, {
    /** What people read; made from its key unless given. */
    name?: Text | undefined
    /** Language tag → what it is called in that language. */
    words?: Readonly<Record<string, Text>> | undefined
  }>> | undefined
  /** Where the site’s pages stand that the package’s lead to: paths of the site. */
  'membership.pages'?: {
    /** The site’s first page. Default: `"/"`. */
    home?: Text | undefined
    /** The site’s own account page; unless given, the package’s: /membership/account. */
    account?: Text | null | undefined
    /** The site’s own list of what is sold; unless given, the package’s: /membership/prices. */
    prices?: Text | null | undefined
  } | undefined
  /** The site’s first page. Default: `"/"`. */
  'membership.pages.home'?: Text | undefined
  /** The site’s own account page; unless given, the package’s: /membership/account. */
  'membership.pages.account'?: Text | null | undefined
  /** The site’s own list of what is sold; unless given, the package’s: /membership/prices. */
  'membership.pages.prices'?: Text | null | undefined
  /** Who sells. */
  'membership.shop'?: {
    /** The seller on payment confirmations; unless given, the site’s name. */
    name?: Text | null | undefined
    /** The seller’s address, line by line. Default: `[]`. */
    address?: readonly (Text)[] | undefined
    /** Where the seller is, as ISO 3166 has it, such as DE. In the European Union and its economic area the public pages /membership/cancel and /membership/withdraw are there then, and what is bought is ordered on a page of its own. */
    country?: Text | null | undefined
    /** Whether prices hold value added tax, which pages then say beside them: `included`, `excluded`, or `none` where the seller charges none; unless given, `included` in the European Union and its economic area, and elsewhere nothing is said. */
    tax?: "included" | "excluded" | "none" | EnvReference | null | undefined
  } | undefined
  /** The seller on payment confirmations; unless given, the site’s name. */
  'membership.shop.name'?: Text | null | undefined
  /** The seller’s address, line by line. Default: `[]`. */
  'membership.shop.address'?: readonly (Text)[] | undefined
  /** Where the seller is, as ISO 3166 has it, such as DE. In the European Union and its economic area the public pages /membership/cancel and /membership/withdraw are there then, and what is bought is ordered on a page of its own. */
  'membership.shop.country'?: Text | null | undefined
  /** Whether prices hold value added tax, which pages then say beside them: `included`, `excluded`, or `none` where the seller charges none; unless given, `included` in the European Union and its economic area, and elsewhere nothing is said. */
  'membership.shop.tax'?: "included" | "excluded" | "none" | EnvReference | null | undefined
  /** Mails to members. */
  'membership.mails'?: {
    /** The same for mails alone; unless given, as membership.language. */
    language?: Text | null | undefined
    /** Which mails are sent beside login links; leave out what the provider sends itself. Default: `["welcome","receipt","trial-ending","renewal-ahead","payment-failed","refund","changed","granted","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","cancellation","account-deleted"]`. */
    kinds?: readonly ("welcome" | "receipt" | "trial-ending" | "renewal-ahead" | "payment-failed" | "refund" | "changed" | "granted" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "cancellation" | "account-deleted" | EnvReference)[] | undefined
    /** Days before a trial ends at which its member is told; 0 tells nobody. Default: `7`. */
    trial_days?: Numeric | undefined
    /** Days before a period of a year or more is charged at which its member is told; 0 tells nobody. Default: `30`. */
    renewal_days?: Numeric | undefined
  } | undefined
  /** The same for mails alone; unless given, as membership.language. */
  'membership.mails.language'?: Text | null | undefined
  /** Which mails are sent beside login links; leave out what the provider sends itself. Default: `["welcome","receipt","trial-ending","renewal-ahead","payment-failed","refund","changed","granted","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","cancellation","account-deleted"]`. */
  'membership.mails.kinds'?: readonly ("welcome" | "receipt" | "trial-ending" | "renewal-ahead" | "payment-failed" | "refund" | "changed" | "granted" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "cancellation" | "account-deleted" | EnvReference)[] | undefined
  /** Days before a trial ends at which its member is told; 0 tells nobody. Default: `7`. */
  'membership.mails.trial_days'?: Numeric | undefined
  /** Days before a period of a year or more is charged at which its member is told; 0 tells nobody. Default: `30`. */
  'membership.mails.renewal_days'?: Numeric | undefined
  /** How often one visitor may ask. */
  'membership.ratelimit'?: {
    /** Requests per minute per IP. Default: `30`. */
    limit?: Numeric | undefined
    /** How many proxies in front of the site to trust for the visitor’s IP; 0 takes the connection’s. Default: `0`. */
    trust_proxy?: Numeric | undefined
    /** Where requests are counted: `memory` of each process, `database` (PostgreSQL) or `redis://…` for all of them together. Unless set, the database where it is PostgreSQL. While it is away each process counts by itself. */
    store?: Text | null | undefined
    /** Whether correctly signed webhooks count too; a provider’s burst would then be refused. Default: `false`. */
    webhooks?: Flag | undefined
  } | undefined
  /** Requests per minute per IP. Default: `30`. */
  'membership.ratelimit.limit'?: Numeric | undefined
  /** How many proxies in front of the site to trust for the visitor’s IP; 0 takes the connection’s. Default: `0`. */
  'membership.ratelimit.trust_proxy'?: Numeric | undefined
  /** Where requests are counted: `memory` of each process, `database` (PostgreSQL) or `redis://…` for all of them together. Unless set, the database where it is PostgreSQL. While it is away each process counts by itself. */
  'membership.ratelimit.store'?: Text | null | undefined
  /** Whether correctly signed webhooks count too; a provider’s burst would then be refused. Default: `false`. */
  'membership.ratelimit.webhooks'?: Flag | undefined
  /** When access is open. */
  'membership.gates'?: {
    /** How long access stays open after a renewal’s payment first failed, while the provider still tries: days, or a time such as 12h; 0 closes at once. Default: `21`. */
    past_due?: Numeric | Text | undefined
  } | undefined
  /** How long access stays open after a renewal’s payment first failed, while the provider still tries: days, or a time such as 12h; 0 closes at once. Default: `21`. */
  'membership.gates.past_due'?: Numeric | Text | undefined
  /** What happens to received events. */
  'membership.webhooks'?: {
    /** How often an event that failed is tried again before it is given up. Default: `10`. */
    retries?: Numeric | undefined
    /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
    keep_bodies_days?: Numeric | undefined
  } | undefined
  /** How often an event that failed is tried again before it is given up. Default: `10`. */
  'membership.webhooks.retries'?: Numeric | undefined
  /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
  'membership.webhooks.keep_bodies_days'?: Numeric | undefined
  /** Asking the providers for what no message told. */
  'membership.compare'?: {
    /** Whether the providers are asked by itself, within a tenth of what they take: what is new every two minutes, every started checkout, everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
    automatic?: Flag | undefined
  } | undefined
  /** Whether the providers are asked by itself, within a tenth of what they take: what is new every two minutes, every started checkout, everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
  'membership.compare.automatic'?: Flag | undefined
  /** The website index and its partner API. */
  'membership.reports'?: {
    /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
    system?: Text | null | undefined
    /** Where partners ask for a key and site owners for removal: an address or an e-mail; every visit names it. */
    contact?: Text | null | undefined
    /** Requests per minute and key. Default: `600`. */
    limit?: Numeric | undefined
    /** Requests per minute and key that make us visit a website. Default: `30`. */
    limit_visits?: Numeric | undefined
    /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
    limit_unchanged?: Numeric | undefined
    /** How long adding and refreshing wait for the check before they answer 202. Default: `10`. */
    wait_seconds?: Numeric | undefined
    /** Whether a partner who proves a website gets it linked without the operator, once the partner who has it did not object for fourteen days. Default: `false`. */
    relink_automatically?: Flag | undefined
    /** Memory for ready answers, in megabytes. Default: `64`. */
    cache_mb?: Numeric | undefined
    /** How listed websites are looked at again, and new ones found. */
    crawl?: {
      /** Whether this process crawls in the background; false leaves it to membership crawl run. Default: `true`. */
      enabled?: Flag | undefined
      /** Websites that are visited at the same time. Default: `8`. */
      concurrency?: Numeric | undefined
      /** Between two requests to one domain or one address. Default: `2`. */
      pause_seconds?: Numeric | undefined
      /** Days until a website is looked at again. Default: `7`. */
      interval_days?: Numeric | undefined
      /** Days at most, for websites that never change. Default: `30`. */
      max_interval_days?: Numeric | undefined
      /** Addresses of websites to begin with. Default: `[]`. */
      seeds?: readonly (Text)[] | undefined
      /** Whether websites that listed ones link to are looked at, too. Default: `true`. */
      follow_links?: Flag | undefined
    } | undefined
  } | undefined
  /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
  'membership.reports.system'?: Text | null | undefined
  /** Where partners ask for a key and site owners for removal: an address or an e-mail; every visit names it. */
  'membership.reports.contact'?: Text | null | undefined
  /** Requests per minute and key. Default: `600`. */
  'membership.reports.limit'?: Numeric | undefined
  /** Requests per minute and key that make us visit a website. Default: `30`. */
  'membership.reports.limit_visits'?: Numeric | undefined
  /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
  'membership.reports.limit_unchanged'?: Numeric | undefined
  /** How long adding and refreshing wait for the check before they answer 202. Default: `10`. */
  'membership.reports.wait_seconds'?: Numeric | undefined
  /** Whether a partner who proves a website gets it linked without the operator, once the partner who has it did not object for fourteen days. Default: `false`. */
  'membership.reports.relink_automatically'?: Flag | undefined
  /** Memory for ready answers, in megabytes. Default: `64`. */
  'membership.reports.cache_mb'?: Numeric | undefined
  /** How listed websites are looked at again, and new ones found. */
  'membership.reports.crawl'?: {
    /** Whether this process crawls in the background; false leaves it to membership crawl run. Default: `true`. */
    enabled?: Flag | undefined
    /** Websites that are visited at the same time. Default: `8`. */
    concurrency?: Numeric | undefined
    /** Between two requests to one domain or one address. Default: `2`. */
    pause_seconds?: Numeric | undefined
    /** Days until a website is looked at again. Default: `7`. */
    interval_days?: Numeric | undefined
    /** Days at most, for websites that never change. Default: `30`. */
    max_interval_days?: Numeric | undefined
    /** Addresses of websites to begin with. Default: `[]`. */
    seeds?: readonly (Text)[] | undefined
    /** Whether websites that listed ones link to are looked at, too. Default: `true`. */
    follow_links?: Flag | undefined
  } | undefined
  /** Whether this process crawls in the background; false leaves it to membership crawl run. Default: `true`. */
  'membership.reports.crawl.enabled'?: Flag | undefined
  /** Websites that are visited at the same time. Default: `8`. */
  'membership.reports.crawl.concurrency'?: Numeric | undefined
  /** Between two requests to one domain or one address. Default: `2`. */
  'membership.reports.crawl.pause_seconds'?: Numeric | undefined
  /** Days until a website is looked at again. Default: `7`. */
  'membership.reports.crawl.interval_days'?: Numeric | undefined
  /** Days at most, for websites that never change. Default: `30`. */
  'membership.reports.crawl.max_interval_days'?: Numeric | undefined
  /** Addresses of websites to begin with. Default: `[]`. */
  'membership.reports.crawl.seeds'?: readonly (Text)[] | undefined
  /** Whether websites that listed ones link to are looked at, too. Default: `true`. */
  'membership.reports.crawl.follow_links'?: Flag | undefined
  'membership.providers'?: NestedKeys<Own>['providers']
  'membership.providers.chargebee'?: ChargebeeKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.chargebee.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.chargebee.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.chargebee.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.chargebee.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.chargebee.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.chargebee.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.chargebee.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.chargebee.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.chargebee.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.chargebee.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.chargebee.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.chargebee.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.chargebee.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.chargebee.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.chargebee.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.chargebee.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.chargebee.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.chargebee.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, live_… or test_…; without it Chargebee is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.chargebee.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** The site’s name, acme of acme.chargebee.com and acme-test of its test site; needed with `secret`. Labels like those of secret for several accounts. */
  'membership.providers.chargebee.site'?: Text | Readonly<Record<string, Text>> | undefined
  /** Another address of the API, for tests. */
  'membership.providers.chargebee.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.chargebee.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.creem'?: CreemKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.creem.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.creem.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.creem.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.creem.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.creem.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.creem.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.creem.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.creem.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.creem.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.creem.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.creem.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.creem.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.creem.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.creem.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.creem.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.creem.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.creem.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.creem.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, creem_… or creem_test_…; without it Creem is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.creem.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time, where it has one, may be away from the server’s. Default: `300`. */
  'membership.providers.creem.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.creem.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.creem.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.dodo'?: DodoKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.dodo.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.dodo.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.dodo.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.dodo.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.dodo.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.dodo.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.dodo.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.dodo.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.dodo.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.dodo.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.dodo.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.dodo.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.dodo.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.dodo.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.dodo.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.dodo.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.dodo.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.dodo.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key; without it Dodo is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.dodo.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.dodo.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.dodo.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.dodo.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.lemonsqueezy'?: LemonsqueezyKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.lemonsqueezy.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.lemonsqueezy.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.lemonsqueezy.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.lemonsqueezy.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.lemonsqueezy.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.lemonsqueezy.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.lemonsqueezy.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.lemonsqueezy.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.lemonsqueezy.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.lemonsqueezy.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.lemonsqueezy.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.lemonsqueezy.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.lemonsqueezy.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.lemonsqueezy.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.lemonsqueezy.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.lemonsqueezy.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.lemonsqueezy.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.lemonsqueezy.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, eyJ0eXAi…; without it Lemon Squeezy is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.lemonsqueezy.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Id of the store that sells; needed where the account has several. */
  'membership.providers.lemonsqueezy.store'?: Text | undefined
  /** Another address of the API, for tests. */
  'membership.providers.lemonsqueezy.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.lemonsqueezy.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.mollie'?: MollieKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.mollie.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.mollie.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.mollie.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.mollie.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.mollie.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.mollie.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.mollie.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.mollie.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.mollie.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.mollie.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.mollie.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.mollie.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.mollie.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.mollie.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.mollie.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.mollie.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.mollie.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.mollie.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, live_… or test_…: Mollie’s webhooks only name objects, which are asked for. Labels like those of webhook for several accounts. */
  'membership.providers.mollie.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** What the first payment of a trial takes, in minor units: it verifies a card or an account. 0 is for cards and PayPal alone. Default: `1`. */
  'membership.providers.mollie.trial_amount'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.mollie.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.mollie.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.paddle'?: PaddleKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.paddle.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paddle.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paddle.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paddle.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paddle.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.paddle.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.paddle.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.paddle.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.paddle.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.paddle.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.paddle.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.paddle.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.paddle.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.paddle.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.paddle.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.paddle.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.paddle.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.paddle.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, pdl_live_apikey_… or pdl_sdbx_apikey_…; without it Paddle is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.paddle.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Token for browsers, live_… or test_…: Paddle’s checkout opens in a page of this site. Without it, on the default payment link. */
  'membership.providers.paddle.client_token'?: Text | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.paddle.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.paddle.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.paddle.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.paypal'?: PaypalKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.paypal.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paypal.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paypal.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paypal.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.paypal.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.paypal.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.paypal.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.paypal.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.paypal.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.paypal.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.paypal.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.paypal.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.paypal.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.paypal.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.paypal.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.paypal.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.paypal.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.paypal.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** Client ID of the app in PayPal’s Developer Dashboard. With `secret` PayPal can be asked, and sells. */
  'membership.providers.paypal.client_id'?: Text | undefined
  /** The secret of the same app. */
  'membership.providers.paypal.secret'?: Text | undefined
  /** Another address of the API, for tests. */
  'membership.providers.paypal.api_base'?: Text | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `345600`. */
  'membership.providers.paypal.webhook_tolerance'?: Numeric | undefined
  /** The certificate that signs webhooks, as PEM, where a server cannot fetch it from PayPal. It changes whenever PayPal renews it. */
  'membership.providers.paypal.certificate'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.paypal.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.polar'?: PolarKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.polar.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.polar.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.polar.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.polar.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.polar.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.polar.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.polar.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.polar.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.polar.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.polar.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.polar.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.polar.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.polar.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.polar.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.polar.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.polar.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.polar.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.polar.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** Access token of the organization, polar_oat_…; without it Polar is never asked, only listened to. Labels like those of webhook for several organizations. */
  'membership.providers.polar.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.polar.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.polar.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.polar.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.sandbox'?: SandboxKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.sandbox.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.sandbox.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.sandbox.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.sandbox.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.sandbox.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.sandbox.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.sandbox.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.sandbox.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.sandbox.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.sandbox.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.sandbox.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.sandbox.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.sandbox.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.sandbox.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.sandbox.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.sandbox.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.sandbox.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.sandbox.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.sandbox.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.stripe'?: StripeKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.stripe.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.stripe.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.stripe.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.stripe.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.stripe.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.stripe.account'?: Text | null | undefined
  /** Which events count: true live ones, false test ones; unless given, the provider’s key tells. */
  'membership.providers.stripe.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.stripe.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.stripe.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** What another price or quantity costs, and when it counts. */
  'membership.providers.stripe.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.stripe.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.stripe.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** What the field proration of a form may ask for a change that takes effect now; without it forms have no say. Default: `[]`. */
  'membership.providers.stripe.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.stripe.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | undefined
    /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.stripe.pause.max_days'?: Numeric | undefined
  /** Whether access stays open while nothing is paid; closed unless set. Default: `"closed"`. */
  'membership.providers.stripe.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** one_time: a payment of which the provider does not say what it is for counts as bought once, for sites without an API key; unless given it opens nothing until that is known. */
  'membership.providers.stripe.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.stripe.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** API key, sk_live_… or sk_test_…; without it Stripe is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.stripe.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.stripe.webhook_tolerance'?: Numeric | undefined
  /** Stripe sells in its own name (Managed Payments): new purchases only. It writes the invoice and pays the tax. Default: `false`. */
  'membership.providers.stripe.managed_payments'?: Flag | undefined
  /** Another address of the API, for tests. */
  'membership.providers.stripe.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.stripe.plans.${string}`]: PlanKeys | PlanPart | null | undefined
}
/** The keys of a site’s own providers with their dots. */
export type OwnDottedKeys<Own extends string = string> = { [K in OwnProvider<Own> as `membership.providers.${K}`]?: OwnKeys | null } & {
  [K in OwnProvider<Own> as `membership.providers.${K}.${string}`]: unknown
}

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
  /** The amount in minor units: 900 is 9.00 EUR. */
  amount?: Numeric | undefined
  /** ISO 4217 code of the amount. */
  currency?: Text | undefined
  /** The billing interval. Leave it out for a one-time price. */
  interval?: "day" | "week" | "month" | "year" | EnvReference | undefined
  /** Number of intervals between charges; 1 unless given. */
  interval_count?: Numeric | undefined
  /** recurring or one_time; one_time when there is an amount and no interval. */
  type?: "recurring" | "one_time" | EnvReference | undefined
  /** Length of the trial. */
  trial_days?: Numeric | Text | undefined
  /** The text beside the amount. */
  label?: Text | undefined
  /** Still opens access, no longer sold. */
  retired?: Flag | undefined
  /** The amount before a sale, or the price that the sale replaces. Pages name the lowest amount of the 30 days before the sale. */
  was?: Numeric | Text | undefined
  /** When the sale ends, such as 2027-01-31T23:00:00Z. Then the price is no longer sold. */
  until?: Text | undefined
  /** The buyer chooses the amount: `{ min: 300, suggested: [500, 1000], max: 50000 }` in minor units, beside `currency`. It stands in place of `amount`. */
  choose?: {
    /** The smallest amount, in minor units. */
    min?: Numeric | undefined
    /** Amounts that the form offers, in minor units. Default: `[]`. */
    suggested?: readonly (Numeric)[] | undefined
    /** The largest amount, in minor units. */
    max?: Numeric | undefined
  } | undefined
  /** A one-time price that opens a plan for a limited time, for the buyer or as a gift. */
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
    days?: Numeric | Text | undefined
  }>> | undefined
}
/** A plan: a named group of prices. */
export interface PlanKeys {
  /** The name on pages. Default: made from the plan’s id. */
  name?: Text | undefined
  /** A sentence below the name. */
  description?: Text | undefined
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
    /** For a plan with seats: all seats of a subscription take from one amount. Otherwise each person has the whole amount. */
    shared?: Flag | undefined
  }>> | undefined
  /** A path of the site, or an https address, where members find what the plan opens. The account links to it. */
  url?: Text | undefined
  /** Trials of its prices: `once` for each person and group, `always`, or `never`. Default: `"once"`. */
  trial?: "once" | "always" | "never" | EnvReference | undefined
  /** The kind of supply, for the right of withdrawal: a digital `service`, digital `content`, or `other`, which asks for no consent. Default: `service` for subscriptions, `content` for one-time purchases. */
  supply?: "service" | "content" | "other" | EnvReference | undefined
  /** The quantity that one buyer may have. Default: one. */
  quantity?: {
    /** The least that is sold. Default: `1`. */
    min?: Numeric | undefined
    /** The most that is sold. Default: `1`. */
    max?: Numeric | undefined
  } | undefined
  /** The number of people that one subscription covers: `quantity` for one seat per unit paid, or a number. */
  seats?: "quantity" | Numeric | undefined
  /** Marks the plan as the recommended one on the price page. */
  recommended?: Flag | undefined
  /** A member holds one plan of a plan group at a time. The former name of `plan_group` of membership.plans. */
  group?: Text | undefined
  /** Lines that a pricing page lists. The former name of `lines` of membership.plans. */
  features?: readonly (Text)[] | undefined
  /** Language tag → what the plan is called and said to be in that language; pages and mails fall back to the words above. */
  words?: Readonly<Record<string, {
    /** The name in that language. */
    name?: Text | undefined
    /** The description in that language. */
    description?: Text | undefined
    /** The lines of a pricing page in that language. The former name of `lines` of membership.plans. */
    features?: readonly (Text)[] | undefined
  }>> | undefined
  /** Ids of prices that still open access and are no longer sold. */
  retired?: readonly (Text)[] | undefined
  /** Price ids, or prices in full; look-up keys are fine. */
  prices?: readonly (Text | PriceKeys)[] | undefined
}
/** A price of a plan of the site: its id, or its ids by provider. */
export interface SitePriceKeys extends Omit<PriceKeys, 'id'> {
  /** The provider’s id of the price, or its look-up key; ids by provider for one price at several. */
  id?: Text | Readonly<Record<string, Text>> | undefined
}
/** A plan of the site, with the prices of every provider. */
export interface SitePlanKeys {
  /** The name on pages. Default: made from the plan’s id. */
  name?: Text | undefined
  /** A sentence below the name. */
  description?: Text | undefined
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
    /** For a plan with seats: all seats of a subscription take from one amount. Otherwise each person has the whole amount. */
    shared?: Flag | undefined
  }>> | undefined
  /** A path of the site, or an https address, where members find what the plan opens. The account links to it. */
  url?: Text | undefined
  /** Trials of its prices: `once` for each person and group, `always`, or `never`. Default: `"once"`. */
  trial?: "once" | "always" | "never" | EnvReference | undefined
  /** The kind of supply, for the right of withdrawal: a digital `service`, digital `content`, or `other`, which asks for no consent. Default: `service` for subscriptions, `content` for one-time purchases. */
  supply?: "service" | "content" | "other" | EnvReference | undefined
  /** The quantity that one buyer may have. Default: one. */
  quantity?: {
    /** The least that is sold. Default: `1`. */
    min?: Numeric | undefined
    /** The most that is sold. Default: `1`. */
    max?: Numeric | undefined
  } | undefined
  /** The number of people that one subscription covers: `quantity` for one seat per unit paid, or a number. */
  seats?: "quantity" | Numeric | undefined
  /** Marks the plan as the recommended one on the price page. */
  recommended?: Flag | undefined
  /** A member holds one plan of a plan group at a time. */
  plan_group?: Text | undefined
  /** @deprecated The former name of `plan_group`. It works through 2.x, and is logged. */
  group?: Text | undefined
  /** Lines that a pricing page lists. */
  lines?: readonly (Text)[] | undefined
  /** Language tag → what the plan is called and said to be in that language; pages and mails fall back to the words above. */
  words?: Readonly<Record<string, {
    /** The name in that language. */
    name?: Text | undefined
    /** The description in that language. */
    description?: Text | undefined
    /** The lines of a pricing page in that language. */
    lines?: readonly (Text)[] | undefined
  }>> | undefined
  /** Ids of prices that still open access and are no longer sold. A list, or lists by provider. */
  retired?: readonly (Text)[] | Readonly<Record<string, readonly (Text)[]>> | undefined
  /** Price ids, or prices in full; look-up keys are fine. A list, or lists by provider. */
  prices?: readonly (Text | SitePriceKeys)[] | Readonly<Record<string, readonly (Text | PriceKeys)[]>> | undefined
}
/** A key of a plan that is written with dots. */
export type SitePlanPart = SitePlanKeys[keyof SitePlanKeys]
export type PlanPart = PlanKeys['name' | 'features' | 'trial' | 'quantity' | 'prices' | 'limits']
/** Keys of every provider. */
export interface ProviderKeys {
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  field?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  webhook?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  account?: Text | null | undefined
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  livemode?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  checkout?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  metadata?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  change?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** Lets members pause; not given, nobody can. */
  pause?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  discount?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  unknown_purchase?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  plans?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  accepts?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  prices?: readonly (Text)[] | undefined
  /** The same as `webhook`. */
  webhook_secret?: ProviderKeys['webhook']
  /** The same as `webhook`. */
  webhook_id?: ProviderKeys['webhook']
  /** The same as `webhook`. */
  webhook_auth?: ProviderKeys['webhook']
}
/** Keys of apple. */
export interface AppleKeys extends ProviderKeys {
  /** In-app purchase key of App Store Connect: the text of its .p8 file. Without it the App Store is never asked, only listened to. Labels like those of webhook for several apps. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** The id of that key, ten letters and digits. */
  key_id?: Text | undefined
  /** The issuer id, which stands above the keys. */
  issuer_id?: Text | undefined
  /** The Apple ID of the app, a number; production needs it. Labels like those of webhook for several apps. */
  app_id?: Numeric | Readonly<Record<string, Numeric>> | undefined
  /** Another root certificate as PEM, for tests. */
  root_certificate?: Text | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of chargebee. */
export interface ChargebeeKeys extends ProviderKeys {
  /** API key, live_… or test_…; without it Chargebee is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** The site’s name, acme of acme.chargebee.com and acme-test of its test site; needed with `secret`. Labels like those of secret for several accounts. */
  site?: Text | Readonly<Record<string, Text>> | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of creem. */
export interface CreemKeys extends ProviderKeys {
  /** API key, creem_… or creem_test_…; without it Creem is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time, where it has one, may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of dodo. */
export interface DodoKeys extends ProviderKeys {
  /** API key; without it Dodo is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of google. */
export interface GoogleKeys extends ProviderKeys {
  /** Key of a service account, the text of its JSON file. Google’s notifications only name purchases, which are asked for with it. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** The package name of the app: com.example.app. */
  package?: Text | undefined
  /** The address of the service account that the Pub/Sub subscription authenticates as. */
  push_account?: Text | undefined
  /** Another address of Google’s public keys, for tests. Default: `"https://www.googleapis.com/oauth2/v3/certs"`. */
  push_keys?: Text | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of lemonsqueezy. */
export interface LemonsqueezyKeys extends ProviderKeys {
  /** API key, eyJ0eXAi…; without it Lemon Squeezy is never asked, only listened to. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Id of the store that sells; needed where the account has several. */
  store?: Text | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of mollie. */
export interface MollieKeys extends ProviderKeys {
  /** API key, live_… or test_…: Mollie’s webhooks only name objects, which are asked for. Labels like those of webhook for several accounts. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** The amount of the first payment of a trial, in minor units. It verifies a card or an account. 0 works for cards and PayPal only. Default: `1`. */
  trial_amount?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of paddle. */
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
/** Keys of paypal. */
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
/** Keys of polar. */
export interface PolarKeys extends ProviderKeys {
  /** Access token of the organization, polar_oat_…; without it Polar is never asked, only listened to. Labels like those of webhook for several organizations. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of revenuecat. */
export interface RevenuecatKeys extends ProviderKeys {
  /** Secret API key of version 2, sk_…; without it RevenueCat’s events open nothing. Labels like those of webhook for several projects. */
  secret?: Text | Readonly<Record<string, Text>> | undefined
  /** Id of the project, proj…; with several keys, one for each label. */
  project?: Text | Readonly<Record<string, Text>> | undefined
  /** App stores whose purchases are read. Leave out a store that another provider here reads. Default: `["app_store","mac_app_store","play_store","amazon","roku","galaxy"]`. */
  stores?: readonly ("app_store" | "mac_app_store" | "play_store" | "amazon" | "roku" | "galaxy" | EnvReference)[] | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  webhook_tolerance?: Numeric | undefined
  /** Another address of the API, for tests. */
  api_base?: Text | undefined
}
/** Keys of sandbox. */
export interface SandboxKeys extends ProviderKeys {
  /** Promotion codes: code → the percentage that it takes off the first payment. Default: `{}`. */
  codes?: Readonly<Record<string, Numeric>> | undefined
}
/** Keys of stripe. */
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
  apple?: AppleKeys | null
  chargebee?: ChargebeeKeys | null
  creem?: CreemKeys | null
  dodo?: DodoKeys | null
  google?: GoogleKeys | null
  lemonsqueezy?: LemonsqueezyKeys | null
  mollie?: MollieKeys | null
  paddle?: PaddleKeys | null
  paypal?: PaypalKeys | null
  polar?: PolarKeys | null
  revenuecat?: RevenuecatKeys | null
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
  /** Path below which the site stands, such as /app: pages, forms, assets, cookies, links in mails and webhooks of the package have it in front. It has to be given where membership.url has a path; / keeps the addresses as they were before this key. */
  base_path?: Text | null | undefined
  /** The id of the site among others of this package on one payment account. By default it follows from membership.url, else from membership.secret. A list names earlier ones, too: its first is written. */
  site?: Text | readonly (Text)[] | null | undefined
  /** The name of the site on pages and in mails. Default: the host of membership.url. */
  name?: Text | null | undefined
  /** Logo, colours and fonts of pages, mails and the office. */
  brand?: {
    /** Path of the logo on your site, such as /logo.png. It replaces the name in headers. Many mail programs show no SVG. */
    logo?: Text | null | undefined
    /** Path of a style sheet of your own, which pages load last: web fonts, for example. */
    stylesheet?: Text | null | undefined
    /** Colours of light pages, and of mails. */
    colors?: {
      /** Buttons, links and marks. */
      accent?: Text | null | undefined
      /** Behind the page. */
      background?: Text | null | undefined
      /** Cards, fields and the sheet of a mail. */
      surface?: Text | null | undefined
      /** Text. */
      text?: Text | null | undefined
    } | undefined
    /** Colours for visitors with a dark screen. */
    dark?: {
      /** Buttons, links and marks. Default: the accent of light pages, lighter until it can be read. */
      accent?: Text | null | undefined
      /** Behind the page. */
      background?: Text | null | undefined
      /** Cards, fields and the sheet of a mail. */
      surface?: Text | null | undefined
      /** Text. */
      text?: Text | null | undefined
    } | undefined
    /** Fonts, as in CSS. */
    fonts?: {
      /** Text of pages and mails. */
      text?: Text | null | undefined
      /** Headings. */
      headings?: Text | null | undefined
      /** Buttons, labels, menus and the office. Default: the font of the text. */
      interface?: Text | null | undefined
    } | undefined
  } | undefined
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
    /** Creates an account for a purchase without one. `false` asks for a login before checkout. Default: `true`. */
    create?: Flag | undefined
  } | undefined
  /** The operator of the site. */
  operator?: {
    /** The address for alerts about problems between the site and a provider, and for their end. By default no alerts are sent. */
    email?: Text | null | undefined
  } | undefined
  /** The operator’s office, /membership/office. */
  office?: {
    /** Turns on the office, the pages for operators. Without it their addresses answer 404. Default: `false`. */
    enabled?: Flag | undefined
  } | undefined
  /** Logging in by a link in a mail. */
  login?: {
    /** The lifetime of a login link, in minutes. Default: `20`. */
    minutes?: Numeric | Text | undefined
    /** Lets a link create an account for an address that bought nothing. Default: `false`. */
    signup?: Flag | undefined
  } | undefined
  /** Passes for workers and other runtimes in front of the site. */
  pass?: {
    /** The longest lifetime of a pass, in seconds. Default: `300`. */
    seconds?: Numeric | Text | undefined
    /** The audience of passes. By default it is the address of the site. */
    audience?: Text | null | undefined
  } | undefined
  /** Private files. */
  files?: {
    /** The folder of private files. Never a folder that a web server shows. */
    folder?: Text | null | undefined
    /** The internal location at which nginx has the folder: files are handed over by X-Accel-Redirect. */
    accel?: Text | null | undefined
  } | undefined
  /** Private addresses of feeds and files. */
  feeds?: {
    /** The clients of one address in a day. More of them alert the operator. Default: `20`. */
    clients?: Numeric | undefined
    /** Ends a member’s addresses of feeds and files at “log out everywhere”. Default: `false`. */
    end_at_logout?: Flag | undefined
  } | undefined
  /** The language of pages and mails for people whose own language is unknown or has no texts. Default: `"en"`. */
  language?: Text | undefined
  /** The account page of members. */
  account?: {
    /** The one thing that a cancellation may offer instead: `pause`, `discount`, or the id of another price; unless given, nothing. */
    offer?: Text | null | undefined
  } | undefined
  /** Features and limits by name, as people read them: the price page then lists which plan opens which. A feature that no plan opens yet may stand here, too. Default: `{}`. */
  features?: Readonly<Record<string, {
    /** The name on pages. Default: made from its key. */
    name?: Text | undefined
    /** Language tag → what it is called in that language. */
    words?: Readonly<Record<string, Text>> | undefined
  }>> | undefined
  /** Paths of your own pages. The pages of the package link to them. */
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
    /** The seller on receipts; unless given, the site’s name. */
    name?: Text | null | undefined
    /** The seller’s address, line by line. Default: `[]`. */
    address?: readonly (Text)[] | undefined
    /** The address that members write to; receipts name it. Unless given, they say to answer the mail. */
    email?: Text | null | undefined
    /** The country of the seller as an ISO 3166 code, such as DE. In the European Economic Area this adds an order page and the public pages /membership/cancel and /membership/withdraw. */
    country?: Text | null | undefined
    /** A folded field for a discount code on the order page. The codes are those of the provider; not all providers have them. Default: `false`. */
    code_field?: Flag | undefined
    /** Treats members of California, and those whose place is unknown, as its law on automatic renewals asks. Default: true once a member of that state is known. */
    california?: Flag | null | undefined
    /** Value added tax in prices, shown beside them: `included`, `excluded`, or `none` if the seller charges none. Default: `included` in the European Economic Area, and no text elsewhere. */
    tax?: "included" | "excluded" | "none" | EnvReference | null | undefined
  } | undefined
  /** Mails to members. */
  mails?: {
    /** The same for mails alone; unless given, as membership.language. */
    language?: Text | null | undefined
    /** The mails to send beside login links. Leave out those that the provider sends itself. Default: `["welcome","receipt","payment-failed","access-ending","cancellation","trial-ending","renewal-ahead","yearly-reminder","card-expiring","refund","changed","granted","gift-begun","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","account-deleted"]`. */
    kinds?: readonly ("welcome" | "receipt" | "payment-failed" | "access-ending" | "cancellation" | "trial-ending" | "renewal-ahead" | "yearly-reminder" | "card-expiring" | "refund" | "changed" | "granted" | "gift-begun" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "account-deleted" | EnvReference)[] | undefined
    /** Days before the end of a trial when its member gets a mail. 0 sends none. Default: `7`. */
    trial_days?: Numeric | Text | undefined
    /** Days before a renewal of a year or more when its member gets a mail. 0 sends none. Default: `30`. */
    renewal_days?: Numeric | Text | undefined
  } | undefined
  /** The number of requests that one visitor may send. */
  ratelimit?: {
    /** Requests per minute per IP. Default: `30`. */
    limit?: Numeric | undefined
    /** The number of proxies in front of the site that are trusted for the visitor’s IP. 0 uses the connection’s address. Default: `0`. */
    trust_proxy?: Numeric | undefined
    /** The store that counts requests: `memory` for each process, `database` (PostgreSQL) or `redis://…` for all processes. Default: the database if it is PostgreSQL. While the store is down, each process counts alone. */
    store?: Text | null | undefined
    /** Also counts correctly signed webhooks. A burst from a provider would then be rejected. Default: `false`. */
    webhooks?: Flag | undefined
  } | undefined
  /** When access is open. */
  gates?: {
    /** The time that access stays open after a failed renewal, while the provider retries: days, or a time such as 12h. 0 closes at once. Default: `21`. */
    past_due?: Numeric | Text | undefined
  } | undefined
  /** Received events. */
  webhooks?: {
    /** The number of retries before a failed event is given up. Default: `10`. */
    retries?: Numeric | undefined
    /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
    keep_bodies_days?: Numeric | Text | undefined
  } | undefined
  /** Moving from version 1. */
  migration?: {
    /** Logs each place that asks a subscription for a field of version 1, in production, too. Elsewhere it is always on. Default: `false`. */
    watch?: Flag | undefined
  } | undefined
  /** Asking the providers for what no message told. */
  compare?: {
    /** Asks the providers automatically, within a tenth of their rate limits: for news every two minutes, every started checkout, and everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
    automatic?: Flag | undefined
  } | undefined
  /** Addresses that receive events as signed messages of Standard Webhooks. Default: `[]`. */
  notify?: readonly ({
    /** The receiver’s address: https, unless it is private. */
    url?: Text | undefined
    /** A secret of Standard Webhooks, or two, newest first, while it is replaced. */
    secret?: Text | readonly (Text)[] | undefined
    /** Names of events. Default: all of them. */
    events?: readonly (Text)[] | null | undefined
    /** Allows an address in your own network. Default: `false`. */
    allow_private?: Flag | undefined
  })[] | undefined
  /** The website index and its partner API. */
  reports?: {
    /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
    system?: Text | null | undefined
    /** A web or e-mail address for partners who want a key and for site owners who want a removal. Every visit of the crawler names it. */
    contact?: Text | null | undefined
    /** Requests per minute and key. Default: `600`. */
    limit?: Numeric | undefined
    /** Requests per minute and key that make us visit a website. Default: `30`. */
    limit_visits?: Numeric | undefined
    /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
    limit_unchanged?: Numeric | undefined
    /** The time that adding and refreshing wait for the check before they answer 202. Default: `10`. */
    wait_seconds?: Numeric | Text | undefined
    /** Links a website to a partner who proves it, without the operator, if its current partner does not object for fourteen days. Default: `false`. */
    relink_automatically?: Flag | undefined
    /** Memory for ready answers, in megabytes. Default: `64`. */
    cache_mb?: Numeric | undefined
    /** Revisits listed websites and finds new ones. */
    crawl?: {
      /** Crawls in the background of this process. `false` leaves it to `membership crawl run`. Default: `true`. */
      enabled?: Flag | undefined
      /** Websites that are visited at the same time. Default: `8`. */
      concurrency?: Numeric | undefined
      /** Between two requests to one domain or one address. Default: `2`. */
      pause_seconds?: Numeric | Text | undefined
      /** Days until a website is looked at again. Default: `7`. */
      interval_days?: Numeric | Text | undefined
      /** Days at most, for websites that never change. Default: `30`. */
      max_interval_days?: Numeric | Text | undefined
      /** Addresses of websites to begin with. Default: `[]`. */
      seeds?: readonly (Text)[] | undefined
      /** Also visits websites that listed ones link to. Default: `true`. */
      follow_links?: Flag | undefined
    } | undefined
  } | undefined
  /** Plans by id: named groups of prices. */
  plans?: Readonly<Record<string, SitePlanKeys | null>>
  /** The providers by key. */
  providers?: PackageProviders & { [K in OwnProvider<Own>]?: OwnKeys | null }
}
/** The same keys with their dots. */
export interface DottedKeys<Own extends string = string> {
  /** Public address of the site, such as https://example.com; buyers return to it after paying. */
  'membership.url'?: Text | null | undefined
  /** Path below which the site stands, such as /app: pages, forms, assets, cookies, links in mails and webhooks of the package have it in front. It has to be given where membership.url has a path; / keeps the addresses as they were before this key. */
  'membership.base_path'?: Text | null | undefined
  /** The id of the site among others of this package on one payment account. By default it follows from membership.url, else from membership.secret. A list names earlier ones, too: its first is written. */
  'membership.site'?: Text | readonly (Text)[] | null | undefined
  /** The name of the site on pages and in mails. Default: the host of membership.url. */
  'membership.name'?: Text | null | undefined
  /** Logo, colours and fonts of pages, mails and the office. */
  'membership.brand'?: {
    /** Path of the logo on your site, such as /logo.png. It replaces the name in headers. Many mail programs show no SVG. */
    logo?: Text | null | undefined
    /** Path of a style sheet of your own, which pages load last: web fonts, for example. */
    stylesheet?: Text | null | undefined
    /** Colours of light pages, and of mails. */
    colors?: {
      /** Buttons, links and marks. */
      accent?: Text | null | undefined
      /** Behind the page. */
      background?: Text | null | undefined
      /** Cards, fields and the sheet of a mail. */
      surface?: Text | null | undefined
      /** Text. */
      text?: Text | null | undefined
    } | undefined
    /** Colours for visitors with a dark screen. */
    dark?: {
      /** Buttons, links and marks. Default: the accent of light pages, lighter until it can be read. */
      accent?: Text | null | undefined
      /** Behind the page. */
      background?: Text | null | undefined
      /** Cards, fields and the sheet of a mail. */
      surface?: Text | null | undefined
      /** Text. */
      text?: Text | null | undefined
    } | undefined
    /** Fonts, as in CSS. */
    fonts?: {
      /** Text of pages and mails. */
      text?: Text | null | undefined
      /** Headings. */
      headings?: Text | null | undefined
      /** Buttons, labels, menus and the office. Default: the font of the text. */
      interface?: Text | null | undefined
    } | undefined
  } | undefined
  /** Path of the logo on your site, such as /logo.png. It replaces the name in headers. Many mail programs show no SVG. */
  'membership.brand.logo'?: Text | null | undefined
  /** Path of a style sheet of your own, which pages load last: web fonts, for example. */
  'membership.brand.stylesheet'?: Text | null | undefined
  /** Colours of light pages, and of mails. */
  'membership.brand.colors'?: {
    /** Buttons, links and marks. */
    accent?: Text | null | undefined
    /** Behind the page. */
    background?: Text | null | undefined
    /** Cards, fields and the sheet of a mail. */
    surface?: Text | null | undefined
    /** Text. */
    text?: Text | null | undefined
  } | undefined
  /** Buttons, links and marks. */
  'membership.brand.colors.accent'?: Text | null | undefined
  /** Behind the page. */
  'membership.brand.colors.background'?: Text | null | undefined
  /** Cards, fields and the sheet of a mail. */
  'membership.brand.colors.surface'?: Text | null | undefined
  /** Text. */
  'membership.brand.colors.text'?: Text | null | undefined
  /** Colours for visitors with a dark screen. */
  'membership.brand.dark'?: {
    /** Buttons, links and marks. Default: the accent of light pages, lighter until it can be read. */
    accent?: Text | null | undefined
    /** Behind the page. */
    background?: Text | null | undefined
    /** Cards, fields and the sheet of a mail. */
    surface?: Text | null | undefined
    /** Text. */
    text?: Text | null | undefined
  } | undefined
  /** Buttons, links and marks. Default: the accent of light pages, lighter until it can be read. */
  'membership.brand.dark.accent'?: Text | null | undefined
  /** Behind the page. */
  'membership.brand.dark.background'?: Text | null | undefined
  /** Cards, fields and the sheet of a mail. */
  'membership.brand.dark.surface'?: Text | null | undefined
  /** Text. */
  'membership.brand.dark.text'?: Text | null | undefined
  /** Fonts, as in CSS. */
  'membership.brand.fonts'?: {
    /** Text of pages and mails. */
    text?: Text | null | undefined
    /** Headings. */
    headings?: Text | null | undefined
    /** Buttons, labels, menus and the office. Default: the font of the text. */
    interface?: Text | null | undefined
  } | undefined
  /** Text of pages and mails. */
  'membership.brand.fonts.text'?: Text | null | undefined
  /** Headings. */
  'membership.brand.fonts.headings'?: Text | null | undefined
  /** Buttons, labels, menus and the office. Default: the font of the text. */
  'membership.brand.fonts.interface'?: Text | null | undefined
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
    /** Creates an account for a purchase without one. `false` asks for a login before checkout. Default: `true`. */
    create?: Flag | undefined
  } | undefined
  /** Roles of members; the first is given to new ones. Default: `["member"]`. */
  'membership.members.roles'?: Text | readonly (Text)[] | undefined
  /** Creates an account for a purchase without one. `false` asks for a login before checkout. Default: `true`. */
  'membership.members.create'?: Flag | undefined
  /** The operator of the site. */
  'membership.operator'?: {
    /** The address for alerts about problems between the site and a provider, and for their end. By default no alerts are sent. */
    email?: Text | null | undefined
  } | undefined
  /** The address for alerts about problems between the site and a provider, and for their end. By default no alerts are sent. */
  'membership.operator.email'?: Text | null | undefined
  /** The operator’s office, /membership/office. */
  'membership.office'?: {
    /** Turns on the office, the pages for operators. Without it their addresses answer 404. Default: `false`. */
    enabled?: Flag | undefined
  } | undefined
  /** Turns on the office, the pages for operators. Without it their addresses answer 404. Default: `false`. */
  'membership.office.enabled'?: Flag | undefined
  /** Logging in by a link in a mail. */
  'membership.login'?: {
    /** The lifetime of a login link, in minutes. Default: `20`. */
    minutes?: Numeric | Text | undefined
    /** Lets a link create an account for an address that bought nothing. Default: `false`. */
    signup?: Flag | undefined
  } | undefined
  /** The lifetime of a login link, in minutes. Default: `20`. */
  'membership.login.minutes'?: Numeric | Text | undefined
  /** Lets a link create an account for an address that bought nothing. Default: `false`. */
  'membership.login.signup'?: Flag | undefined
  /** Passes for workers and other runtimes in front of the site. */
  'membership.pass'?: {
    /** The longest lifetime of a pass, in seconds. Default: `300`. */
    seconds?: Numeric | Text | undefined
    /** The audience of passes. By default it is the address of the site. */
    audience?: Text | null | undefined
  } | undefined
  /** The longest lifetime of a pass, in seconds. Default: `300`. */
  'membership.pass.seconds'?: Numeric | Text | undefined
  /** The audience of passes. By default it is the address of the site. */
  'membership.pass.audience'?: Text | null | undefined
  /** Private files. */
  'membership.files'?: {
    /** The folder of private files. Never a folder that a web server shows. */
    folder?: Text | null | undefined
    /** The internal location at which nginx has the folder: files are handed over by X-Accel-Redirect. */
    accel?: Text | null | undefined
  } | undefined
  /** The folder of private files. Never a folder that a web server shows. */
  'membership.files.folder'?: Text | null | undefined
  /** The internal location at which nginx has the folder: files are handed over by X-Accel-Redirect. */
  'membership.files.accel'?: Text | null | undefined
  /** Private addresses of feeds and files. */
  'membership.feeds'?: {
    /** The clients of one address in a day. More of them alert the operator. Default: `20`. */
    clients?: Numeric | undefined
    /** Ends a member’s addresses of feeds and files at “log out everywhere”. Default: `false`. */
    end_at_logout?: Flag | undefined
  } | undefined
  /** The clients of one address in a day. More of them alert the operator. Default: `20`. */
  'membership.feeds.clients'?: Numeric | undefined
  /** Ends a member’s addresses of feeds and files at “log out everywhere”. Default: `false`. */
  'membership.feeds.end_at_logout'?: Flag | undefined
  /** The language of pages and mails for people whose own language is unknown or has no texts. Default: `"en"`. */
  'membership.language'?: Text | undefined
  /** The account page of members. */
  'membership.account'?: {
    /** The one thing that a cancellation may offer instead: `pause`, `discount`, or the id of another price; unless given, nothing. */
    offer?: Text | null | undefined
  } | undefined
  /** The one thing that a cancellation may offer instead: `pause`, `discount`, or the id of another price; unless given, nothing. */
  'membership.account.offer'?: Text | null | undefined
  /** Features and limits by name, as people read them: the price page then lists which plan opens which. A feature that no plan opens yet may stand here, too. Default: `{}`. */
  'membership.features'?: Readonly<Record<string, {
    /** The name on pages. Default: made from its key. */
    name?: Text | undefined
    /** Language tag → what it is called in that language. */
    words?: Readonly<Record<string, Text>> | undefined
  }>> | undefined
  /** Paths of your own pages. The pages of the package link to them. */
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
    /** The seller on receipts; unless given, the site’s name. */
    name?: Text | null | undefined
    /** The seller’s address, line by line. Default: `[]`. */
    address?: readonly (Text)[] | undefined
    /** The address that members write to; receipts name it. Unless given, they say to answer the mail. */
    email?: Text | null | undefined
    /** The country of the seller as an ISO 3166 code, such as DE. In the European Economic Area this adds an order page and the public pages /membership/cancel and /membership/withdraw. */
    country?: Text | null | undefined
    /** A folded field for a discount code on the order page. The codes are those of the provider; not all providers have them. Default: `false`. */
    code_field?: Flag | undefined
    /** Treats members of California, and those whose place is unknown, as its law on automatic renewals asks. Default: true once a member of that state is known. */
    california?: Flag | null | undefined
    /** Value added tax in prices, shown beside them: `included`, `excluded`, or `none` if the seller charges none. Default: `included` in the European Economic Area, and no text elsewhere. */
    tax?: "included" | "excluded" | "none" | EnvReference | null | undefined
  } | undefined
  /** The seller on receipts; unless given, the site’s name. */
  'membership.shop.name'?: Text | null | undefined
  /** The seller’s address, line by line. Default: `[]`. */
  'membership.shop.address'?: readonly (Text)[] | undefined
  /** The address that members write to; receipts name it. Unless given, they say to answer the mail. */
  'membership.shop.email'?: Text | null | undefined
  /** The country of the seller as an ISO 3166 code, such as DE. In the European Economic Area this adds an order page and the public pages /membership/cancel and /membership/withdraw. */
  'membership.shop.country'?: Text | null | undefined
  /** A folded field for a discount code on the order page. The codes are those of the provider; not all providers have them. Default: `false`. */
  'membership.shop.code_field'?: Flag | undefined
  /** Treats members of California, and those whose place is unknown, as its law on automatic renewals asks. Default: true once a member of that state is known. */
  'membership.shop.california'?: Flag | null | undefined
  /** Value added tax in prices, shown beside them: `included`, `excluded`, or `none` if the seller charges none. Default: `included` in the European Economic Area, and no text elsewhere. */
  'membership.shop.tax'?: "included" | "excluded" | "none" | EnvReference | null | undefined
  /** Mails to members. */
  'membership.mails'?: {
    /** The same for mails alone; unless given, as membership.language. */
    language?: Text | null | undefined
    /** The mails to send beside login links. Leave out those that the provider sends itself. Default: `["welcome","receipt","payment-failed","access-ending","cancellation","trial-ending","renewal-ahead","yearly-reminder","card-expiring","refund","changed","granted","gift-begun","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","account-deleted"]`. */
    kinds?: readonly ("welcome" | "receipt" | "payment-failed" | "access-ending" | "cancellation" | "trial-ending" | "renewal-ahead" | "yearly-reminder" | "card-expiring" | "refund" | "changed" | "granted" | "gift-begun" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "account-deleted" | EnvReference)[] | undefined
    /** Days before the end of a trial when its member gets a mail. 0 sends none. Default: `7`. */
    trial_days?: Numeric | Text | undefined
    /** Days before a renewal of a year or more when its member gets a mail. 0 sends none. Default: `30`. */
    renewal_days?: Numeric | Text | undefined
  } | undefined
  /** The same for mails alone; unless given, as membership.language. */
  'membership.mails.language'?: Text | null | undefined
  /** The mails to send beside login links. Leave out those that the provider sends itself. Default: `["welcome","receipt","payment-failed","access-ending","cancellation","trial-ending","renewal-ahead","yearly-reminder","card-expiring","refund","changed","granted","gift-begun","payment-pending","purchase-failed","payment-unassigned","bought-twice","trial-ended","switching","account-deleted"]`. */
  'membership.mails.kinds'?: readonly ("welcome" | "receipt" | "payment-failed" | "access-ending" | "cancellation" | "trial-ending" | "renewal-ahead" | "yearly-reminder" | "card-expiring" | "refund" | "changed" | "granted" | "gift-begun" | "payment-pending" | "purchase-failed" | "payment-unassigned" | "bought-twice" | "trial-ended" | "switching" | "account-deleted" | EnvReference)[] | undefined
  /** Days before the end of a trial when its member gets a mail. 0 sends none. Default: `7`. */
  'membership.mails.trial_days'?: Numeric | Text | undefined
  /** Days before a renewal of a year or more when its member gets a mail. 0 sends none. Default: `30`. */
  'membership.mails.renewal_days'?: Numeric | Text | undefined
  /** The number of requests that one visitor may send. */
  'membership.ratelimit'?: {
    /** Requests per minute per IP. Default: `30`. */
    limit?: Numeric | undefined
    /** The number of proxies in front of the site that are trusted for the visitor’s IP. 0 uses the connection’s address. Default: `0`. */
    trust_proxy?: Numeric | undefined
    /** The store that counts requests: `memory` for each process, `database` (PostgreSQL) or `redis://…` for all processes. Default: the database if it is PostgreSQL. While the store is down, each process counts alone. */
    store?: Text | null | undefined
    /** Also counts correctly signed webhooks. A burst from a provider would then be rejected. Default: `false`. */
    webhooks?: Flag | undefined
  } | undefined
  /** Requests per minute per IP. Default: `30`. */
  'membership.ratelimit.limit'?: Numeric | undefined
  /** The number of proxies in front of the site that are trusted for the visitor’s IP. 0 uses the connection’s address. Default: `0`. */
  'membership.ratelimit.trust_proxy'?: Numeric | undefined
  /** The store that counts requests: `memory` for each process, `database` (PostgreSQL) or `redis://…` for all processes. Default: the database if it is PostgreSQL. While the store is down, each process counts alone. */
  'membership.ratelimit.store'?: Text | null | undefined
  /** Also counts correctly signed webhooks. A burst from a provider would then be rejected. Default: `false`. */
  'membership.ratelimit.webhooks'?: Flag | undefined
  /** When access is open. */
  'membership.gates'?: {
    /** The time that access stays open after a failed renewal, while the provider retries: days, or a time such as 12h. 0 closes at once. Default: `21`. */
    past_due?: Numeric | Text | undefined
  } | undefined
  /** The time that access stays open after a failed renewal, while the provider retries: days, or a time such as 12h. 0 closes at once. Default: `21`. */
  'membership.gates.past_due'?: Numeric | Text | undefined
  /** Received events. */
  'membership.webhooks'?: {
    /** The number of retries before a failed event is given up. Default: `10`. */
    retries?: Numeric | undefined
    /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
    keep_bodies_days?: Numeric | Text | undefined
  } | undefined
  /** The number of retries before a failed event is given up. Default: `10`. */
  'membership.webhooks.retries'?: Numeric | undefined
  /** Days after which the text of a received event is deleted; its id stays. Default: `90`. */
  'membership.webhooks.keep_bodies_days'?: Numeric | Text | undefined
  /** Moving from version 1. */
  'membership.migration'?: {
    /** Logs each place that asks a subscription for a field of version 1, in production, too. Elsewhere it is always on. Default: `false`. */
    watch?: Flag | undefined
  } | undefined
  /** Logs each place that asks a subscription for a field of version 1, in production, too. Elsewhere it is always on. Default: `false`. */
  'membership.migration.watch'?: Flag | undefined
  /** Asking the providers for what no message told. */
  'membership.compare'?: {
    /** Asks the providers automatically, within a tenth of their rate limits: for news every two minutes, every started checkout, and everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
    automatic?: Flag | undefined
  } | undefined
  /** Asks the providers automatically, within a tenth of their rate limits: for news every two minutes, every started checkout, and everything once a day. A subscription whose period is over is asked for in any case. Default: `true`. */
  'membership.compare.automatic'?: Flag | undefined
  /** Addresses that receive events as signed messages of Standard Webhooks. Default: `[]`. */
  'membership.notify'?: readonly ({
    /** The receiver’s address: https, unless it is private. */
    url?: Text | undefined
    /** A secret of Standard Webhooks, or two, newest first, while it is replaced. */
    secret?: Text | readonly (Text)[] | undefined
    /** Names of events. Default: all of them. */
    events?: readonly (Text)[] | null | undefined
    /** Allows an address in your own network. Default: `false`. */
    allow_private?: Flag | undefined
  })[] | undefined
  /** The website index and its partner API. */
  'membership.reports'?: {
    /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
    system?: Text | null | undefined
    /** A web or e-mail address for partners who want a key and for site owners who want a removal. Every visit of the crawler names it. */
    contact?: Text | null | undefined
    /** Requests per minute and key. Default: `600`. */
    limit?: Numeric | undefined
    /** Requests per minute and key that make us visit a website. Default: `30`. */
    limit_visits?: Numeric | undefined
    /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
    limit_unchanged?: Numeric | undefined
    /** The time that adding and refreshing wait for the check before they answer 202. Default: `10`. */
    wait_seconds?: Numeric | Text | undefined
    /** Links a website to a partner who proves it, without the operator, if its current partner does not object for fourteen days. Default: `false`. */
    relink_automatically?: Flag | undefined
    /** Memory for ready answers, in megabytes. Default: `64`. */
    cache_mb?: Numeric | undefined
    /** Revisits listed websites and finds new ones. */
    crawl?: {
      /** Crawls in the background of this process. `false` leaves it to `membership crawl run`. Default: `true`. */
      enabled?: Flag | undefined
      /** Websites that are visited at the same time. Default: `8`. */
      concurrency?: Numeric | undefined
      /** Between two requests to one domain or one address. Default: `2`. */
      pause_seconds?: Numeric | Text | undefined
      /** Days until a website is looked at again. Default: `7`. */
      interval_days?: Numeric | Text | undefined
      /** Days at most, for websites that never change. Default: `30`. */
      max_interval_days?: Numeric | Text | undefined
      /** Addresses of websites to begin with. Default: `[]`. */
      seeds?: readonly (Text)[] | undefined
      /** Also visits websites that listed ones link to. Default: `true`. */
      follow_links?: Flag | undefined
    } | undefined
  } | undefined
  /** Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index. */
  'membership.reports.system'?: Text | null | undefined
  /** A web or e-mail address for partners who want a key and for site owners who want a removal. Every visit of the crawler names it. */
  'membership.reports.contact'?: Text | null | undefined
  /** Requests per minute and key. Default: `600`. */
  'membership.reports.limit'?: Numeric | undefined
  /** Requests per minute and key that make us visit a website. Default: `30`. */
  'membership.reports.limit_visits'?: Numeric | undefined
  /** Requests per minute and key that are answered with 304, nothing new. Default: `6000`. */
  'membership.reports.limit_unchanged'?: Numeric | undefined
  /** The time that adding and refreshing wait for the check before they answer 202. Default: `10`. */
  'membership.reports.wait_seconds'?: Numeric | Text | undefined
  /** Links a website to a partner who proves it, without the operator, if its current partner does not object for fourteen days. Default: `false`. */
  'membership.reports.relink_automatically'?: Flag | undefined
  /** Memory for ready answers, in megabytes. Default: `64`. */
  'membership.reports.cache_mb'?: Numeric | undefined
  /** Revisits listed websites and finds new ones. */
  'membership.reports.crawl'?: {
    /** Crawls in the background of this process. `false` leaves it to `membership crawl run`. Default: `true`. */
    enabled?: Flag | undefined
    /** Websites that are visited at the same time. Default: `8`. */
    concurrency?: Numeric | undefined
    /** Between two requests to one domain or one address. Default: `2`. */
    pause_seconds?: Numeric | Text | undefined
    /** Days until a website is looked at again. Default: `7`. */
    interval_days?: Numeric | Text | undefined
    /** Days at most, for websites that never change. Default: `30`. */
    max_interval_days?: Numeric | Text | undefined
    /** Addresses of websites to begin with. Default: `[]`. */
    seeds?: readonly (Text)[] | undefined
    /** Also visits websites that listed ones link to. Default: `true`. */
    follow_links?: Flag | undefined
  } | undefined
  /** Crawls in the background of this process. `false` leaves it to `membership crawl run`. Default: `true`. */
  'membership.reports.crawl.enabled'?: Flag | undefined
  /** Websites that are visited at the same time. Default: `8`. */
  'membership.reports.crawl.concurrency'?: Numeric | undefined
  /** Between two requests to one domain or one address. Default: `2`. */
  'membership.reports.crawl.pause_seconds'?: Numeric | Text | undefined
  /** Days until a website is looked at again. Default: `7`. */
  'membership.reports.crawl.interval_days'?: Numeric | Text | undefined
  /** Days at most, for websites that never change. Default: `30`. */
  'membership.reports.crawl.max_interval_days'?: Numeric | Text | undefined
  /** Addresses of websites to begin with. Default: `[]`. */
  'membership.reports.crawl.seeds'?: readonly (Text)[] | undefined
  /** Also visits websites that listed ones link to. Default: `true`. */
  'membership.reports.crawl.follow_links'?: Flag | undefined
  'membership.plans'?: NestedKeys<Own>['plans']
  /** A plan, or with one more part a key of it. */
  [plan: `membership.plans.${string}`]: SitePlanKeys | SitePlanPart | null | undefined
  'membership.providers'?: NestedKeys<Own>['providers']
  'membership.providers.apple'?: AppleKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.apple.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.apple.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.apple.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.apple.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.apple.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.apple.account'?: Text | null | undefined
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.apple.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.apple.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.apple.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.apple.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.apple.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.apple.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.apple.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.apple.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.apple.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.apple.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.apple.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.apple.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.apple.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.apple.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.apple.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.apple.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.apple.prices'?: readonly (Text)[] | undefined
  /** In-app purchase key of App Store Connect: the text of its .p8 file. Without it the App Store is never asked, only listened to. Labels like those of webhook for several apps. */
  'membership.providers.apple.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** The id of that key, ten letters and digits. */
  'membership.providers.apple.key_id'?: Text | undefined
  /** The issuer id, which stands above the keys. */
  'membership.providers.apple.issuer_id'?: Text | undefined
  /** The Apple ID of the app, a number; production needs it. Labels like those of webhook for several apps. */
  'membership.providers.apple.app_id'?: Numeric | Readonly<Record<string, Numeric>> | undefined
  /** Another root certificate as PEM, for tests. */
  'membership.providers.apple.root_certificate'?: Text | undefined
  /** Another address of the API, for tests. */
  'membership.providers.apple.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.apple.plans.${string}`]: PlanKeys | PlanPart | null | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.chargebee.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.chargebee.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.chargebee.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.chargebee.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.chargebee.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.chargebee.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.chargebee.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.chargebee.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.chargebee.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.chargebee.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.chargebee.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.chargebee.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.chargebee.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.chargebee.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.chargebee.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.chargebee.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.chargebee.prices'?: readonly (Text)[] | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.creem.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.creem.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.creem.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.creem.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.creem.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.creem.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.creem.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.creem.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.creem.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.creem.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.creem.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.creem.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.creem.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.creem.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.creem.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.creem.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.creem.prices'?: readonly (Text)[] | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.dodo.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.dodo.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.dodo.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.dodo.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.dodo.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.dodo.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.dodo.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.dodo.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.dodo.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.dodo.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.dodo.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.dodo.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.dodo.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.dodo.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.dodo.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.dodo.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.dodo.prices'?: readonly (Text)[] | undefined
  /** API key; without it Dodo is never asked, only listened to. Labels like those of webhook for several accounts. */
  'membership.providers.dodo.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.dodo.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.dodo.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.dodo.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.google'?: GoogleKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.google.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.google.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.google.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.google.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.google.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.google.account'?: Text | null | undefined
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.google.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.google.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.google.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.google.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.google.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.google.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.google.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.google.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.google.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.google.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.google.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.google.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.google.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.google.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.google.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.google.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.google.prices'?: readonly (Text)[] | undefined
  /** Key of a service account, the text of its JSON file. Google’s notifications only name purchases, which are asked for with it. */
  'membership.providers.google.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** The package name of the app: com.example.app. */
  'membership.providers.google.package'?: Text | undefined
  /** The address of the service account that the Pub/Sub subscription authenticates as. */
  'membership.providers.google.push_account'?: Text | undefined
  /** Another address of Google’s public keys, for tests. Default: `"https://www.googleapis.com/oauth2/v3/certs"`. */
  'membership.providers.google.push_keys'?: Text | undefined
  /** Another address of the API, for tests. */
  'membership.providers.google.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.google.plans.${string}`]: PlanKeys | PlanPart | null | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.lemonsqueezy.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.lemonsqueezy.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.lemonsqueezy.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.lemonsqueezy.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.lemonsqueezy.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.lemonsqueezy.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.lemonsqueezy.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.lemonsqueezy.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.lemonsqueezy.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.lemonsqueezy.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.lemonsqueezy.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.lemonsqueezy.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.lemonsqueezy.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.lemonsqueezy.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.lemonsqueezy.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.lemonsqueezy.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.lemonsqueezy.prices'?: readonly (Text)[] | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.mollie.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.mollie.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.mollie.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.mollie.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.mollie.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.mollie.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.mollie.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.mollie.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.mollie.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.mollie.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.mollie.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.mollie.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.mollie.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.mollie.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.mollie.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.mollie.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.mollie.prices'?: readonly (Text)[] | undefined
  /** API key, live_… or test_…: Mollie’s webhooks only name objects, which are asked for. Labels like those of webhook for several accounts. */
  'membership.providers.mollie.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** The amount of the first payment of a trial, in minor units. It verifies a card or an account. 0 works for cards and PayPal only. Default: `1`. */
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.paddle.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.paddle.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.paddle.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.paddle.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.paddle.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.paddle.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.paddle.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.paddle.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.paddle.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.paddle.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.paddle.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.paddle.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.paddle.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.paddle.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.paddle.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.paddle.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.paddle.prices'?: readonly (Text)[] | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.paypal.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.paypal.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.paypal.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.paypal.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.paypal.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.paypal.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.paypal.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.paypal.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.paypal.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.paypal.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.paypal.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.paypal.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.paypal.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.paypal.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.paypal.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.paypal.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.paypal.prices'?: readonly (Text)[] | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.polar.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.polar.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.polar.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.polar.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.polar.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.polar.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.polar.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.polar.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.polar.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.polar.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.polar.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.polar.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.polar.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.polar.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.polar.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.polar.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.polar.prices'?: readonly (Text)[] | undefined
  /** Access token of the organization, polar_oat_…; without it Polar is never asked, only listened to. Labels like those of webhook for several organizations. */
  'membership.providers.polar.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.polar.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.polar.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.polar.plans.${string}`]: PlanKeys | PlanPart | null | undefined
  'membership.providers.revenuecat'?: RevenuecatKeys | null
  /** The member’s hidden field for this provider’s data; the provider’s key unless given. */
  'membership.providers.revenuecat.field'?: Text | null | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.revenuecat.webhook'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.revenuecat.webhook_secret'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.revenuecat.webhook_id'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same. Default: `[]`. */
  'membership.providers.revenuecat.webhook_auth'?: Text | readonly (Text)[] | Readonly<Record<string, Text | readonly (Text)[]>> | undefined
  /** The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given. */
  'membership.providers.revenuecat.account'?: Text | null | undefined
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.revenuecat.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.revenuecat.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.revenuecat.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.revenuecat.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.revenuecat.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.revenuecat.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.revenuecat.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.revenuecat.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.revenuecat.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.revenuecat.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.revenuecat.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.revenuecat.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.revenuecat.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.revenuecat.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.revenuecat.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.revenuecat.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.revenuecat.prices'?: readonly (Text)[] | undefined
  /** Secret API key of version 2, sk_…; without it RevenueCat’s events open nothing. Labels like those of webhook for several projects. */
  'membership.providers.revenuecat.secret'?: Text | Readonly<Record<string, Text>> | undefined
  /** Id of the project, proj…; with several keys, one for each label. */
  'membership.providers.revenuecat.project'?: Text | Readonly<Record<string, Text>> | undefined
  /** App stores whose purchases are read. Leave out a store that another provider here reads. Default: `["app_store","mac_app_store","play_store","amazon","roku","galaxy"]`. */
  'membership.providers.revenuecat.stores'?: readonly ("app_store" | "mac_app_store" | "play_store" | "amazon" | "roku" | "galaxy" | EnvReference)[] | undefined
  /** Seconds that a webhook’s signed time may be away from the server’s. Default: `300`. */
  'membership.providers.revenuecat.webhook_tolerance'?: Numeric | undefined
  /** Another address of the API, for tests. */
  'membership.providers.revenuecat.api_base'?: Text | undefined
  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */
  [plan: `membership.providers.revenuecat.plans.${string}`]: PlanKeys | PlanPart | null | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.sandbox.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.sandbox.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.sandbox.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.sandbox.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.sandbox.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.sandbox.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.sandbox.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.sandbox.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.sandbox.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.sandbox.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.sandbox.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.sandbox.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.sandbox.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.sandbox.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.sandbox.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.sandbox.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.sandbox.prices'?: readonly (Text)[] | undefined
  /** Promotion codes: code → the percentage that it takes off the first payment. Default: `{}`. */
  'membership.providers.sandbox.codes'?: Readonly<Record<string, Numeric>> | undefined
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
  /** Events that count: true for live ones, false for test ones. Without it the provider’s key decides. */
  'membership.providers.stripe.livemode'?: Flag | null | undefined
  /** Added to the provider’s checkout parameters: a group of keys, or a function that returns one. Default: `{}`. */
  'membership.providers.stripe.checkout'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, unknown>> | undefined
  /** Kept with the purchase at the provider: flat texts, or a function that returns them. Default: `{}`. */
  'membership.providers.stripe.metadata'?: ((context: CheckoutContext) => unknown) | Readonly<Record<string, Text | Numeric | Flag>> | undefined
  /** The cost of a change of price or quantity, and when the change starts. */
  'membership.providers.stripe.change'?: {
    /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
    upgrade?: "now" | "period_end" | EnvReference | undefined
    /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
    downgrade?: "now" | "period_end" | EnvReference | undefined
    /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
    proration?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  } | undefined
  /** When a change to something dearer takes effect: now, when the difference is paid, or period_end. Default: `"now"`. */
  'membership.providers.stripe.change.upgrade'?: "now" | "period_end" | EnvReference | undefined
  /** When a change to something cheaper takes effect: period_end, or now, what is left being credited. Default: `"period_end"`. */
  'membership.providers.stripe.change.downgrade'?: "now" | "period_end" | EnvReference | undefined
  /** The values that the form field `proration` may have for an immediate change. By default forms cannot choose. Default: `[]`. */
  'membership.providers.stripe.change.proration'?: readonly ("now" | "next" | "none" | EnvReference)[] | undefined
  /** Lets members pause; not given, nobody can. */
  'membership.providers.stripe.pause'?: {
    /** The longest pause, counted from the end of the paid period. */
    max_days?: Numeric | Text | undefined
    /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
    access?: "closed" | "open" | EnvReference | undefined
  } | null | undefined
  /** The longest pause, counted from the end of the paid period. */
  'membership.providers.stripe.pause.max_days'?: Numeric | Text | undefined
  /** Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed. Default: `"closed"`. */
  'membership.providers.stripe.pause.access'?: "closed" | "open" | EnvReference | undefined
  /** One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one. */
  'membership.providers.stripe.discount'?: {
    /** The percentage that the next payment is reduced by. Pages and mails show it. */
    percent?: Numeric | undefined
    /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
    coupon?: Text | null | undefined
  } | null | undefined
  /** The percentage that the next payment is reduced by. Pages and mails show it. */
  'membership.providers.stripe.discount.percent'?: Numeric | undefined
  /** The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none. */
  'membership.providers.stripe.discount.coupon'?: Text | null | undefined
  /** `one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known. */
  'membership.providers.stripe.unknown_purchase'?: "one_time" | null | undefined
  /** Plans by id: named groups of prices. Default: `{}`. */
  'membership.providers.stripe.plans'?: Readonly<Record<string, PlanKeys | null>> | undefined
  /** The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`. */
  'membership.providers.stripe.accepts'?: "plans" | "everything" | EnvReference | null | undefined
  /** Ids or look-up keys of prices that this site sells without a plan, beside those of the plans. Default: `[]`. */
  'membership.providers.stripe.prices'?: readonly (Text)[] | undefined
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
